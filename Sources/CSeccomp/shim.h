#pragma once

#include <seccomp.h>

// libseccomp's macros, which Swift cannot import.

static const uint32_t chc_allow = SCMP_ACT_ALLOW;
static const uint32_t chc_trap = SCMP_ACT_TRAP;
static const uint32_t chc_kill_process = SCMP_ACT_KILL_PROCESS;

static inline uint32_t chc_errno(int code) {
    return SCMP_ACT_ERRNO((uint32_t)code);
}

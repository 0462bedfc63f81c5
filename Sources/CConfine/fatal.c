#define _GNU_SOURCE
#include "cconfine.h"
#include "channel.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int chf_channel_is_busy;

void chf_report_channel_busy(int busy) {
    atomic_store(&chf_channel_is_busy, busy);
}

static struct {
    int descriptor;
    size_t size, at;
    unsigned char report[64];
    atomic_int reported;
} fatal;

static void put(size_t at, uint32_t number) {
    for (int i = 0; i < 4; i++) {
        fatal.report[at + (size_t)i] = (unsigned char)(number >> 8 * i);
    }
}

// Nothing but system calls in here.
void chf_die(int number, siginfo_t *info, void *context) {
    (void)context;
    // The kernel's codes are positive: the process itself did what it must not. Others name their sender.
    int is_fault = info->si_code > 0;
    if (atomic_exchange(&fatal.reported, 1) == 0 && atomic_load(&chf_channel_is_busy) == 0) {
        uint64_t address = is_fault ? (uint64_t)(uintptr_t)info->si_addr : 0;
        put(fatal.at, (uint32_t)number);
        put(fatal.at + 4, (uint32_t)info->si_code);
        put(fatal.at + 8, is_fault ? 0 : (uint32_t)info->si_pid);
        put(fatal.at + 12, is_fault ? 0 : (uint32_t)info->si_uid);
        put(fatal.at + 16, (uint32_t)address);
        put(fatal.at + 20, (uint32_t)(address >> 32));
        // A supervisor that takes nothing sees the signal all the same.
        ssize_t ignored = write(fatal.descriptor, fatal.report, fatal.size);
        (void)ignored;
    }
    // Of SIGSYS the sandbox lets nobody change the action; the refusal ends the process by SIGSYS just as well.
    // Not by returning: that would go on behind a breakpoint, and the engine may stand between with a handler of its own.
    struct sigaction usual;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    sigaction(number, &usual, NULL);
    syscall(SYS_tgkill, getpid(), gettid(), number);
}

int chf_report_fatal_signals(int descriptor, const void *report, size_t size, size_t at) {
    // Not SIGUSR1, which is the engine's, and not SIGPIPE, which is ignored. The sandbox takes SIGSYS over.
    static const int signals[] = {SIGHUP,    SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                                  SIGFPE,    SIGSEGV, SIGUSR2,   SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ,
                                  SIGVTALRM, SIGPROF, SIGSTKFLT, SIGIO,   SIGPWR,  SIGSYS};
    // An overflown stack leaves no room for a handler.
    static unsigned char stack[32 * 1024];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    if (size > sizeof fatal.report || at + 24 > size) {
        errno = EINVAL;
        return -1;
    }
    fatal.descriptor = descriptor;
    fatal.size = size;
    fatal.at = at;
    memcpy(fatal.report, report, size);
    if (sigaltstack(&other, NULL) != 0) {
        return -1;
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = chf_die;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (sigaction(signals[i], &action, NULL) != 0) {
            return -1;
        }
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        if (sigaction(number, &action, NULL) != 0) {
            return -1;
        }
    }
    return 0;
}

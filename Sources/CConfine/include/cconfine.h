#pragma once

// The walls around a component's process, by the kernel's own calls: constants that are newer than the C library's
// headers are defined beside them. Each returns -1 and errno on failure unless it says otherwise.

#include <stddef.h>
#include <stdint.h>

/// Landlock's version of this kernel (1 and up), or -1: there is none, or it may not be used.
int chf_landlock_version(void);

/// A set of rules that handles every right that `version` knows and grants none: no file, no folder, no TCP port; no
/// signal and no abstract socket to outside.
int chf_landlock_deny_all(int version);

/// In every thread of this process: no privilege is gained any more (PR_SET_NO_NEW_PRIVS), all capabilities are dropped,
/// and the rules of `ruleset` hold (-1: none). The kernel has that for the calling thread alone, so the others are
/// interrupted by SIGUSR2, whose action is as before when this returns. ETIMEDOUT: a thread did not do it in 5 s.
/// `*call` names the call that failed.
int chf_restrict_every_thread(int ruleset, const char **call);

/// Whether the kernel can refuse memory that is writable and executable in turn (PR_SET_MDWE, Linux 6.3).
int chf_can_deny_executable_gain(void);
int chf_deny_executable_gain(void);

/// Whether the kernel filters system calls and can send SIGSYS for one.
int chf_can_filter_system_calls(void);

/// From now on a refused system call ends the process with `exit_code`, after `report` has been written to `descriptor`
/// unless `chf_report_channel_busy` says that it is in use. At `number_at` in the report the number of the call is
/// put, at `architecture_at` its architecture, both u32, little endian. `report` is copied; at most 64 bytes.
int chf_report_refused_calls(int descriptor, int exit_code, const void *report, size_t size, size_t number_at,
                             size_t architecture_at);

/// From now on a signal that ends the process is told first: `report` goes to `descriptor`, as above, with the signal, its
/// `si_code`, sender (pid, uid; 0 for the kernel) and address (low half, high half; 0 unless the kernel's), each u32,
/// little endian, from `at` on. Not for SIGKILL, which no process sees, SIGUSR1 and SIGPIPE.
int chf_report_fatal_signals(int descriptor, const void *report, size_t size, size_t at);

/// While true, a message is on its way through the descriptor of the two above, and nothing may go between.
void chf_report_channel_busy(int busy);

/// Installs a filter program of `count` instructions of 8 bytes for every thread of this process.
int chf_filter_system_calls(const void *program, unsigned short count);

/// Soft and hard limits of this process, none raised: the number that descriptors must stay below; threads and processes
/// of its user, all together; no files written (pipes and sockets are none), no memory locked, no message queues.
int chf_limit_resources(uint64_t descriptors, uint64_t processes, const char **call);

/// Takes on a group and a user for good, in every thread, and no further groups.
int chf_become(unsigned user, unsigned group, const char **call);

struct chf_memory {
    uint64_t own;  // resident, and no file's or shared with others
    uint64_t data; // what RLIMIT_DATA counts: private memory that may be written, used or not; and the stack
};

/// Bytes, as the open file `statm`, a /proc/<pid>/statm, has them.
int chf_read_memory(int statm, struct chf_memory *memory);

/// This process's data may grow by `growth` bytes from now on (RLIMIT_DATA); `*most`: what it may then have in all.
int chf_limit_data(int statm, uint64_t growth, uint64_t *most);

/// From now on SIGABRT, SIGILL and SIGTRAP end the process after `report` has been written to `descriptor`, unless
/// `chf_report_channel_busy` says that it is in use. At `data_at` in the report two u64, little endian, are put: this
/// process's data, and what the kernel refused it last, if that was just now. Not of signals from outside. `report` is copied; at most 64 bytes.
int chf_report_giving_up(int statm, int descriptor, const void *report, size_t size, size_t data_at);

/// Bytes of address space that the stack of each later thread gets. RLIMIT_DATA counts them, used or not.
int chf_set_thread_stacks(size_t size);

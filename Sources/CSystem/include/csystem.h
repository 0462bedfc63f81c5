#pragma once

// System calls that Swift cannot import: variadic ones, and those whose arguments are macros or newer than the C
// library. Each returns the kernel's result; -1 and errno on failure unless it says otherwise.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// prctl(PR_SET_PDEATHSIG): `signal` comes when the thread that made this process ends.
int chs_set_parent_death_signal(int signal);

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace by the same user.
int chs_set_not_dumpable(void);

int chs_set_thread_name(const char *name);

/// A descriptor for the process, close-on-exec, readable once it has exited.
int chs_pidfd_open(pid_t pid);

int chs_pidfd_send_signal(int pidfd, int signal);

struct chs_exit {
    bool exited; // else ended by a signal
    int value;   // exit code or signal number
    pid_t pid;
};

/// Reaps the process behind `pidfd`. 1 = reaped, 0 = still running, -1 = errno.
int chs_reap(int pidfd, struct chs_exit *result);

/// posix_spawn with what a component gets and nothing else: descriptors 0…count-1 are `descriptors[i]`, the rest are
/// closed; a session of its own; default signal dispositions and an empty mask; only `environment`. 0 or an errno value.
int chs_spawn(const char *program, char *const arguments[], char *const environment[], const int *descriptors,
              int count, pid_t *pid);

/// openat2 with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS.
int chs_open_beneath(int folder, const char *path, uint64_t flags, uint64_t mode);

/// Fills `bytes` from the kernel's random number generator. 0, or -1 and errno.
int chs_random(void *bytes, size_t count);

/// Pid and uid of the process at the other end of a Unix socket.
int chs_peer_credentials(int socket, pid_t *pid, uid_t *uid);

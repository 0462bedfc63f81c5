#define _GNU_SOURCE
#include "cconfine.h"
#include "channel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_GET_MDWE 66
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif
#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1
#endif

// The kernel's struct landlock_ruleset_attr, as of its sixth version.
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

enum { create_ruleset_version = 1 };

int chf_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, create_ruleset_version);
}

int chf_landlock_deny_all(int version) {
    // Rights are numbered from 0; each version knows those of the ones before it and some more.
    static const int file_rights[] = {0, 13, 14, 15, 15, 16};
    struct ruleset rules = {0, 0, 0};
    size_t size = sizeof rules.files;
    rules.files = (1ULL << file_rights[version < 5 ? version : 5]) - 1;
    if (version >= 4) {
        rules.network = 3; // bind, connect
        size = sizeof rules.files + sizeof rules.network;
    }
    if (version >= 6) {
        // Abstract Unix sockets; signals from the seventh on: in the sixth they did not reach a process's own threads either.
        rules.scopes = version >= 7 ? 3 : 1;
        size = sizeof rules;
    }
    return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

// One thread's part. Nothing but system calls: it runs in a signal handler too.
static int restrict_thread(int ruleset, const char **call) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    *call = "prctl(PR_SET_NO_NEW_PRIVS)";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -1;
    }
    *call = "landlock_restrict_self";
    if (ruleset >= 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
        return -1;
    }
    *call = "capset";
    return (int)syscall(SYS_capset, &header, none);
}

enum { most_threads = 1024 };

static struct {
    int ruleset;
    atomic_int count;
    atomic_int done[most_threads]; // their ids; 0 for one that is being written
    atomic_int error;
    _Atomic(const char *) call;
} others;

static void restrict_other(int signal) {
    (void)signal;
    int kept = errno;
    const char *call;
    if (restrict_thread(others.ruleset, &call) != 0) {
        atomic_store(&others.call, call);
        atomic_store(&others.error, errno);
    }
    int place = atomic_fetch_add(&others.count, 1);
    if (place < most_threads) {
        atomic_store(&others.done[place], (int)gettid());
    }
    errno = kept;
}

static int is_done(int thread, int count) {
    for (int i = 0; i < count; i++) {
        if (atomic_load(&others.done[i]) == thread) {
            return 1;
        }
    }
    return 0;
}

// Interrupts every thread that has not done its part. The number of those; -1 and errno.
static int interrupt_others(DIR *threads, int *asked, int *asked_count) {
    // What was done before the list is read: a thread that appears later was made by one that is not among these, or by
    // one that is restricted and has handed that on.
    int done = atomic_load(&others.count);
    int left = 0;
    struct dirent *entry;
    if (done > most_threads) {
        errno = EOVERFLOW;
        return -1;
    }
    rewinddir(threads);
    while (errno = 0, (entry = readdir(threads)) != NULL) {
        int thread = atoi(entry->d_name);
        int known = 0;
        if (thread <= 0 || thread == (int)gettid() || is_done(thread, done)) {
            continue;
        }
        left++;
        for (int i = 0; i < *asked_count; i++) {
            known |= asked[i] == thread;
        }
        if (known) {
            continue;
        }
        if (*asked_count == most_threads) {
            errno = EOVERFLOW;
            return -1;
        }
        asked[(*asked_count)++] = thread;
        if (syscall(SYS_tgkill, getpid(), thread, SIGUSR2) != 0 && errno != ESRCH) {
            return -1;
        }
    }
    return errno == 0 ? left : -1;
}

static int restrict_others(const char **call) {
    int asked[most_threads];
    int asked_count = 0, left = 0, error = 0;
    struct timespec pause = {0, 50 * 1000};
    *call = "open(/proc/self/task)";
    DIR *threads = opendir("/proc/self/task");
    if (threads == NULL) {
        return -1;
    }
    *call = "tgkill(SIGUSR2)";
    for (int rounds = 0; rounds < 100 * 1000; rounds++) {
        left = interrupt_others(threads, asked, &asked_count);
        if (left <= 0) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    error = left < 0 ? errno : left > 0 ? ETIMEDOUT : 0;
    closedir(threads);
    if (error == 0 && atomic_load(&others.error) != 0) {
        error = atomic_load(&others.error);
        *call = atomic_load(&others.call);
    }
    errno = error;
    return error == 0 ? 0 : -1;
}

int chf_restrict_every_thread(int ruleset, const char **call) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = restrict_other;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    others.ruleset = ruleset;
    *call = "sigaction(SIGUSR2)";
    if (sigaction(SIGUSR2, &action, &before) != 0) {
        return -1;
    }
    if (restrict_others(call) != 0) {
        return -1;
    }
    *call = "sigaction(SIGUSR2)";
    if (sigaction(SIGUSR2, &before, NULL) != 0) {
        return -1;
    }
    return restrict_thread(ruleset, call);
}

int chf_can_deny_executable_gain(void) {
    return prctl(PR_GET_MDWE, 0, 0, 0, 0) < 0 ? -1 : 0;
}

int chf_deny_executable_gain(void) {
    return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
}

int chf_can_filter_system_calls(void) {
    uint32_t action = SECCOMP_RET_TRAP;
    return (int)syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

static struct {
    int descriptor;
    int exit_code;
    size_t size, number_at, architecture_at;
    unsigned char report[64];
    atomic_int reporting;
} refusals;

static void put(size_t at, uint32_t number) {
    for (int i = 0; i < 4; i++) {
        refusals.report[at + (size_t)i] = (unsigned char)(number >> 8 * i);
    }
}

static void refused(int number, siginfo_t *info, void *context) {
    if (info->si_code != SYS_SECCOMP) { // somebody sent it
        chf_die(number, info, context);
    }
    // The first thread that comes here ends the process.
    while (atomic_exchange(&refusals.reporting, 1) != 0) {
        struct timespec second = {1, 0};
        nanosleep(&second, NULL);
    }
    if (atomic_load(&chf_channel_is_busy) == 0) {
        put(refusals.number_at, (uint32_t)info->si_syscall);
        put(refusals.architecture_at, info->si_arch);
        // A supervisor that takes nothing sees the exit code all the same.
        ssize_t ignored = write(refusals.descriptor, refusals.report, refusals.size);
        (void)ignored;
    }
    _exit(refusals.exit_code);
}

int chf_report_refused_calls(int descriptor, int exit_code, const void *report, size_t size, size_t number_at,
                             size_t architecture_at) {
    struct sigaction action;
    if (size > sizeof refusals.report || number_at + 4 > size || architecture_at + 4 > size) {
        errno = EINVAL;
        return -1;
    }
    refusals.descriptor = descriptor;
    refusals.exit_code = exit_code;
    refusals.size = size;
    refusals.number_at = number_at;
    refusals.architecture_at = architecture_at;
    memcpy(refusals.report, report, size);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = refused;
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}

int chf_filter_system_calls(const void *program, unsigned short count) {
    struct sock_fprog filter = {count, (struct sock_filter *)program};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result > 0) { // a thread with another filter
        errno = EBUSY;
        return -1;
    }
    return (int)result;
}

int chf_limit_resources(uint64_t descriptors, uint64_t processes, const char **call) {
    const struct {
        int resource;
        rlim_t value;
        const char *call;
    } limits[] = {
        {RLIMIT_NOFILE, descriptors, "setrlimit(RLIMIT_NOFILE)"},
        {RLIMIT_NPROC, processes, "setrlimit(RLIMIT_NPROC)"},
        {RLIMIT_FSIZE, 0, "setrlimit(RLIMIT_FSIZE)"},
        {RLIMIT_MEMLOCK, 0, "setrlimit(RLIMIT_MEMLOCK)"},
        {RLIMIT_MSGQUEUE, 0, "setrlimit(RLIMIT_MSGQUEUE)"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit;
        *call = limits[i].call;
        if (getrlimit((__rlimit_resource_t)limits[i].resource, &limit) != 0) {
            return -1;
        }
        if (limits[i].value < limit.rlim_max) {
            limit.rlim_max = limits[i].value;
        }
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) != 0) {
            return -1;
        }
    }
    return 0;
}

int chf_become(unsigned user, unsigned group, const char **call) {
    *call = "setgroups";
    if (setgroups(0, NULL) != 0) {
        return -1;
    }
    *call = "setresgid";
    if (setresgid(group, group, group) != 0) {
        return -1;
    }
    *call = "setresuid";
    return setresuid(user, user, user);
}

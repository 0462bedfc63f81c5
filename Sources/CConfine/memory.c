#define _GNU_SOURCE
#include "cconfine.h"
#include "channel.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Fields of /proc/<pid>/statm (proc(5)), in pages.
enum { resident_field = 1, shared_field = 2, data_field = 5, field_count = 7 };

int chf_read_memory(int statm, struct chf_memory *memory) {
    char text[256];
    uint64_t fields[field_count] = {0};
    int field = 0;
    ssize_t count = pread(statm, text, sizeof text, 0);
    if (count <= 0) {
        return -1;
    }
    for (ssize_t i = 0; i < count && field < field_count; i++) {
        if (text[i] == ' ') {
            field++;
        } else if (text[i] >= '0' && text[i] <= '9') {
            fields[field] = fields[field] * 10 + (uint64_t)(text[i] - '0');
        }
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    // The kernel counts both without stopping the process: one may be ahead of the other.
    memory->own =
        fields[resident_field] > fields[shared_field] ? (fields[resident_field] - fields[shared_field]) * page : 0;
    memory->data = fields[data_field] * page;
    return 0;
}

int chf_limit_data(int statm, uint64_t growth, uint64_t *most) {
    struct chf_memory now;
    struct rlimit limit;
    if (chf_read_memory(statm, &now) != 0 || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return -1;
    }
    if (now.data + growth < limit.rlim_max) {
        limit.rlim_max = now.data + growth;
    }
    limit.rlim_cur = limit.rlim_max;
    *most = limit.rlim_max;
    return setrlimit(RLIMIT_DATA, &limit);
}

static struct {
    int statm, descriptor;
    size_t size, data_at;
    unsigned char report[64];
    atomic_int reporting;
} giving_up;

static struct {
    _Atomic uint64_t bytes;
    _Atomic long second;
} refused;

// Stands in front of the C library's for the whole program, the engine included, so that it is known what was refused
// when the engine gives up: most of the deaths that follow leave no other trace.
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    long place = syscall(SYS_mmap, address, size, protection, flags, file, offset);
    if (place == -1 && errno == ENOMEM) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        atomic_store(&refused.bytes, (uint64_t)size);
        atomic_store(&refused.second, now.tv_sec);
        errno = ENOMEM;
    }
    return (void *)place;
}

// What the kernel has refused just now; 0 = nothing. A component that has caught such an error may end by another cause later.
static uint64_t refused_just_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - atomic_load(&refused.second) <= 1 ? atomic_load(&refused.bytes) : 0;
}

static void put(size_t at, uint64_t number) {
    for (int i = 0; i < 8; i++) {
        giving_up.report[at + (size_t)i] = (unsigned char)(number >> 8 * i);
    }
}

// Ends the process by the same signal, as it would without this, after a report. What another process has sent is no news of
// memory.
static void gave_up(int number, siginfo_t *info, void *context) {
    struct chf_memory now;
    int is_own = info->si_code > 0 || info->si_pid == getpid();
    if (is_own && atomic_exchange(&giving_up.reporting, 1) == 0 && atomic_load(&chf_channel_is_busy) == 0 &&
        chf_read_memory(giving_up.statm, &now) == 0) {
        put(giving_up.data_at, now.data);
        put(giving_up.data_at + 8, refused_just_now());
        // A supervisor that takes nothing sees the signal all the same.
        ssize_t ignored = write(giving_up.descriptor, giving_up.report, giving_up.size);
        (void)ignored;
    }
    chf_die(number, info, context);
}

int chf_report_giving_up(int statm, int descriptor, const void *report, size_t size, size_t data_at) {
    // What an engine that gets no memory ends by: abort(), and traps of the compiler for what cannot be.
    static const int signals[] = {SIGABRT, SIGILL, SIGTRAP};
    struct sigaction action;
    if (size > sizeof giving_up.report || data_at + 16 > size) {
        errno = EINVAL;
        return -1;
    }
    giving_up.statm = statm;
    giving_up.descriptor = descriptor;
    giving_up.size = size;
    giving_up.data_at = data_at;
    memcpy(giving_up.report, report, size);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = gave_up;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (sigaction(signals[i], &action, NULL) != 0) {
            return -1;
        }
    }
    return 0;
}

int chf_set_thread_stacks(size_t size) {
    pthread_attr_t usual;
    int code = pthread_attr_init(&usual);
    if (code == 0) {
        code = pthread_attr_setstacksize(&usual, size);
        if (code == 0) {
            code = pthread_setattr_default_np(&usual);
        }
        pthread_attr_destroy(&usual);
    }
    errno = code;
    return code == 0 ? 0 : -1;
}

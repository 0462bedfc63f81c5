#define _GNU_SOURCE
#include "csystem.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

// The engine reads its thread's processor time at every call into JavaScript, once it watches for long ones, and that is
// a system call: more than a tenth of a message's round trip. This takes the C library's place for that clock alone and
// gives the monotonic one, which needs none: the engine's limit then counts the time that passes.
typedef int (*clock_reader)(clockid_t, struct timespec *);

static _Atomic(clock_reader) real_clock_gettime;

// How far the wall clock is ahead, by a fault that was injected on purpose.
static _Atomic int64_t ahead;

void chs_step_wall_clock(int64_t nanoseconds) {
    atomic_store(&ahead, nanoseconds);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    clock_reader reader = atomic_load_explicit(&real_clock_gettime, memory_order_relaxed);
    if (reader == NULL) {
        reader = (clock_reader)dlsym(RTLD_NEXT, "clock_gettime");
        atomic_store_explicit(&real_clock_gettime, reader, memory_order_relaxed);
    }
    int result = reader(clock == CLOCK_THREAD_CPUTIME_ID ? CLOCK_MONOTONIC : clock, time);
    int64_t step = atomic_load_explicit(&ahead, memory_order_relaxed);
    if (step != 0 && result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t nanoseconds = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + step;
        time->tv_sec = nanoseconds / 1000000000;
        time->tv_nsec = nanoseconds % 1000000000;
    }
    return result;
}

// GLib, and the engine's Date with it, may ask here.
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    if (result == 0) {
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
    }
    return result;
}

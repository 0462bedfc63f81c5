#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>

// The engine reads its thread's processor time at every call into JavaScript, once it watches for long ones, and that is
// a system call: more than a tenth of a message's round trip. This takes the C library's place for that clock alone and
// gives the monotonic one, which needs none: the engine's limit then counts the time that passes.
typedef int (*clock_reader)(clockid_t, struct timespec *);

static _Atomic(clock_reader) real_clock_gettime;

int clock_gettime(clockid_t clock, struct timespec *time) {
    clock_reader reader = atomic_load_explicit(&real_clock_gettime, memory_order_relaxed);
    if (reader == NULL) {
        reader = (clock_reader)dlsym(RTLD_NEXT, "clock_gettime");
        atomic_store_explicit(&real_clock_gettime, reader, memory_order_relaxed);
    }
    return reader(clock == CLOCK_THREAD_CPUTIME_ID ? CLOCK_MONOTONIC : clock, time);
}

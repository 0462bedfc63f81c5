#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

// The engine starts helper threads whenever it has use for them, also long after its start, and ends the process when
// it gets none: on a machine or in a container without room for another process, that would be the supervisor's end.
// This takes the C library's place and has every thread but the first, which must never wait, try again for a while: the
// core then gives no turn, which is noticed and judged like any other silence of its.
typedef int (*thread_maker)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static _Atomic(thread_maker) real_pthread_create;

enum { pause_milliseconds = 20, tries = 15 * 60 * 50 };

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    thread_maker make = atomic_load_explicit(&real_pthread_create, memory_order_relaxed);
    int code;
    if (make == NULL) {
        make = (thread_maker)dlsym(RTLD_NEXT, "pthread_create");
        atomic_store_explicit(&real_pthread_create, make, memory_order_relaxed);
    }
    code = make(thread, attributes, body, argument);
    for (int number = 0; code == EAGAIN && number < tries && gettid() != getpid(); number++) {
        const struct timespec pause = {0, pause_milliseconds * 1000000L};
        nanosleep(&pause, NULL);
        code = make(thread, attributes, body, argument);
    }
    return code;
}

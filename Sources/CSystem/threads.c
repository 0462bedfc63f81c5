#define _GNU_SOURCE
#include "csystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

// The engine starts helper threads whenever it has use for them, lets them end after ten seconds without work, and ends the
// process when it gets none: on a machine or in a container without room for another process, that would be the supervisor's
// end. This takes the C library's place. Where `chs_keep_engine_threads` was called, threads are made beforehand, of which the
// engine gets one when there are no others, and a helper that it once has stays. Whoever else may not be refused a
// thread (libraries that end the process then) tries again for a while, but never the first thread; this program's own code is refused.
typedef int (*thread_maker)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*timed_wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

// What waits for so long waits for work; the engine's other waits are of milliseconds.
enum { pause_milliseconds = 20, tries = 15 * 60 * 50, idle_seconds = 5 };

struct spare {
    pthread_t thread;
    void *(*body)(void *);
    void *argument;
    struct spare *next;
};

static _Atomic(thread_maker) real_create;
static _Atomic(timed_wait) real_timed_wait;
static _Atomic(void *) engine;
static _Thread_local bool is_helper;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_given = PTHREAD_COND_INITIALIZER;
static struct spare *spares;
static int spares_wanted;
static int spares_there;

// Where the library or the program is in memory that has this address. `dladdr` would look for a name, too: for long, in the
// engine's.
static void *home(const void *address) {
    struct dl_find_object found;
    return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_map_start : NULL;
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    thread_maker make = atomic_load_explicit(&real_create, memory_order_relaxed);
    if (make == NULL) {
        make = (thread_maker)dlsym(RTLD_NEXT, "pthread_create");
        atomic_store_explicit(&real_create, make, memory_order_relaxed);
    }
    return make(thread, attributes, body, argument);
}

static void *help(void *place) {
    struct spare self = *(struct spare *)place;
    free(place);
    is_helper = true;
    return self.body(self.argument);
}

static void *wait_for_use(void *place) {
    struct spare *self = place;
    prctl(PR_SET_NAME, "spare");
    pthread_mutex_lock(&lock);
    while (self->body == NULL) {
        pthread_cond_wait(&is_given, &lock);
    }
    pthread_mutex_unlock(&lock);
    return help(self);
}

// As many as are wanted, or as there is room for.
static void make_spares(void) {
    pthread_mutex_lock(&lock);
    while (spares_there < spares_wanted) {
        struct spare *spare = calloc(1, sizeof *spare);
        if (spare == NULL || create(&spare->thread, NULL, wait_for_use, spare) != 0) {
            free(spare);
            break;
        }
        spare->next = spares;
        spares = spare;
        spares_there++;
    }
    pthread_mutex_unlock(&lock);
}

static bool give_spare(pthread_t *thread, void *(*body)(void *), void *argument) {
    pthread_mutex_lock(&lock);
    struct spare *spare = spares;
    if (spare != NULL) {
        spares = spare->next;
        spares_there--;
        *thread = spare->thread;
        spare->argument = argument;
        spare->body = body;
        pthread_cond_broadcast(&is_given);
    }
    pthread_mutex_unlock(&lock);
    return spare != NULL;
}

void chs_keep_engine_threads(int count) {
    atomic_store(&engine, home(dlsym(RTLD_DEFAULT, "JSContextGroupCreate")));
    spares_wanted = count;
    make_spares();
}

static int create_for_engine(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                             void *argument) {
    struct spare *start = calloc(1, sizeof *start);
    if (start == NULL) {
        return EAGAIN;
    }
    start->body = body;
    start->argument = argument;
    int code = create(thread, attributes, help, start);
    if (code == 0) {
        make_spares();
        return 0;
    }
    free(start);
    return code == EAGAIN && give_spare(thread, body, argument) ? 0 : code;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    void *caller = home(__builtin_return_address(0));
    bool is_engine = caller != NULL && caller == atomic_load(&engine);
    bool may_be_refused = caller == home((const void *)chs_keep_engine_threads) || gettid() == getpid();
    int code = EAGAIN;
    for (int number = 0; number < tries; number++) {
        code = (is_engine ? create_for_engine : create)(thread, attributes, body, argument);
        if (code != EAGAIN || may_be_refused) {
            return code;
        }
        const struct timespec pause = {0, pause_milliseconds * 1000000L};
        nanosleep(&pause, NULL);
    }
    return code;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    struct timespec now;
    if (is_helper && clock_gettime(CLOCK_REALTIME, &now) == 0 && deadline->tv_sec - now.tv_sec >= idle_seconds) {
        return pthread_cond_wait(condition, mutex);
    }
    timed_wait wait = atomic_load_explicit(&real_timed_wait, memory_order_relaxed);
    if (wait == NULL) {
        wait = (timed_wait)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
        atomic_store_explicit(&real_timed_wait, wait, memory_order_relaxed);
    }
    return wait(condition, mutex, deadline);
}

#pragma once

// What the reference programs share: a monotonic clock, order statistics, and ending with a message.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

_Noreturn static inline void fail(const char *what, int error) {
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(1);
}

static inline long positive_argument(const char *text, const char *name) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *end != 0 || value <= 0) {
        fprintf(stderr, "%s must be a positive number, not %s\n", name, text);
        exit(2);
    }
    return value;
}

static inline void *take(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        fail("calloc", ENOMEM);
    }
    return memory;
}

static int compare_times(const void *left, const void *right) {
    uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;
    return l < r ? -1 : l > r;
}

/// Prints `<name>_p50_ns=… <name>_p99_ns=…`, a line of its own each; sorts `times`.
static inline void print_percentiles(const char *name, uint64_t *times, size_t count) {
    qsort(times, count, sizeof *times, compare_times);
    printf("%s_p50_ns=%llu\n", name, (unsigned long long)times[count / 2]);
    printf("%s_p99_ns=%llu\n", name, (unsigned long long)times[count * 99 / 100]);
}

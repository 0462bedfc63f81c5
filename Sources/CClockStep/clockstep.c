#define _GNU_SOURCE
#include "clockstep.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { day = 24 * 3600, milliseconds_between_steps = 50 };

int clock_gettime(clockid_t clock, struct timespec *time) {
    struct timespec steady;
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
        long steps = (steady.tv_sec * 1000 + steady.tv_nsec / 1000000) / milliseconds_between_steps;
        time->tv_sec += steps % 2 == 0 ? day : -day;
    }
    return result;
}

#pragma once

#include <time.h>

/// In place of the C library's: the wall clock jumps by a day, forth and back, every 50 ms. Other clocks are as they are.
int clock_gettime(clockid_t clock, struct timespec *time);

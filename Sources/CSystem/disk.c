#include "csystem.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

// Errno and milliseconds in one number, so that both change at once.
static _Atomic uint64_t broken[2];

void chs_break_disk(int place, int code, unsigned milliseconds) {
    atomic_store(&broken[place], (uint64_t)(unsigned)code << 32 | milliseconds);
}

int chs_disk_write(int place) {
    uint64_t how = atomic_load_explicit(&broken[place], memory_order_relaxed);
    if (how == 0) {
        return 0;
    }
    unsigned milliseconds = (unsigned)how;
    if (milliseconds > 0) {
        struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
        nanosleep(&time, NULL);
    }
    if (how >> 32 == 0) {
        return 0;
    }
    errno = (int)(how >> 32);
    return -1;
}

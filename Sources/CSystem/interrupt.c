#include "csystem.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>

static volatile sig_atomic_t interrupted;

static void note(int signal) {
    (void)signal;
    interrupted = 1;
}

int chs_be_interruptible(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    return sigaction(SIGUSR2, &action, NULL);
}

int chs_is_interrupted(void) {
    return interrupted;
}

int chs_open_nothing(void) {
    return eventfd(0, EFD_CLOEXEC);
}

void chs_forget_interruption(void) {
    interrupted = 0;
}

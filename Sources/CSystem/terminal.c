#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { count_of_signals = 7 };

static const int signals[count_of_signals] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
static volatile sig_atomic_t caught[NSIG];

static void remember(int number) {
    caught[number] = 1;
}

static void say(int tty, const char *text) {
    size_t rest = strlen(text);
    while (rest > 0) {
        const ssize_t written = write(tty, text, rest);
        if (written < 0) {
            return; // A terminal that takes nothing shows no prompt either.
        }
        text += written;
        rest -= (size_t)written;
    }
}

// One line: its length, -1 and errno; EINTR when a signal came. `waiting`: the signals that are blocked while it waits,
// so that none can come between a look at what was caught and the read.
static ssize_t read_line(int tty, const sigset_t *waiting, char *bytes, size_t size) {
    size_t count = 0;
    for (;;) {
        char byte;
        struct pollfd input = {.fd = tty, .events = POLLIN};
        if (ppoll(&input, 1, NULL, waiting) < 0) {
            return -1;
        }
        const ssize_t got = read(tty, &byte, 1);
        if (got < 0) {
            return -1;
        }
        if (got == 0 && count == 0) {
            errno = ENODATA;
            return -1;
        }
        if (got == 0 || byte == '\n') {
            break;
        }
        // What does not fit is read all the same: it must not be the shell's next command.
        if (count < size) {
            bytes[count] = byte;
        }
        count += 1;
    }
    if (count > size) {
        errno = EMSGSIZE;
        return -1;
    }
    return (ssize_t)count;
}

ssize_t chs_ask_secretly(int tty, const char *prompt, char *bytes, size_t size) {
    for (;;) {
        struct sigaction mine;
        struct sigaction before[count_of_signals];
        memset(&mine, 0, sizeof mine);
        mine.sa_handler = remember;
        sigset_t blocked;
        sigset_t usual;
        sigemptyset(&blocked);
        for (int i = 0; i < count_of_signals; i++) {
            caught[signals[i]] = 0;
            sigaddset(&blocked, signals[i]);
        }
        sigprocmask(SIG_BLOCK, &blocked, &usual);
        for (int i = 0; i < count_of_signals; i++) {
            sigaction(signals[i], &mine, &before[i]);
        }
        struct termios shown;
        ssize_t result = -1;
        int reason = 0;
        if (tcgetattr(tty, &shown) == 0) {
            struct termios hidden = shown;
            hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
            if (tcsetattr(tty, TCSAFLUSH, &hidden) == 0) {
                say(tty, prompt);
                result = read_line(tty, &usual, bytes, size);
                reason = errno;
                say(tty, "\n");
                while (tcsetattr(tty, TCSAFLUSH, &shown) == -1 && errno == EINTR) {
                }
            } else {
                reason = errno;
            }
        } else {
            reason = errno;
        }
        for (int i = 0; i < count_of_signals; i++) {
            sigaction(signals[i], &before[i], NULL);
        }
        sigprocmask(SIG_SETMASK, &usual, NULL);
        // EINTR without one of these: the process was stopped and goes on.
        int again = result < 0 && reason == EINTR;
        for (int i = 0; i < count_of_signals; i++) {
            if (caught[signals[i]]) {
                explicit_bzero(bytes, size);
                kill(getpid(), signals[i]); // ends or stops this process here, as it would have
                again = 1;
            }
        }
        if (!again) {
            errno = reason;
            return result;
        }
    }
}

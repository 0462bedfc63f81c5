#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int exit_code(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reaps whatever has ended; with the program itself, this process ends too.
static void reap(pid_t program) {
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == program) {
            _exit(exit_code(status));
        }
    }
}

int chs_leave_first_process(void) {
    sigset_t all, before;
    pid_t program;

    if (getpid() != 1) {
        return 0;
    }
    // A blocked signal waits for the first process too, which would else never see one without a handler. Its own faults
    // stay as they are.
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigprocmask(SIG_BLOCK, &all, &before);
    program = fork();
    if (program == -1) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return -1;
    }
    if (program == 0) {
        // What is typed at a terminal is this group's alone: passed on as well, it would come twice.
        setpgid(0, 0);
        if (isatty(STDIN_FILENO)) {
            tcsetpgrp(STDIN_FILENO, getpid());
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        return 1;
    }
    for (;;) {
        int number = sigwaitinfo(&all, NULL);
        if (number == SIGCHLD) {
            reap(program);
        } else if (number > 0 && number != SIGTTIN && number != SIGTTOU) {
            kill(program, number);
        }
    }
}

int chs_send_datagram(int socket, const char *address, size_t length, const void *bytes, size_t count) {
    struct sockaddr_un to;
    memset(&to, 0, sizeof to);
    to.sun_family = AF_UNIX;
    if (length < 2 || length > sizeof to.sun_path - (address[0] == '@' ? 0 : 1)) {
        return EINVAL;
    }
    memcpy(to.sun_path, address, length);
    if (address[0] == '@') {
        to.sun_path[0] = 0;
    }
    for (;;) {
        ssize_t sent = sendto(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to,
                              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
        if (sent >= 0) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
}

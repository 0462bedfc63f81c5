#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_descriptors = 16, most_bytes = 64 * 1024, most_strings = 256 };

// In front of the strings of a request: arguments, then variables, each with its NUL.
struct head {
    uint32_t arguments, variables;
};

struct reply {
    int32_t code; // errno value; 0: all is well
    int32_t pid;  // of the child, if there is one; of the zygote itself when it is ready
};

struct request {
    struct head head;
    char strings[most_bytes];
};

// Control messages are aligned as their head is.
union rights {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int) * most_descriptors)];
};

// MARK: In the supervisor

static ssize_t send_request(int zygote, struct iovec *parts, const int *descriptors, int count) {
    union rights rights;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t sent;
    memset(&rights, 0, sizeof rights);
    message.msg_control = &rights;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    memcpy(CMSG_DATA(head), descriptors, sizeof(int) * (size_t)count);
    do {
        sent = sendmsg(zygote, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent == -1 && errno == EINTR);
    return sent;
}

int chs_zygote_answer(int zygote, int milliseconds, int *code, pid_t *pid) {
    struct pollfd answer = {.fd = zygote, .events = POLLIN};
    struct reply reply;
    int ready;
    do {
        ready = poll(&answer, 1, milliseconds);
    } while (ready == -1 && errno == EINTR);
    if (ready <= 0) {
        return ready;
    }
    if (recv(zygote, &reply, sizeof reply, MSG_DONTWAIT) != sizeof reply) {
        return -1;
    }
    *code = reply.code;
    *pid = reply.pid;
    return 1;
}

int chs_zygote_ask(int zygote, char *const arguments[], char *const environment[], const int *descriptors, int count) {
    struct request request;
    struct iovec parts[2] = {{&request.head, sizeof request.head}, {request.strings, 0}};
    char *const *lists[2] = {arguments, environment};
    uint32_t counts[2] = {0, 0};
    size_t size = 0;

    if (count < 1 || count > most_descriptors) {
        errno = EINVAL;
        return -1;
    }
    for (int list = 0; list < 2; list++) {
        for (char *const *at = lists[list]; *at != NULL; at++, counts[list]++) {
            const size_t length = strlen(*at) + 1;
            if (size + length > sizeof request.strings || counts[0] + counts[1] >= most_strings) {
                errno = E2BIG;
                return -1;
            }
            memcpy(request.strings + size, *at, length);
            size += length;
        }
    }
    request.head.arguments = counts[0];
    request.head.variables = counts[1];
    parts[1].iov_len = size;
    return send_request(zygote, parts, descriptors, count) == -1 ? -1 : 0;
}

// MARK: In the zygote

// What it has received, kept for the child: its arguments and variables stay here.
static struct request received;
static char *strings[most_strings + 2];

// The C library keeps the thread's id, and the kernel where: a child must have its own there, else its engine cannot stop
// its threads. Null where the kernel does not tell.
static pid_t *thread_id_place(void) {
    pid_t *place = NULL;
    if (prctl(PR_GET_TID_ADDRESS, &place, 0, 0, 0) != 0 || place == NULL || *place != getpid()) {
        return NULL;
    }
    return place;
}

// A folder's links are itself, its name and its subfolders: one for each thread.
static int has_one_thread(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
}

// As fork(), with the supervisor as the parent, who so learns of the child's end as of any other's.
static pid_t fork_for_parent(pid_t *id_place) {
    const unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
#if defined(__x86_64__)
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, id_place, NULL);
#else
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, id_place);
#endif
}

static int receive(int supervisor, int *descriptors, int *count) {
    union rights rights;
    struct iovec part = {&received, sizeof received};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
    ssize_t size;
    do {
        size = recvmsg(supervisor, &message, MSG_CMSG_CLOEXEC);
    } while (size == -1 && errno == EINTR);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (size <= (ssize_t)sizeof received.head || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || head == NULL ||
        head->cmsg_type != SCM_RIGHTS) {
        return -1;
    }
    *count = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(head), sizeof(int) * (size_t)*count);
    return 0;
}

// Both lists in `strings`, a null behind each.
static char **lay_out(void) {
    char *text = received.strings;
    uint32_t at = 0;
    for (uint32_t i = 0; i < received.head.arguments; i++, text += strlen(text) + 1) {
        strings[at++] = text;
    }
    strings[at++] = NULL;
    char **variables = &strings[at];
    for (uint32_t i = 0; i < received.head.variables; i++, text += strlen(text) + 1) {
        strings[at++] = text;
    }
    strings[at] = NULL;
    return variables;
}

// What the kernel shows as a process's arguments and variables stands where the zygote's stood; as many as there is room for.
static void show(char **list, char *room, size_t size) {
    memset(room, 0, size);
    for (; *list != NULL; list++) {
        const size_t length = strlen(*list) + 1;
        if (length > size) {
            return;
        }
        memcpy(room, *list, length);
        room += length;
        size -= length;
    }
}

// Descriptors 0…count-1 become those; nothing else stays open but `answer`. 0, or -1 and errno.
static int take_descriptors(int *descriptors, int count, int answer) {
    for (int i = 0; i < count; i++) {
        descriptors[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, most_descriptors);
        if (descriptors[i] == -1) {
            return -1;
        }
    }
    for (int i = 0; i < count; i++) {
        if (dup2(descriptors[i], i) == -1) {
            return -1;
        }
    }
    if (syscall(SYS_close_range, (unsigned)count, (unsigned)answer - 1, 0) != 0 ||
        syscall(SYS_close_range, (unsigned)answer + 1, ~0U, 0) != 0) {
        return -1;
    }
    return 0;
}

// In the child. The answer is its own, when it is all that a program begins with: whoever looks at it then sees no zygote.
static void begin(int supervisor, int *descriptors, int count, char *arguments, size_t arguments_size, char *variables,
                  size_t variables_size) {
    struct reply reply = {0, getpid()};
    const int answer = fcntl(supervisor, F_DUPFD_CLOEXEC, 2 * most_descriptors);
    setsid();
    // As after a new program has begun; whoever may not look at the zygote could else not be looked at by itself.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    environ = lay_out();
    show(strings, arguments, arguments_size);
    show(environ, variables, variables_size);
    if (answer == -1 || take_descriptors(descriptors, count, answer) != 0) {
        reply.code = errno;
        send(answer == -1 ? supervisor : answer, &reply, sizeof reply, MSG_NOSIGNAL);
        _exit(127);
    }
    if (send(answer, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) {
        _exit(127);
    }
    close(answer);
}

char **chs_zygote_serve(int supervisor, char *arguments, size_t arguments_size, char *variables,
                        size_t variables_size) {
    struct reply reply = {0, getpid()};
    pid_t *id_place = thread_id_place();
    int descriptors[most_descriptors];
    int count = 0;

    if (id_place == NULL || !has_one_thread() || send(supervisor, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) {
        return NULL;
    }
    while (receive(supervisor, descriptors, &count) == 0) {
        const pid_t pid = fork_for_parent(id_place);
        if (pid == 0) {
            begin(supervisor, descriptors, count, arguments, arguments_size, variables, variables_size);
            return strings;
        }
        if (pid == -1) {
            reply = (struct reply){errno, 0};
            send(supervisor, &reply, sizeof reply, MSG_NOSIGNAL);
        }
        for (int i = 0; i < count; i++) {
            close(descriptors[i]);
        }
    }
    return NULL;
}

// Stands between the supervisor and a component's program, and cuts the component's data pipe within the frame that has the
// mark in it: what came before has been passed on, of that frame a part.
//
//     cut-pipe PROGRAM CUTS STEP EXACT SEED SUPERVISOR GENERATION [NICE]
//
// In the lives up to EXACT the part is (GENERATION - 1) * STEP bytes, at most the frame's length, after them a random one by
// SEED. Every 16th life loses its pipe alone, the others are killed with it. A line of CUTS: generation, part, length, way.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { data = 3, header = 16, room = 8 << 20, arguments_of_ours = 5 };

static const char mark[] = "CUT-WITHIN-THIS";

struct plan {
    const char *cuts;
    size_t step;
    unsigned exact, seed, generation;
    pid_t component;
};

static void pass(int target, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = write(target, bytes, count);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            _exit(1);
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static _Noreturn void cut(const struct plan *plan, const char *frame, size_t length) {
    size_t part = (plan->generation - 1) * plan->step;
    int is_kill = plan->generation % 16 != 0;
    if (plan->generation > plan->exact) {
        unsigned state = plan->seed + plan->generation * 2654435761U;
        part = ((size_t)rand_r(&state) << 15 ^ (size_t)rand_r(&state)) % (length + 1);
    }
    part = part < length ? part : length;
    FILE *cuts = fopen(plan->cuts, "a");
    if (cuts == NULL) {
        _exit(1);
    }
    fprintf(cuts, "%u %zu %zu %s\n", plan->generation, part, length, is_kill ? "killed" : "closed");
    fclose(cuts);
    pass(data, frame, part);
    if (is_kill) {
        kill(plan->component, SIGKILL);
    }
    _exit(0);
}

// Passes on the whole frames that are there; gives the bytes that are left.
static size_t pass_frames(const struct plan *plan, char *bytes, size_t count) {
    size_t start = 0;
    uint32_t body;
    while (count - start >= header) {
        memcpy(&body, bytes + start, sizeof body);
        size_t length = header + body;
        if (length > room) {
            _exit(1);
        }
        if (count - start < length) {
            break;
        }
        if (memmem(bytes + start, length, mark, sizeof mark - 1) != NULL) {
            cut(plan, bytes + start, length);
        }
        pass(data, bytes + start, length);
        start += length;
    }
    memmove(bytes, bytes + start, count - start);
    return count - start;
}

static _Noreturn void stand_between(const struct plan *plan, int inner) {
    char *bytes = malloc(room), *other = malloc(room);
    size_t count = 0;
    if (bytes == NULL || other == NULL) {
        _exit(1);
    }
    for (;;) {
        struct pollfd both[] = {{data, POLLIN, 0}, {inner, POLLIN, 0}};
        if (poll(both, 2, -1) < 0) {
            continue;
        }
        if (both[1].revents != 0) {
            ssize_t got = read(inner, bytes + count, room - count);
            if (got <= 0) {
                _exit(0);
            }
            count = pass_frames(plan, bytes, count + (size_t)got);
        }
        if (both[0].revents != 0) {
            ssize_t got = read(data, other, room);
            if (got <= 0) {
                _exit(0);
            }
            pass(inner, other, (size_t)got);
        }
    }
}

int main(int count, char *arguments[]) {
    int pair[2];
    if (count < 3 + arguments_of_ours || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return 1;
    }
    struct plan plan = {
        .cuts = arguments[2],
        .step = strtoul(arguments[3], NULL, 10),
        .exact = (unsigned)strtoul(arguments[4], NULL, 10),
        .seed = (unsigned)strtoul(arguments[5], NULL, 10),
        .generation = (unsigned)strtoul(arguments[arguments_of_ours + 2], NULL, 10),
        .component = getpid(),
    };
    pid_t child = fork();
    if (child < 0) {
        return 1;
    }
    if (child == 0) {
        // Nothing but the two ends, so that everything else of the component's ends with it.
        int inner = dup2(pair[1], data + 1);
        signal(SIGPIPE, SIG_IGN);
        fcntl(data, F_SETFL, fcntl(data, F_GETFL) & ~O_NONBLOCK);
        close_range((unsigned)inner + 1, ~0U, 0);
        for (int standard = 0; standard < data; standard++) {
            close(standard);
        }
        stand_between(&plan, inner);
    }
    dup2(pair[0], data);
    arguments[arguments_of_ours] = arguments[1];
    execv(arguments[1], arguments + arguments_of_ours);
    return 1;
}

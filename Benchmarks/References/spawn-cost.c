// What a spawn costs the process that does it, with MIB mebibytes resident: the time until the call returns.
//
//   spawn-cost MIB COUNT    posix_spawn_*: plain posix_spawn, the reference
//                           ours_*: chs_spawn of Sources/CSystem with five descriptors, as the supervisor calls it
//                           fork_*: fork and exec, for comparison

#include "measure.h"

#include "csystem.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const arguments[] = {"true", NULL};
static char *const environment[] = {NULL};
static const char program[] = "/bin/true";

static pid_t plain_spawn(void) {
    pid_t pid;
    int rc = posix_spawn(&pid, program, NULL, NULL, arguments, environment);
    if (rc != 0) {
        fail("posix_spawn", rc);
    }
    return pid;
}

static pid_t our_spawn(void) {
    static int null = -1;
    if (null == -1 && (null = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1) {
        fail("/dev/null", errno);
    }
    const int descriptors[] = {null, null, null, null, null};
    pid_t pid;
    int rc = chs_spawn(program, arguments, environment, descriptors, 5, &pid);
    if (rc != 0) {
        fail("chs_spawn", rc);
    }
    return pid;
}

static pid_t fork_and_exec(void) {
    pid_t pid = fork();
    if (pid == -1) {
        fail("fork", errno);
    }
    if (pid == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    return pid;
}

struct way {
    const char *name;
    pid_t (*spawn)(void);
    uint64_t *times;
};

static void spawn_once(const struct way *way, uint64_t *time) {
    int status;
    uint64_t start = now_ns();
    pid_t pid = way->spawn();
    *time = now_ns() - start;
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s: the child ended with status %d\n", way->name, status);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: spawn-cost MIB COUNT\n");
        return 2;
    }
    size_t bytes = (size_t)positive_argument(argv[1], "MIB") << 20;
    long count = positive_argument(argv[2], "COUNT");
    char *resident = take(bytes);
    memset(resident, 1, bytes);
    struct way ways[] = {{"posix_spawn", plain_spawn, NULL}, {"ours", our_spawn, NULL}, {"fork", fork_and_exec, NULL}};
    const size_t kinds = sizeof ways / sizeof *ways;
    for (size_t kind = 0; kind < kinds; kind++) {
        ways[kind].times = take((size_t)count * sizeof(uint64_t));
    }
    // In turn, so that a busy moment of the machine meets all of them.
    for (long i = 0; i < count; i++) {
        for (size_t kind = 0; kind < kinds; kind++) {
            spawn_once(&ways[kind], &ways[kind].times[i]);
        }
    }
    for (size_t kind = 0; kind < kinds; kind++) {
        print_percentiles(ways[kind].name, ways[kind].times, (size_t)count);
    }
    return resident[bytes / 2] == 1 ? 0 : 1;
}

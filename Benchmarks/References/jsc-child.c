// Reference for components: a plain JavaScriptCore program, started by posix_spawn, which makes a context, evaluates a
// script, says so with one byte, and stays.
//
//   jsc-child start COUNT    one after the other: spawn_to_ready_p50_ns, spawn_to_ready_p99_ns
//   jsc-child crowd COUNT    all at once, at most 2 per processor starting: all_ready_ns; then, idle, the proportional
//                            memory of one: pss_bytes
//   jsc-child child          (what the others spawn; descriptor 3 takes the byte)

#include "measure.h"

#include <fcntl.h>
#include <JavaScriptCore/JavaScript.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char script[] = "(function () {"
                             "    const names = ['a', 'b', 'c'].map(name => name.toUpperCase());"
                             "    return new Date(0).toISOString() + JSON.stringify({ names });"
                             "})()";

static int be_child(void) {
    JSGlobalContextRef context = JSGlobalContextCreate(NULL);
    JSStringRef source = JSStringCreateWithUTF8CString(script);
    JSValueRef exception = NULL;
    JSEvaluateScript(context, source, NULL, NULL, 1, &exception);
    JSStringRelease(source);
    if (exception != NULL) {
        return 1;
    }
    if (write(3, "r", 1) != 1) {
        return 1;
    }
    for (;;) {
        pause();
    }
}

struct child {
    pid_t pid;
    int ready;
};

static struct child spawn_child(void) {
    struct child child;
    int ends[2];
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"jsc-child", "child", NULL};
    if (pipe2(ends, O_CLOEXEC) == -1) {
        fail("pipe2", errno);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    int rc = posix_spawn(&child.pid, "/proc/self/exe", &actions, NULL, arguments, environ);
    if (rc != 0) {
        fail("posix_spawn", rc);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    child.ready = ends[0];
    return child;
}

static void await_ready(struct child *child) {
    char byte;
    if (read(child->ready, &byte, 1) != 1) {
        fprintf(stderr, "a child ended before it was ready\n");
        exit(1);
    }
    close(child->ready);
}

static void end_child(struct child *child) {
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
}

static uint64_t proportional_bytes(pid_t pid) {
    char path[64], line[256];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail(path, errno);
    }
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "Pss: %llu kB", &kib) != 1) {
    }
    fclose(file);
    return kib * 1024;
}

static void start_one_by_one(long count) {
    uint64_t *times = take((size_t)count * sizeof *times);
    for (long i = 0; i < count; i++) {
        uint64_t start = now_ns();
        struct child child = spawn_child();
        await_ready(&child);
        times[i] = now_ns() - start;
        end_child(&child);
    }
    print_percentiles("spawn_to_ready", times, (size_t)count);
}

static void start_crowd(long count) {
    struct child *children = take((size_t)count * sizeof *children);
    struct pollfd *starting = take((size_t)count * sizeof *starting);
    long most_starting = 2 * sysconf(_SC_NPROCESSORS_ONLN);
    long spawned = 0, ready = 0;
    uint64_t start = now_ns();
    while (ready < count) {
        while (spawned < count && spawned - ready < most_starting) {
            children[spawned] = spawn_child();
            starting[spawned] = (struct pollfd){.fd = children[spawned].ready, .events = POLLIN};
            spawned++;
        }
        if (poll(starting, (nfds_t)spawned, -1) == -1) {
            fail("poll", errno);
        }
        for (long i = 0; i < spawned; i++) {
            if (starting[i].fd >= 0 && starting[i].revents != 0) {
                await_ready(&children[i]);
                starting[i].fd = -1;
                ready++;
            }
        }
    }
    printf("all_ready_ns=%llu\n", (unsigned long long)(now_ns() - start));
    // What the engine's helper threads still do after the script is not idleness.
    sleep(1);
    uint64_t bytes = 0;
    for (long i = 0; i < count; i++) {
        bytes += proportional_bytes(children[i].pid);
    }
    printf("pss_bytes=%llu\n", (unsigned long long)(bytes / (uint64_t)count));
    for (long i = 0; i < count; i++) {
        end_child(&children[i]);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "child") == 0) {
        return be_child();
    }
    if (argc == 3 && strcmp(argv[1], "start") == 0) {
        start_one_by_one(positive_argument(argv[2], "COUNT"));
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "crowd") == 0) {
        start_crowd(positive_argument(argv[2], "COUNT"));
        return 0;
    }
    fprintf(stderr, "usage: jsc-child start|crowd COUNT\n");
    return 2;
}

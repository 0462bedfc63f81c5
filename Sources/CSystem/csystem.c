#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int chs_set_parent_death_signal(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

int chs_set_not_dumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int chs_set_thread_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

int chs_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int chs_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int chs_reap(int pidfd, struct chs_exit *result) {
    siginfo_t info;
    int rc;
    memset(&info, 0, sizeof info);
    do {
        rc = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG);
    } while (rc == -1 && errno == EINTR);
    if (rc == -1) {
        return -1;
    }
    if (info.si_pid == 0) {
        return 0;
    }
    result->exited = info.si_code == CLD_EXITED;
    result->value = info.si_status;
    result->pid = info.si_pid;
    return 1;
}

// dup2 onto itself would leave close-on-exec set, and a source among the targets would be overwritten before its turn;
// so every source is first moved above the targets.
static int move_above(int descriptor, int least) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, least);
}

int chs_spawn(const char *program, char *const arguments[], char *const environment[], const int *descriptors,
              int count, pid_t *pid) {
    enum { most = 16 };
    int moved[most];
    int ready = 0;
    int rc = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    if (count < 0 || count > most) {
        return EINVAL;
    }
    rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0) {
        return rc;
    }
    rc = posix_spawnattr_init(&attributes);
    if (rc != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return rc;
    }
    while (ready < count && rc == 0) {
        moved[ready] = move_above(descriptors[ready], most);
        if (moved[ready] == -1) {
            rc = errno;
        } else {
            rc = posix_spawn_file_actions_adddup2(&actions, moved[ready], ready);
            ready++;
        }
    }
    if (rc == 0) {
        rc = posix_spawn_file_actions_addclosefrom_np(&actions, count);
    }
    if (rc == 0) {
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        rc = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    if (rc == 0) {
        rc = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    }
    while (ready > 0) {
        close(moved[--ready]);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

int chs_remove_tree(const char *path) {
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// In the child of a process that may have threads: system calls only.
static void become_bound(const char *program, char *const arguments[], char *const environment[], int input, int output,
                         int signal, pid_t parent) {
    struct sigaction usual;
    sigset_t none;
    int number;

    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    for (number = 1; number < NSIG; number++) {
        sigaction(number, &usual, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    // A parent that has ended before this call is not noticed by it.
    if (prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) != 0 || getppid() != parent) {
        return;
    }
    input = fcntl(input, F_DUPFD_CLOEXEC, 3);
    output = fcntl(output, F_DUPFD_CLOEXEC, 3);
    if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) {
        return;
    }
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
        return;
    }
    execve(program, arguments, environment);
}

int chs_spawn_bound(const char *program, char *const arguments[], char *const environment[], int input, int output,
                    int signal, pid_t *pid) {
    // The child says what went wrong; with the program in its place nothing is said.
    int ends[2];
    int code = 0;
    const pid_t parent = getpid();

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    *pid = fork();
    if (*pid == 0) {
        const int report = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
        errno = 0;
        become_bound(program, arguments, environment, input, output, signal, parent);
        code = errno != 0 ? errno : ESRCH;
        (void)!write(report, &code, sizeof code);
        _exit(127);
    }
    code = *pid < 0 ? errno : 0;
    close(ends[1]);
    if (code == 0 && read(ends[0], &code, sizeof code) > 0) {
        waitpid(*pid, NULL, 0);
    }
    close(ends[0]);
    return code;
}

static int open_beneath_once(int folder, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = flags | O_CLOEXEC;
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve;
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

ssize_t chs_read_if_cached(int file, void *bytes, size_t count, off_t position) {
    struct iovec room = {bytes, count};
    return preadv2(file, &room, 1, position, RWF_NOWAIT);
}

int chs_open_beneath(int folder, const char *path, uint64_t flags, uint64_t mode) {
    int fd;
    do {
        fd = open_beneath_once(folder, path, flags, mode, 0);
    } while (fd == -1 && (errno == EINTR || errno == EAGAIN));
    return fd;
}

int chs_open_place_beneath(int folder, const char *path, uint64_t flags) {
    return chs_open_beneath(folder, path, flags | O_PATH, 0);
}

int chs_open_place_if_cached(int folder, const char *path, uint64_t flags) {
    return open_beneath_once(folder, path, flags | O_PATH, 0, RESOLVE_CACHED);
}

int chs_open_nameless(int folder, mode_t mode) {
    int fd;
    do {
        fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    } while (fd == -1 && errno == EINTR);
    return fd;
}

int chs_next_data(int fd, off_t from, off_t *start, off_t *end) {
    *start = lseek(fd, from, SEEK_DATA);
    if (*start == -1) {
        return errno == ENXIO ? 0 : -1;
    }
    *end = lseek(fd, *start, SEEK_HOLE);
    return *end == -1 ? -1 : 1;
}

ssize_t chs_copy_range(int from, int to, off_t start, size_t count) {
    off64_t source = start, target = start;
    return copy_file_range(from, &source, to, &target, count, 0);
}

int chs_write_out(int fd, off_t start, off_t count) {
    const unsigned whole = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (sync_file_range(fd, start, count, SYNC_FILE_RANGE_WRITE) == -1) {
        return -1;
    }
    return start == 0 ? 0 : sync_file_range(fd, 0, start, whole);
}

static double milliseconds(struct statx_timestamp time) {
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int chs_stat(int fd, struct chs_file_info *info) {
    struct statx found;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &found) != 0)
        return -1;
    info->mode = found.stx_mode;
    info->nlink = found.stx_nlink;
    info->blksize = found.stx_blksize;
    info->ino = found.stx_ino;
    info->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    info->size = found.stx_size;
    info->blocks = found.stx_blocks;
    info->atime_ms = milliseconds(found.stx_atime);
    info->mtime_ms = milliseconds(found.stx_mtime);
    info->ctime_ms = milliseconds(found.stx_ctime);
    info->birthtime_ms = found.stx_mask & STATX_BTIME ? milliseconds(found.stx_btime) : info->ctime_ms;
    return 0;
}

const char *chs_errno_name(int code) {
    return strerrorname_np(code);
}

const char *chs_errno_text(int code) {
    return strerrordesc_np(code);
}

void chs_keep_freed_memory(int bytes) {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, bytes);
}

int chs_join_thread(pthread_t thread, long seconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end);
}

int chs_epoll_confirm(int epoll, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

int chs_random(void *bytes, size_t count) {
    size_t filled = 0;
    while (filled < count) {
        ssize_t got = getrandom((char *)bytes + filled, count - filled, 0);
        if (got == -1 && errno != EINTR) {
            return -1;
        }
        filled += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int chs_peer_credentials(int socket, pid_t *pid, uid_t *uid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == -1) {
        return -1;
    }
    *pid = credentials.pid;
    *uid = credentials.uid;
    return 0;
}

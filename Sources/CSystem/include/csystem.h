#pragma once

// System calls that Swift cannot import: variadic ones, and those whose arguments are macros or newer than the C
// library. Each returns the kernel's result; -1 and errno on failure unless it says otherwise.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// prctl(PR_SET_PDEATHSIG): `signal` comes when the thread that made this process ends.
int chs_set_parent_death_signal(int signal);

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace by the same user.
int chs_set_not_dumpable(void);

int chs_set_thread_name(const char *name);

/// A descriptor for the process, close-on-exec, readable once it has exited.
int chs_pidfd_open(pid_t pid);

int chs_pidfd_send_signal(int pidfd, int signal);

struct chs_exit {
    bool exited; // else ended by a signal
    int value;   // exit code or signal number
    pid_t pid;
};

/// Reaps the process behind `pidfd`. 1 = reaped, 0 = still running, -1 = errno.
int chs_reap(int pidfd, struct chs_exit *result);

/// posix_spawn with what a component gets and nothing else: descriptors 0…count-1 are `descriptors[i]`, the rest are
/// closed; a session of its own; default signal dispositions and an empty mask; only `environment`. 0 or an errno value.
int chs_spawn(const char *program, char *const arguments[], char *const environment[], const int *descriptors,
              int count, pid_t *pid);

/// Asks the zygote behind a socket of packets for a child with what chs_spawn gives one; the answer says how it went. 0, or
/// -1 and errno: the zygote has not been asked.
int chs_zygote_ask(int zygote, char *const arguments[], char *const environment[], const int *descriptors, int count);

/// Waits for an answer: the zygote's first one says that it is ready, the others are of children that begin. 1: `*code` is 0, or an
/// errno value and `*pid` that of a child that ends for it, or 0; 0: no answer by then; -1: the zygote is gone.
int chs_zygote_answer(int zygote, int milliseconds, int *code, pid_t *pid);

/// In the zygote, which has one thread: forks as often as the supervisor asks. Returns in each child with its arguments (a null
/// behind them) and its environment, which also come where those of the zygote stand, as far as there is room; null in the
/// zygote itself when it cannot be one, or the supervisor is gone.
char **chs_zygote_serve(int supervisor, char *arguments, size_t arguments_size, char *variables, size_t variables_size);

/// A program that `signal` ends when the calling thread does: descriptor 0 is `input`, 1 and 2 are `output`, the rest are
/// closed; a session of its own; default signal dispositions and an empty mask. 0 or an errno value.
int chs_spawn_bound(const char *program, char *const arguments[], char *const environment[], int input, int output,
                    int signal, pid_t *pid);

/// Removes a folder with all that is in it. 0, or -1 with errno when something stays.
int chs_remove_tree(const char *path);

/// In the first process of a container (pid 1) this goes on in a child of it, and never returns in the first process: that
/// reaps whatever is left to it, passes every signal on to the child, and exits as the child did (128 + the signal that
/// ended it). Everywhere else it does nothing. To be called before there are threads. 1 in the child, 0 if there was nothing
/// to do, -1 and errno if there could be no child: the first process goes on itself.
int chs_leave_first_process(void);

/// Sends one datagram to the Unix socket at `address`, without waiting: a path, or an abstract name behind an `@`.
/// 0, or an errno value.
int chs_send_datagram(int socket, const char *address, size_t length, const void *bytes, size_t count);

/// openat2 with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS.
int chs_open_beneath(int folder, const char *path, uint64_t flags, uint64_t mode);

/// The same with O_PATH: a descriptor that stands for the place and opens nothing there. `flags`: O_DIRECTORY, O_NOFOLLOW
/// (a link stands for itself).
int chs_open_place_beneath(int folder, const char *path, uint64_t flags);

/// The same, as long as the kernel has all names on the way in memory; else -1 and EAGAIN. Never waits for a disk.
int chs_open_place_if_cached(int folder, const char *path, uint64_t flags);

/// openat with O_TMPFILE: a new file in `folder` that has no name yet, open for writing. Its name, if it is to have one,
/// comes from linkat.
int chs_open_nameless(int folder, mode_t mode);

/// The first byte of data at or behind `from`, holes left out (SEEK_DATA), and the hole behind it (SEEK_HOLE). 1; 0 when
/// there is no more data; -1 and errno.
int chs_next_data(int fd, off_t from, off_t *start, off_t *end);

/// copy_file_range of `count` bytes at the same place in both files.
ssize_t chs_copy_range(int from, int to, off_t start, size_t count);

/// sync_file_range: has the disk begin with `count` bytes from `start`, and waits for what stands before them.
int chs_write_out(int fd, off_t start, off_t count);

/// Reads at `position` what is in memory already, by preadv2 with RWF_NOWAIT: fewer bytes, or -1 with EAGAIN, where the
/// disk would have to be asked; -1 with EOPNOTSUPP where the file system cannot tell.
ssize_t chs_read_if_cached(int file, void *bytes, size_t count, off_t position);

/// What statx tells of an open file or place. Times are milliseconds since the epoch; a file system that keeps no time
/// of birth gives that of the last change.
struct chs_file_info {
    uint32_t mode;
    uint32_t nlink;
    uint32_t blksize;
    uint64_t ino;
    uint64_t device;
    uint64_t size;
    uint64_t blocks;
    double atime_ms;
    double mtime_ms;
    double ctime_ms;
    double birthtime_ms;
};

/// statx(fd, "", AT_EMPTY_PATH).
int chs_stat(int fd, struct chs_file_info *info);

/// `ENOENT` for 2; null for a number that is no errno value.
const char *chs_errno_name(int code);

/// The C library's words for an errno value, safe from any thread; null for a number that is none.
const char *chs_errno_text(int code);

/// Has the allocator keep up to `bytes` of freed memory, blocks of megabytes among it, for the next allocations: a large
/// message then goes into memory that is there already, where it would else cost a page fault for every 4 KiB.
void chs_keep_freed_memory(int bytes);

/// Takes the code and constants of the program and its libraries out of the process's page tables; what is used again comes
/// back from the page cache with the first use. What a start has run and nobody runs again is most of it, and
/// each page costs the kernel time when the process ends. What was written to stays: parts that may be are left alone.
void chs_unmap_code(void);

/// Makes `count` threads that do nothing until the JavaScript engine wants a helper thread and there is no room for a new one,
/// and has the helpers stay that the engine once has: it ends the process when it gets none. Before the engine's first use.
void chs_keep_engine_threads(int count);

/// Joins a thread that ends within `seconds`. 0, or an errno value (ETIMEDOUT).
int chs_join_thread(pthread_t thread, long seconds);

/// epoll_ctl(EPOLL_CTL_MOD) with what `fd` is watched for already: -1 and ENOENT when it is not watched, because the
/// descriptor that was is closed.
int chs_epoll_confirm(int epoll, int fd, uint32_t events);

/// Fills `bytes` from the kernel's random number generator. 0, or -1 and errno.
int chs_random(void *bytes, size_t count);

/// From now on SIGUSR2 does no more to this process than that `chs_is_interrupted` says so. 0, or -1 and errno.
int chs_be_interruptible(void);

/// 1 when SIGUSR2 came since `chs_be_interruptible`, or since `chs_forget_interruption`.
int chs_is_interrupted(void);
/// A descriptor that leads to nothing (eventfd(2)); -1 and errno.
int chs_open_nothing(void);
void chs_forget_interruption(void);

/// Writes to be refused or slowed down on purpose: `place` is 0 for logs, 1 for data.
enum chs_disk { CHS_DISK_LOGS = 0, CHS_DISK_DATA = 1 };

/// From now on each write there takes `milliseconds` longer, and fails with `code` unless that is 0.
void chs_break_disk(int place, int code, unsigned milliseconds);

/// To be asked before a write. -1 and errno when it is to fail; waits, if it is to be slow. May be called on any thread.
int chs_disk_write(int place);

/// The wall clock of this process is so much ahead from now on; 0 = as it is.
void chs_step_wall_clock(int64_t nanoseconds);

/// Pid and uid of the process at the other end of a Unix socket.
int chs_peer_credentials(int socket, pid_t *pid, uid_t *uid);

/// Asks at the terminal `tty` with `prompt` for a line that is not shown, without its end, of at most `size` bytes. The
/// terminal is as before when this returns, and before a signal (Ctrl-C, Ctrl-Z, …) does what it does; after one that
/// stopped the process it asks anew. Gives the bytes' number; -1 and errno: EMSGSIZE when the line is longer, ENODATA at the
/// terminal's end. `bytes` is the caller's to overwrite.
ssize_t chs_ask_secretly(int tty, const char *prompt, char *bytes, size_t size);

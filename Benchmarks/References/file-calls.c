// References for the file ports, in FOLDER, which must be empty and is left so.
//
//   file-calls FOLDER stat COUNT     uv_fs_stat with a callback, one after the other, of names that nothing has:
//                                    stat_known_p50_ns one and the same name, stat_new_p50_ns a new one each time
//   file-calls FOLDER read COUNT     of 1 MiB: open, fstat, read, close into memory that its user keeps for the next 32
//                                    reads: read_p50_ns; pread into the same memory each time: read_open_p50_ns
//   file-calls FOLDER store COUNT    of 4 KiB, safe from a power cut: a new file written, synced and closed, renamed over
//                                    the old one, the folder synced: store_p50_ns; to a new name: store_new_p50_ns
//   file-calls FOLDER write COUNT    of 1 MiB: open, write, close: write_p50_ns; pwrite: write_open_p50_ns

#include "measure.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

enum { mebibyte = 1 << 20 };

static const char *folder;

struct stats {
    uv_fs_t request;
    bool is_new;
    long done;
    long count;
    uint64_t started_at;
    uint64_t *times;
};

static void next_stat(struct stats *stats);

static void on_stat(uv_fs_t *request) {
    struct stats *stats = request->data;
    stats->times[stats->done] = now_ns() - stats->started_at;
    if (request->result != UV_ENOENT) {
        fail("a stat that should have found nothing", (int)-request->result);
    }
    uv_fs_req_cleanup(request);
    if (++stats->done < stats->count) {
        next_stat(stats);
    }
}

static void next_stat(struct stats *stats) {
    char path[4096];
    snprintf(path, sizeof path, "%s/none%ld", folder, stats->is_new ? stats->done : 0);
    stats->started_at = now_ns();
    uv_fs_stat(uv_default_loop(), &stats->request, path, on_stat);
}

static void measure_stat(const char *name, bool is_new, long count) {
    struct stats stats = {.is_new = is_new, .count = count, .times = take((size_t)count * sizeof(uint64_t))};
    stats.request.data = &stats;
    next_stat(&stats);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    print_percentiles(name, stats.times, (size_t)count);
    free(stats.times);
}

static int open_file(int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/mebibyte", folder);
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file == -1) {
        fail(path, errno);
    }
    return file;
}

static void read_once(void) {
    static char *kept[32];
    static size_t turn;
    char **bytes = &kept[turn++ % (sizeof kept / sizeof *kept)];
    struct stat info;
    int file = open_file(O_RDONLY);
    if (fstat(file, &info) == -1 || info.st_size != mebibyte) {
        fail("fstat", errno);
    }
    if (*bytes == NULL) {
        *bytes = take(mebibyte);
    }
    if (read(file, *bytes, (size_t)info.st_size) != mebibyte) {
        fail("read", errno);
    }
    close(file);
}

static int opened;
static char buffer[mebibyte];

static void read_open(void) {
    if (pread(opened, buffer, mebibyte, 0) != mebibyte) {
        fail("pread", errno);
    }
}

static void write_open(void) {
    if (pwrite(opened, buffer, mebibyte, 0) != mebibyte) {
        fail("pwrite", errno);
    }
}

static void write_once(void) {
    int file = open_file(O_WRONLY | O_CREAT | O_TRUNC);
    if (write(file, buffer, mebibyte) != mebibyte) {
        fail("write", errno);
    }
    close(file);
}

static void store_as(const char *name) {
    char path[4096], scratch[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(scratch, sizeof scratch, "%s/scratch", folder);
    int file = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file == -1 || write(file, buffer, 4096) != 4096 || fsync(file) == -1 || close(file) == -1) {
        fail("a scratch file", errno);
    }
    if (rename(scratch, path) == -1) {
        fail("rename", errno);
    }
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent == -1 || fsync(parent) == -1) {
        fail("fsync of the folder", errno);
    }
    close(parent);
}

static void store_once(void) {
    store_as("mebibyte");
}

static long stored;

static const char *new_name(long number) {
    static char name[32];
    snprintf(name, sizeof name, "new%ld", number);
    return name;
}

static void store_new(void) {
    store_as(new_name(stored++));
}

static void measure(const char *name, void (*call)(void), long count) {
    uint64_t *times = take((size_t)count * sizeof(uint64_t));
    for (long i = 0; i < count; i++) {
        uint64_t start = now_ns();
        call();
        times[i] = now_ns() - start;
    }
    print_percentiles(name, times, (size_t)count);
    free(times);
}

int main(int argc, char **argv) {
    char path[4096];
    if (argc != 4) {
        fprintf(stderr, "usage: file-calls FOLDER stat|read|write|store COUNT\n");
        return 2;
    }
    folder = argv[1];
    // Memory of its own: what nothing was ever written to is one page of the kernel's, over and over.
    memset(buffer, 7, sizeof buffer);
    long count = positive_argument(argv[3], "COUNT");
    if (strcmp(argv[2], "stat") == 0) {
        measure_stat("stat_known", false, count);
        measure_stat("stat_new", true, count);
        return 0;
    }
    write_once();
    opened = open_file(O_RDWR);
    if (strcmp(argv[2], "read") == 0) {
        measure("read", read_once, count);
        measure("read_open", read_open, count);
    } else if (strcmp(argv[2], "store") == 0) {
        measure("store", store_once, count);
        measure("store_new", store_new, count);
        while (stored > 0) {
            snprintf(path, sizeof path, "%s/%s", folder, new_name(--stored));
            unlink(path);
        }
    } else {
        measure("write", write_once, count);
        measure("write_open", write_open, count);
    }
    snprintf(path, sizeof path, "%s/mebibyte", folder);
    unlink(path);
    return 0;
}

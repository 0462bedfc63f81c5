// Reference for messages: two processes, each with one libuv loop, joined by a socket pair; each on a processor of its
// own where there are two, because what the scheduler would choose changes from run to run, and the figures with it.
//
//   pipe-echo round-trip SIZE COUNT    one message of SIZE bytes at a time, echoed once it is whole:
//                                      round_trip_p50_ns, round_trip_p99_ns
//   pipe-echo one-way SIZE COUNT       as many messages as the pipe takes, one write each; the other side answers the
//                                      last one with a byte: messages_per_s, bytes_per_s

#include "measure.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

struct side {
    uv_pipe_t pipe;
    char *incoming;
    size_t capacity; // bytes of incoming
    char *outgoing;
    size_t expected; // bytes of the next whole message
    size_t received;
    size_t size;
    void (*on_message)(struct side *);

    long left; // messages still to be sent or received
    long in_flight;
    long count;
    uint64_t sent_at;
    uint64_t *times;
};

// As many as keep the pipe full; more would only measure the memory for them.
enum { most_in_flight = 256, least_capacity = 65536 };

static void hand_out_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)suggested;
    struct side *side = handle->data;
    *buffer = uv_buf_init(side->incoming + side->received, (unsigned)(side->expected - side->received));
}

static void take_bytes(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer) {
    (void)buffer;
    struct side *side = stream->data;
    if (got == UV_EOF) {
        uv_close((uv_handle_t *)stream, NULL);
        return;
    }
    if (got < 0) {
        fail("read", (int)-got);
    }
    side->received += (size_t)got;
    if (side->received == side->expected) {
        side->received = 0;
        side->on_message(side);
    }
}

static void written(uv_write_t *request, int status) {
    free(request);
    if (status < 0 && status != UV_ECANCELED) {
        fail("write", -status);
    }
}

static void send_bytes(struct side *side, size_t size, uv_write_cb done) {
    uv_write_t *request = take(sizeof *request);
    uv_buf_t buffer = uv_buf_init(side->outgoing, (unsigned)size);
    request->data = side;
    int rc = uv_write(request, (uv_stream_t *)&side->pipe, &buffer, 1, done);
    if (rc < 0) {
        fail("uv_write", -rc);
    }
}

static void echo(struct side *side) {
    send_bytes(side, side->size, written);
}

static void next_round_trip(struct side *side) {
    uint64_t now = now_ns();
    if (side->sent_at != 0) {
        side->times[side->count - side->left] = now - side->sent_at;
        side->left--;
    }
    if (side->left == 0) {
        uv_close((uv_handle_t *)&side->pipe, NULL);
        return;
    }
    side->sent_at = now;
    send_bytes(side, side->size, written);
}

// Takes bytes as they come, many messages at once; the buffer is used over and over.
static void hand_out_whole_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)suggested;
    struct side *side = handle->data;
    *buffer = uv_buf_init(side->incoming, (unsigned)side->capacity);
}

static void count_bytes(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer) {
    struct side *side = stream->data;
    if (got < 0) {
        take_bytes(stream, got, buffer);
        return;
    }
    side->received += (size_t)got;
    if (side->received == side->size * (size_t)side->count) {
        send_bytes(side, 1, written);
    }
}

static void fill_pipe(struct side *side);

static void one_way_written(uv_write_t *request, int status) {
    struct side *side = request->data;
    written(request, status);
    side->in_flight--;
    fill_pipe(side);
}

static void fill_pipe(struct side *side) {
    while (side->left > 0 && side->in_flight < most_in_flight) {
        side->left--;
        side->in_flight++;
        send_bytes(side, side->size, one_way_written);
    }
}

static void all_arrived(struct side *side) {
    uv_close((uv_handle_t *)&side->pipe, NULL);
}

static void pin_to_processor(int number) {
    cpu_set_t set;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        return;
    }
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    if (sched_setaffinity(0, sizeof set, &set) == -1) {
        fail("sched_setaffinity", errno);
    }
}

static void run(struct side *side, int descriptor, uv_alloc_cb hand_out, uv_read_cb take_in,
                void (*start)(struct side *)) {
    uv_loop_t *loop = uv_default_loop();
    side->capacity = side->size < least_capacity ? least_capacity : side->size;
    side->incoming = take(side->capacity);
    side->outgoing = take(side->size);
    memset(side->outgoing, 'x', side->size);
    uv_pipe_init(loop, &side->pipe, 0);
    side->pipe.data = side;
    int rc = uv_pipe_open(&side->pipe, descriptor);
    if (rc < 0) {
        fail("uv_pipe_open", -rc);
    }
    uv_read_start((uv_stream_t *)&side->pipe, hand_out, take_in);
    if (start != NULL) {
        start(side);
    }
    uv_run(loop, UV_RUN_DEFAULT);
}

int main(int argc, char **argv) {
    bool round_trip = argc == 4 && strcmp(argv[1], "round-trip") == 0;
    if (!round_trip && !(argc == 4 && strcmp(argv[1], "one-way") == 0)) {
        fprintf(stderr, "usage: pipe-echo round-trip|one-way SIZE COUNT\n");
        return 2;
    }
    struct side side = {.size = (size_t)positive_argument(argv[2], "SIZE"),
                        .count = positive_argument(argv[3], "COUNT")};
    side.left = side.count;
    side.expected = side.size;

    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == -1) {
        fail("socketpair", errno);
    }
    pid_t child = fork();
    if (child == -1) {
        fail("fork", errno);
    }
    close(ends[child == 0 ? 0 : 1]);
    pin_to_processor(child == 0);
    if (child == 0) {
        if (round_trip) {
            side.on_message = echo;
            run(&side, ends[1], hand_out_buffer, take_bytes, NULL);
        } else {
            run(&side, ends[1], hand_out_whole_buffer, count_bytes, NULL);
        }
        return 0;
    }
    uint64_t start = now_ns();
    if (round_trip) {
        side.times = take((size_t)side.count * sizeof *side.times);
        side.on_message = next_round_trip;
        run(&side, ends[0], hand_out_buffer, take_bytes, next_round_trip);
        print_percentiles("round_trip", side.times, (size_t)side.count);
    } else {
        side.expected = 1;
        side.on_message = all_arrived;
        run(&side, ends[0], hand_out_buffer, take_bytes, fill_pipe);
        double seconds = (double)(now_ns() - start) / 1e9;
        printf("messages_per_s=%.0f\n", (double)side.count / seconds);
        printf("bytes_per_s=%.0f\n", (double)side.count * (double)side.size / seconds);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "the other side ended with status %d\n", status);
        return 1;
    }
    return 0;
}

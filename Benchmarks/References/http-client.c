// Reference for requests: a plain libsoup client with the session's own defaults, one asynchronous GET at a time on GLib's
// main loop, each body read whole.
//
//   http-client URL COUNT    request_p50_ns, request_p99_ns

#include "measure.h"

#include <libsoup/soup.h>

struct client {
    SoupSession *session;
    GUri *uri;
    GMainLoop *loop;
    long left;
    long count;
    uint64_t sent_at;
    uint64_t *times;
};

static void ask(struct client *client);

static void answered(GObject *session, GAsyncResult *result, gpointer data) {
    struct client *client = data;
    GError *error = NULL;
    GBytes *body = soup_session_send_and_read_finish(SOUP_SESSION(session), result, &error);
    if (error != NULL) {
        fprintf(stderr, "request: %s\n", error->message);
        exit(1);
    }
    if (g_bytes_get_size(body) != 1024) {
        fprintf(stderr, "the body has %zu bytes, not 1024\n", g_bytes_get_size(body));
        exit(1);
    }
    g_bytes_unref(body);
    client->times[client->count - client->left] = now_ns() - client->sent_at;
    client->left--;
    if (client->left > 0) {
        ask(client);
    } else {
        g_main_loop_quit(client->loop);
    }
}

static void ask(struct client *client) {
    client->sent_at = now_ns();
    SoupMessage *message = soup_message_new_from_uri("GET", client->uri);
    soup_session_send_and_read_async(client->session, message, G_PRIORITY_DEFAULT, NULL, answered, client);
    g_object_unref(message);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: http-client URL COUNT\n");
        return 2;
    }
    struct client client = {.count = positive_argument(argv[2], "COUNT")};
    client.uri = g_uri_parse(argv[1], SOUP_HTTP_URI_FLAGS, NULL);
    if (client.uri == NULL) {
        fprintf(stderr, "%s is no URL\n", argv[1]);
        return 2;
    }
    client.session = soup_session_new();
    client.loop = g_main_loop_new(NULL, FALSE);
    client.left = client.count;
    client.times = take((size_t)client.count * sizeof *client.times);
    ask(&client);
    g_main_loop_run(client.loop);
    print_percentiles("request", client.times, (size_t)client.count);
    return 0;
}

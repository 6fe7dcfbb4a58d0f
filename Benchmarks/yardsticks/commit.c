// The yardstick for durable changes: the loop of epoll.c with group commit.
//
//     commit PORT DIRECTORY [ANSWER_BYTES [LINE_BYTES]]
//
// Each request that is not a GET appends a line of LINE_BYTES (1,024) to DIRECTORY/log. At the end of
// a turn one write and one fdatasync cover all lines of the turn, and then, and only then, their
// answers leave. The sync is inline: nothing else happens meanwhile, and what arrives during it
// is the next turn's batch. Answers to connections that only read leave before the sync.

#include "http.h"
#include <fcntl.h>

enum { LINE_BYTES_MIN = 64, PENDING_MAX = 8 << 20 };

static size_t line_bytes = 1024;

static char pending[PENDING_MAX];
static size_t pending_bytes;

static void append_line(uint64_t number) {
    if (pending_bytes + line_bytes > sizeof pending) die("more lines in a turn than there is room");
    char *line = pending + pending_bytes;
    int head = snprintf(line, line_bytes, "{\"n\":%llu,\"s\":\"", (unsigned long long)number);
    memset(line + head, 'x', line_bytes - (size_t)head);
    memcpy(line + line_bytes - 3, "\"}\n", 3);
    pending_bytes += line_bytes;
}

static void commit(int log) {
    for (size_t done = 0; done < pending_bytes;) {
        ssize_t count = write(log, pending + done, pending_bytes - done);
        if (count < 0 && errno != EINTR) die("write");
        if (count > 0) done += (size_t)count;
    }
    if (fdatasync(log) != 0) die("fdatasync");
    pending_bytes = 0;
}

// Reads a connection and counts what it is owed; true if something of it waits for the sync.
static bool take(struct connection *connection, const struct answer *answer, bool *alive) {
    static uint64_t number;
    size_t taken = 0, length, before = pending_bytes;
    *alive = connection->debt > 0 || receive(connection);
    while ((length = request_length(connection->in + taken, connection->used - taken)) > 0) {
        if (connection->in[taken] != 'G') append_line(++number);
        taken += length;
        connection->debt += answer->length;
    }
    consume(connection, taken);
    return pending_bytes > before;
}

static void turn(int poll, int listener, int log, const struct answer *answer) {
    struct epoll_event events[EVENTS_MAX];
    struct connection *held[EVENTS_MAX];
    int ready = epoll_wait(poll, events, EVENTS_MAX, -1), holding = 0;
    for (int i = 0; i < ready; i++) {
        struct connection *connection = events[i].data.ptr;
        bool alive = true;
        if (connection == NULL)
            accept_all(poll, listener, sizeof *connection);
        else if (take(connection, answer, &alive) && alive)
            held[holding++] = connection;
        else if (!alive || !pay(poll, connection, answer))
            hang_up(connection);
    }
    if (pending_bytes > 0) commit(log);
    for (int i = 0; i < holding; i++)
        if (!pay(poll, held[i], answer)) hang_up(held[i]);
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: commit PORT DIRECTORY [ANSWER_BYTES [LINE_BYTES]]\n");
        return 64;
    }
    if (count > 4) line_bytes = strtoul(arguments[4], NULL, 10);
    if (line_bytes < LINE_BYTES_MIN) die("lines are too short");
    if (chdir(arguments[2]) != 0) die(arguments[2]);
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0) die("log");
    struct answer answer = fixed_answer(count > 3 ? strtoul(arguments[3], NULL, 10) : 650);
    int listener = listen_on(atoi(arguments[1]));
    int poll = epoll_create1(EPOLL_CLOEXEC);
    watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    for (;;) turn(poll, listener, log, &answer);
}

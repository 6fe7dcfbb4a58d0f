// The common part of the bare HTTP/1.1 loops: a listening socket, a connection with its buffer, and
// the framing of a request. It is the least that a fair comparison needs, not a server:
//
//   - a request is its head up to the first CR LF CR LF and then as many bytes as Content-Length
//     says (no such field: none); nothing else of the head is looked at but the first byte of the
//     method, and for the broadcaster the target;
//   - keep-alive and pipelining, in order; no chunked bodies, no deadlines, no limits but the
//     size of the buffer, and a request that does not fit in it closes the connection;
//   - answers are kept as a debt in bytes, so that a slow reader costs no memory, and nothing
//     more is read from a connection before its debt is paid.

#pragma once

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_MAX = 512, REQUEST_BYTES_MAX = 16384 };

struct connection {
    int fd;
    bool waiting;  // for room to write: EPOLLOUT is asked for, and nothing else
    size_t used;   // bytes in `in`
    size_t debt;   // bytes of answers that are still to be written
    char in[REQUEST_BYTES_MAX];
};

static inline void die(const char *what) {
    perror(what);
    exit(1);
}

// As many descriptors as the system allows; ten thousand subscribers are beyond the usual 1,024.
static inline void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static inline struct sockaddr_in loopback(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline int listen_on(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = loopback(port);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
    if (listen(fd, 4096) != 0) die("listen");
    return fd;
}

static inline void watch(int poll, int operation, int fd, uint32_t events, void *data) {
    struct epoll_event event = {.events = events, .data.ptr = data};
    if (epoll_ctl(poll, operation, fd, &event) != 0) die("epoll_ctl");
}

// Accepts everybody who waits; `bytes` is the size of a connection, which starts with a
// `struct connection`.
static inline void accept_all(int poll, int listener, size_t bytes) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
        if (fd < 0) return;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, bytes);
        if (connection == NULL) die("calloc");
        connection->fd = fd;
        watch(poll, EPOLL_CTL_ADD, fd, EPOLLIN, connection);
    }
}

// One read of what has come; false when the connection has ended or its buffer is full.
static inline bool receive(struct connection *connection) {
    size_t room = sizeof connection->in - connection->used;
    char *end = connection->in + connection->used;
    ssize_t count = room == 0 ? 0 : recv(connection->fd, end, room, 0);
    if (count > 0) connection->used += (size_t)count;
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

// The length of the request that `bytes` begins with, or 0 while it is not complete.
static inline size_t request_length(const char *bytes, size_t count) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    size_t length = (size_t)(end - bytes) + 4, body = 0;
    const char *line = bytes;
    while (bytes[0] != 'G' && (line = memchr(line, '\n', (size_t)(end - line))) != NULL) {
        line += 1;
        if (end - line > 15 && strncasecmp(line, "content-length:", 15) == 0)
            body = strtoul(line + 15, NULL, 10);
    }
    return count < length + body ? 0 : length + body;
}

// Drops the first `taken` bytes, which have been dealt with.
static inline void consume(struct connection *connection, size_t taken) {
    if (taken == 0) return;
    connection->used -= taken;
    if (connection->used > 0)
        memmove(connection->in, connection->in + taken, connection->used);
}

// A fixed answer, repeated in one buffer so that pipelined requests are answered by one call.
struct answer {
    char *bytes;
    size_t length;
    size_t copies;
};

// An answer whose head and body together are `length` bytes: JSON, as a session's would be.
static inline struct answer fixed_answer(size_t length) {
    char head[256];
    const char *form = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       "Date: Sat, 21 Nov 2026 10:00:00 GMT\r\n"
                       "ETag: \"0199f3c2a7e84d3b9c51-184320\"\r\n"
                       "Content-Length: %zu\r\n\r\n";
    size_t body = length - 160;
    size_t head_length = (size_t)snprintf(head, sizeof head, form, body);
    body = length - head_length;
    head_length = (size_t)snprintf(head, sizeof head, form, body);
    struct answer answer = {.length = head_length + body, .copies = 1 + 65536 / length};
    answer.bytes = malloc(answer.length * answer.copies);
    memcpy(answer.bytes, head, head_length);
    memset(answer.bytes + head_length, 'x', body);
    memcpy(answer.bytes + head_length, "{\"id\":\"", 7);
    memcpy(answer.bytes + answer.length - 2, "\"}", 2);
    for (size_t copy = 1; copy < answer.copies; copy++)
        memcpy(answer.bytes + copy * answer.length, answer.bytes, answer.length);
    return answer;
}

// Pays as much of the debt as the socket takes; false when the connection has ended.
static inline bool pay(int poll, struct connection *connection, const struct answer *answer) {
    while (connection->debt > 0) {
        size_t begin = (answer->length - connection->debt % answer->length) % answer->length;
        size_t most = answer->length * answer->copies - begin;
        size_t count = connection->debt < most ? connection->debt : most;
        ssize_t sent = send(connection->fd, answer->bytes + begin, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (sent < 0) break;
        connection->debt -= (size_t)sent;
    }
    bool waiting = connection->debt > 0;
    if (waiting != connection->waiting) {
        watch(poll, EPOLL_CTL_MOD, connection->fd, waiting ? EPOLLOUT : EPOLLIN, connection);
        connection->waiting = waiting;
    }
    return true;
}

static inline void hang_up(struct connection *connection) {
    close(connection->fd);
    free(connection);
}

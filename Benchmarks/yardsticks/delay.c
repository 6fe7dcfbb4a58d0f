// A longer way between machines, for what is measured on one: whatever arrives at LISTEN leaves to
// PORT so many milliseconds later, and what comes back takes as long again.
//
//     delay MILLISECONDS LISTEN:PORT [LISTEN:PORT ...]
//
// All ports are those of 127.0.0.1. Since everything takes equally long, what has arrived leaves in
// the order in which it arrived, and one queue is enough. The ends read all the time, so sending
// may block. Connections are few, and what belongs to one is never freed.

#include "http.h"
#include <time.h>

enum { PIECE_BYTES = 1 << 16, ROUTES_MAX = 16 };

// One end of a connection through here. It is read until it has no more to say.
struct end {
    int fd;
    struct end *other;
};

// Bytes that arrived at one end, and when they leave at the other. No bytes: the end of the input.
struct piece {
    struct piece *next;
    struct end *to;
    int64_t leaves;  // nanoseconds
    size_t count;
    char bytes[];
};

struct route {
    int listener, port;
};

static struct route routes[ROUTES_MAX];
static struct piece *first, **last = &first;
static int64_t delay;
static int poll;

static int64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct end *new_end(int fd) {
    int on = 1;
    struct end *end = calloc(1, sizeof *end);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    end->fd = fd;
    return end;
}

static void accept_one(const struct route *route) {
    int from = accept4(route->listener, NULL, NULL, SOCK_CLOEXEC);
    if (from < 0) return;
    int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(route->port);
    if (connect(to, (struct sockaddr *)&address, sizeof address) != 0) {
        close(from);
        close(to);
        return;
    }
    struct end *one = new_end(from), *other = new_end(to);
    one->other = other;
    other->other = one;
    watch(poll, EPOLL_CTL_ADD, from, EPOLLIN, one);
    watch(poll, EPOLL_CTL_ADD, to, EPOLLIN, other);
}

static void take(struct end *end) {
    static char bytes[PIECE_BYTES];
    ssize_t count = recv(end->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) watch(poll, EPOLL_CTL_DEL, end->fd, 0, NULL);
    struct piece *piece = malloc(sizeof *piece + (count > 0 ? (size_t)count : 0));
    *piece = (struct piece){.to = end->other, .leaves = nanoseconds() + delay};
    if (count > 0) memcpy(piece->bytes, bytes, piece->count = (size_t)count);
    *last = piece;
    last = &piece->next;
}

// An end that has gone says so when it is read.
static void deliver(const struct piece *piece) {
    if (piece->count == 0) shutdown(piece->to->fd, SHUT_WR);
    for (size_t sent = 0; sent < piece->count;) {
        ssize_t count = send(piece->to->fd, piece->bytes + sent, piece->count - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        sent += (size_t)count;
    }
}

// Delivers what is due; the time until more is, or -1.
static int64_t deliver_due(void) {
    while (first != NULL) {
        int64_t left = first->leaves - nanoseconds();
        if (left > 0) return left;
        struct piece *piece = first;
        first = piece->next;
        if (first == NULL) last = &first;
        deliver(piece);
        free(piece);
    }
    return -1;
}

static void turn(void) {
    struct epoll_event events[EVENTS_MAX];
    int64_t left = deliver_due();
    struct timespec wait = {.tv_sec = left / 1000000000LL, .tv_nsec = left % 1000000000LL};
    int ready = epoll_pwait2(poll, events, EVENTS_MAX, left < 0 ? NULL : &wait, NULL);
    for (int i = 0; i < ready; i++) {
        struct route *route = events[i].data.ptr;
        if (route >= routes && route < routes + ROUTES_MAX)
            accept_one(route);
        else
            take(events[i].data.ptr);
    }
}

int main(int count, char **arguments) {
    if (count < 3 || count - 2 > ROUTES_MAX) {
        fprintf(stderr, "usage: delay MILLISECONDS LISTEN:PORT [LISTEN:PORT ...]\n");
        return 64;
    }
    delay = (int64_t)(atof(arguments[1]) * 1e6);
    poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 2; i < count; i++) {
        struct route *route = &routes[i - 2];
        route->listener = listen_on(atoi(arguments[i]));
        route->port = atoi(strchr(arguments[i], ':') + 1);
        watch(poll, EPOLL_CTL_ADD, route->listener, EPOLLIN, route);
    }
    for (;;) turn();
}

// The yardstick for live streams: how fast one core can tell everybody.
//
//     broadcast PORT [EVENT_BYTES]
//
//   GET …/s-N/events   a server-sent event stream (chunked): a snapshot, then every change
//   POST …/s-N/…       one change: answered first, then sent to all who watch that session
//   GET anything else  the fixed answer
//
// Nothing is stored. An event's bytes follow from its revision alone and have the same length
// always, so that a subscriber who lags is a revision and an offset, and nothing is ever queued,
// lost or sent twice; subscribers who stand at the same place are sent the same rendered bytes.

#include "http.h"

enum {
    SESSIONS_MAX = 16384,
    RENDERED_BYTES_MAX = 65536,
    CHANGES_MAX = REQUEST_BYTES_MAX / 16,  // in one buffer: no request is shorter than that
};

struct subscriber {
    struct connection connection;
    struct session *session;          // none: an ordinary connection
    struct subscriber *next, **link;  // the session's list, and the pointer that points here
    uint64_t revision;                // the event that is being sent
    size_t offset;                    // bytes of it that are sent
};

struct session {
    uint64_t revision;
    struct subscriber *first;
};

static struct session sessions[SESSIONS_MAX];
static struct answer answer;
static size_t event_bytes = 950;
static int poll;

static void render_one(char *chunk, const char *name, uint64_t revision) {
    size_t data = event_bytes - 8;  // without the chunk's own four digits and two CR LF
    unsigned long long number = revision;
    char head[160];
    int size = snprintf(head, sizeof head,
                        "%04zx\r\nid: %llu\nevent: %s\ndata: {\"revision\":%llu,\"x\":\"",
                        data, number, name, number);
    memset(chunk, 'x', event_bytes);
    memcpy(chunk, head, (size_t)size);
    memcpy(chunk + event_bytes - 6, "\"}\n\n\r\n", 6);
}

// The changes of `from` up to and with `last`, as many as fit.
static const char *render(uint64_t from, uint64_t last, size_t *length) {
    static char bytes[RENDERED_BYTES_MAX];
    static uint64_t first, count;
    uint64_t most = sizeof bytes / event_bytes, wanted = last - from + 1;
    if (wanted > most) wanted = most;
    if (first != from || count < wanted) {
        for (uint64_t i = 0; i < wanted; i++)
            render_one(bytes + i * event_bytes, "change", from + i);
        first = from;
        count = wanted;
    }
    *length = wanted * event_bytes;
    return bytes;
}

// Sends what the subscriber does not have yet; false when the connection has ended.
static bool catch_up(struct subscriber *subscriber) {
    uint64_t last = subscriber->session->revision;
    bool blocked = false;
    while (!blocked && subscriber->revision <= last) {
        size_t length;
        const char *bytes = render(subscriber->revision, last, &length);
        ssize_t sent = send(subscriber->connection.fd, bytes + subscriber->offset,
                            length - subscriber->offset, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
        blocked = sent < 0;
        if (blocked) break;
        subscriber->offset += (size_t)sent;
        subscriber->revision += subscriber->offset / event_bytes;
        subscriber->offset %= event_bytes;
    }
    if (blocked != subscriber->connection.waiting) {
        uint32_t events = blocked ? EPOLLIN | EPOLLOUT : EPOLLIN;
        watch(poll, EPOLL_CTL_MOD, subscriber->connection.fd, events, subscriber);
        subscriber->connection.waiting = blocked;
    }
    return true;
}

static void leave(struct subscriber *subscriber) {
    if (subscriber->session != NULL) {
        *subscriber->link = subscriber->next;
        if (subscriber->next != NULL) subscriber->next->link = subscriber->link;
    }
    hang_up(&subscriber->connection);
}

static void subscribe(struct subscriber *subscriber, struct session *session) {
    char bytes[4096];
    const char *head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                       "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n";
    size_t length = strlen(head);
    memcpy(bytes, head, length);
    render_one(bytes + length, "snapshot", session->revision);
    send(subscriber->connection.fd, bytes, length + event_bytes, MSG_NOSIGNAL);
    subscriber->session = session;
    subscriber->revision = session->revision + 1;
    subscriber->next = session->first;
    subscriber->link = &session->first;
    if (session->first != NULL) session->first->link = &subscriber->next;
    session->first = subscriber;
}

static void broadcast(struct session *session) {
    // Who has gone is told by an event of its own; freeing it here would leave that one dangling.
    for (struct subscriber *each = session->first; each != NULL; each = each->next)
        if (!each->connection.waiting) catch_up(each);
}

static struct session *session_in(const char *request, size_t length) {
    const char *end = memchr(request, '\n', length), *name = NULL;
    if (end != NULL) name = memmem(request, (size_t)(end - request), "/s-", 3);
    return &sessions[(name == NULL ? 0 : strtoul(name + 3, NULL, 10)) % SESSIONS_MAX];
}

static void serve(struct subscriber *subscriber) {
    struct session *changed[CHANGES_MAX];
    struct connection *connection = &subscriber->connection;
    size_t taken = 0, length, changes = 0;
    bool alive = connection->debt > 0 || receive(connection);
    while ((length = request_length(connection->in + taken, connection->used - taken)) > 0) {
        const char *request = connection->in + taken;
        struct session *session = session_in(request, length);
        taken += length;
        if (request[0] == 'G' && memmem(request, length, "/events ", 8) != NULL) {
            subscribe(subscriber, session);
            continue;
        }
        connection->debt += answer.length;
        if (request[0] == 'G') continue;
        session->revision += 1;
        changed[changes++] = session;
    }
    consume(connection, taken);
    alive = alive && (subscriber->session != NULL || pay(poll, connection, &answer));
    for (size_t i = 0; i < changes; i++) broadcast(changed[i]);
    if (!alive) leave(subscriber);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: broadcast PORT [EVENT_BYTES]\n");
        return 64;
    }
    if (count > 2) event_bytes = strtoul(arguments[2], NULL, 10);
    if (event_bytes < 256 || event_bytes > 3072) event_bytes = 950;
    for (int i = 0; i < SESSIONS_MAX; i++) sessions[i].revision = 1;
    answer = fixed_answer(650);
    int listener = listen_on(atoi(arguments[1]));
    poll = epoll_create1(EPOLL_CLOEXEC);
    raise_descriptor_limit();
    watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    struct epoll_event events[EVENTS_MAX];
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int i = 0; i < ready; i++) {
            struct subscriber *subscriber = events[i].data.ptr;
            if (subscriber == NULL)
                accept_all(poll, listener, sizeof *subscriber);
            else if (subscriber->session != NULL && (events[i].events & EPOLLOUT)) {
                if (!catch_up(subscriber)) leave(subscriber);
            } else
                serve(subscriber);
        }
    }
}

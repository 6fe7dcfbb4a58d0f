// The client of the stream workloads: one writer and many subscribers, counting.
//
//     subscribers PORT SESSIONS SUBSCRIBERS SECONDS WINDOW RATE
//
// SUBSCRIBERS connections follow /v1/sessions/s-NNNNNNN/events, shared out over the SESSIONS in
// turn. When all have had their snapshot, one more connection changes the sessions in turn, by
// navigate and back alternating, for SECONDS, with at most WINDOW changes that have not reached
// all their subscribers. RATE is the number of changes a second; 0 sends each as soon as the one
// before is answered. It runs on one thread, so that it can be pinned to the core that the server
// does not have.
//
// It prints one JSON object. `answerToLast` is the time from the writer's answer to the last
// delivery of that change (0 if everybody knew first), `postToLast` from the writer's request.
// Changes are known by their revision: session s's k-th change is the (k * SESSIONS + s)-th of
// all. A delivery out of order, one missing after GRACE_SECONDS, an answer other than 200 and a
// connection that ends are counted, and must all be 0.

#include "http.h"
#include <time.h>

enum { LINE_MAX_KEPT = 64, POSTS_MAX = 1 << 22, READ_BYTES = 65536, GRACE_SECONDS = 5 };

enum part { HEAD, SIZE, DATA };
enum kind { OTHER, SNAPSHOT, CHANGE };

struct line {
    char text[LINE_MAX_KEPT];  // its beginning; the rest of a long line is not needed
    size_t used;
};

struct subscriber {
    int fd, session;
    enum part part;
    enum kind kind;
    size_t left;           // bytes of the chunk that are still to come
    struct line frame;     // of the head and the chunk sizes
    struct line event;     // of the event stream
    uint64_t revision;     // the last one seen; 0 before the snapshot
};

struct post {
    double sent, answered, last;
    int missing;  // subscribers that do not have it yet
};

static struct post *posts;
static uint64_t *base;  // each session's revision before the first post
static uint64_t sent, answered, complete, deliveries, failed, disordered, ended;
static int session_count, subscriber_count, ready_count, poll, port;
static double now;

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int connect_to_server(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = loopback(port);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void delivered(struct subscriber *subscriber, uint64_t revision) {
    disordered += revision != subscriber->revision + 1;
    subscriber->revision = revision;
    uint64_t index = (revision - base[subscriber->session] - 1) * (uint64_t)session_count +
                     (uint64_t)subscriber->session;
    if (index >= sent) {
        failed += 1;  // a change that nobody asked for
        return;
    }
    deliveries += 1;
    posts[index].last = now;
    posts[index].missing -= 1;
    if (posts[index].missing == 0) complete += 1;
}

static void take_event_line(struct subscriber *subscriber, const char *text, size_t length) {
    static const char data[] = "data: {\"revision\":";
    if (length >= 6 && memcmp(text, "event:", 6) == 0) {
        bool change = length == 13 && memcmp(text + 7, "change", 6) == 0;
        bool snapshot = length == 15 && memcmp(text + 7, "snapshot", 8) == 0;
        subscriber->kind = change ? CHANGE : snapshot ? SNAPSHOT : OTHER;
    } else if (length > sizeof data && memcmp(text, data, sizeof data - 1) == 0) {
        uint64_t revision = strtoull(text + sizeof data - 1, NULL, 10);
        if (subscriber->kind == CHANGE) delivered(subscriber, revision);
        if (subscriber->kind == SNAPSHOT) {
            ready_count += 1;
            base[subscriber->session] = subscriber->revision = revision;
        }
    }
}

static void take_frame_line(struct subscriber *subscriber) {
    struct line *line = &subscriber->frame;
    bool empty = line->used == 0 || line->text[0] == '\r';
    line->text[line->used < LINE_MAX_KEPT ? line->used : LINE_MAX_KEPT - 1] = 0;
    if (subscriber->part == HEAD) {
        bool status = strncmp(line->text, "HTTP/", 5) == 0;
        failed += status && strncmp(line->text + 8, " 200", 4) != 0;
        if (strncasecmp(line->text, "transfer-encoding: chunked", 26) == 0) subscriber->left = 0;
        if (empty) subscriber->part = subscriber->left == 0 ? SIZE : DATA;
    } else if (!empty) {
        subscriber->left = strtoull(line->text, NULL, 16);
        subscriber->part = DATA;
    }
    line->used = 0;
}

// Takes bytes up to the end of a line, keeping its beginning; the bytes taken.
static size_t gather(struct line *line, const char *bytes, size_t count, bool *whole) {
    const char *end = memchr(bytes, '\n', count);
    size_t length = end == NULL ? count : (size_t)(end - bytes);
    size_t room = LINE_MAX_KEPT - line->used, kept = length < room ? length : room;
    memcpy(line->text + line->used, bytes, kept);
    line->used += kept;
    *whole = end != NULL;
    return length + (end != NULL);
}

static void take(struct subscriber *subscriber, const char *bytes, size_t count) {
    bool whole;
    while (count > 0) {
        bool data = subscriber->part == DATA;
        size_t most = data && subscriber->left < count ? subscriber->left : count;
        struct line *line = data ? &subscriber->event : &subscriber->frame;
        size_t taken = gather(line, bytes, most, &whole);
        bytes += taken;
        count -= taken;
        if (data) {
            subscriber->left -= taken;
            if (subscriber->left == 0) subscriber->part = SIZE;
        }
        if (!whole) continue;
        if (data)
            take_event_line(subscriber, line->text, line->used);
        else
            take_frame_line(subscriber);
        line->used = 0;
    }
}

static void read_subscriber(struct subscriber *subscriber) {
    static char buffer[READ_BYTES];
    ssize_t count = recv(subscriber->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
        now = clock_seconds();
        take(subscriber, buffer, (size_t)count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        ended += 1;
        close(subscriber->fd);
    }
}

static struct connection writer;

static void post_next(void) {
    static const char form[] = "POST /v1/sessions/s-%07d/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s";
    bool back = sent / (uint64_t)session_count % 2 == 1;
    int session = (int)(sent % (uint64_t)session_count);
    const char *body = back ? "{}" : "{\"route\":\"detail\",\"params\":{\"item\":{\"id\":\"42\"}}}";
    char request[512];
    const char *command = back ? "back" : "navigate";
    int length = snprintf(request, sizeof request, form, session, command, port, strlen(body),
                          body);
    int watchers = subscriber_count / session_count + (session < subscriber_count % session_count);
    posts[sent] = (struct post){.sent = clock_seconds(), .missing = watchers};
    sent += 1;
    if (send(writer.fd, request, (size_t)length, MSG_NOSIGNAL) != length) die("send");
}

static void read_answers(void) {
    size_t taken = 0;
    if (!receive(&writer)) die("the writer's connection");
    now = clock_seconds();
    for (;;) {
        const char *bytes = writer.in + taken;
        size_t length = request_length(bytes, writer.used - taken);  // answers are framed alike
        if (length == 0) break;
        failed += memcmp(bytes + 8, " 200", 4) != 0;
        posts[answered++].answered = now;
        taken += length;
    }
    consume(&writer, taken);
}

static void turn(int milliseconds) {
    struct epoll_event events[EVENTS_MAX];
    int ready = epoll_wait(poll, events, EVENTS_MAX, milliseconds);
    for (int i = 0; i < ready; i++) {
        if (events[i].data.ptr == &writer)
            read_answers();
        else
            read_subscriber(events[i].data.ptr);
    }
}

static void subscribe_all(struct subscriber *subscribers) {
    char request[256];
    for (int i = 0; i < subscriber_count; i++) {
        struct subscriber *each = &subscribers[i];
        *each = (struct subscriber){.session = i % session_count, .left = SIZE_MAX};
        int length = snprintf(request, sizeof request,
                              "GET /v1/sessions/s-%07d/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                              "Accept: text/event-stream\r\n\r\n", each->session, port);
        each->fd = connect_to_server();
        if (send(each->fd, request, (size_t)length, MSG_NOSIGNAL) != length) die("send");
        watch(poll, EPOLL_CTL_ADD, each->fd, EPOLLIN, each);
        turn(0);
    }
    double patience = clock_seconds() + 30;
    while (ready_count < subscriber_count && failed + ended == 0 && clock_seconds() < patience)
        turn(100);
    writer.fd = connect_to_server();
    watch(poll, EPOLL_CTL_ADD, writer.fd, EPOLLIN, &writer);
}

static void write_for(double seconds, uint64_t window, double rate) {
    double begin = clock_seconds(), time = begin;
    while (time - begin < seconds && ended == 0 && sent + window < POSTS_MAX) {
        uint64_t due = rate > 0 ? (uint64_t)((time - begin) * rate) + 1 : answered + 1;
        while (sent < due && sent < complete + window) post_next();
        turn(rate > 0 ? 1 : 100);
        time = clock_seconds();
    }
    double end = clock_seconds() + GRACE_SECONDS;
    while ((complete < sent || answered < sent) && clock_seconds() < end) turn(100);
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void print_count(const char *name, uint64_t count) {
    printf("\"%s\": %llu, ", name, (unsigned long long)count);
}

// The median and the 99th percentile of a time that each post took, in milliseconds.
static void print_times(const char *name, bool from_answer) {
    double *times = malloc((sent + 1) * sizeof *times);
    for (uint64_t i = 0; i < sent; i++) {
        double from = from_answer ? posts[i].answered : posts[i].sent;
        times[i] = posts[i].last > from ? (posts[i].last - from) * 1e3 : 0;
    }
    qsort(times, sent, sizeof *times, ascending);
    printf("\"%sP50\": %.4f, ", name, sent ? times[sent / 2] : 0);
    printf("\"%sP99\": %.4f, ", name, sent ? times[(uint64_t)((double)sent * 0.99)] : 0);
    free(times);
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: subscribers PORT SESSIONS SUBSCRIBERS SECONDS WINDOW RATE\n");
        return 64;
    }
    raise_descriptor_limit();
    port = atoi(arguments[1]);
    session_count = atoi(arguments[2]);
    subscriber_count = atoi(arguments[3]);
    posts = calloc(POSTS_MAX, sizeof *posts);
    base = calloc((size_t)session_count, sizeof *base);
    struct subscriber *subscribers = calloc((size_t)subscriber_count, sizeof *subscribers);
    if (posts == NULL || base == NULL || subscribers == NULL) die("calloc");
    poll = epoll_create1(EPOLL_CLOEXEC);
    subscribe_all(subscribers);
    double begin = clock_seconds();
    if (ready_count == subscriber_count)
        write_for(atof(arguments[4]), strtoull(arguments[5], NULL, 10), atof(arguments[6]));
    double seconds = clock_seconds() - begin;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < sent; i++)
        if (posts[i].missing > 0) lost += (uint64_t)posts[i].missing;
    printf("{");
    print_count("ready", (uint64_t)ready_count);
    print_count("posts", sent);
    print_count("deliveries", deliveries);
    print_count("failed", failed);
    print_count("lost", lost);
    print_count("disordered", disordered);
    print_count("ended", ended);
    print_times("answerToLast", true);
    print_times("postToLast", false);
    printf("\"seconds\": %.4f}\n", seconds);
}

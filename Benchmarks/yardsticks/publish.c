// The yardstick of the shared store: what its servers can do for a client that only publishes.
//
//     publish PORT[,PORT] WRITERS SECONDS SUBJECTS BYTES SHARDS ROOT STREAMS [feed]
//
// One connection to each NATS server at these ports of 127.0.0.1, and WRITERS that are shared out
// over them. Each writer publishes a record of BYTES bytes, with the sequence that its subject's
// last record must have, waits for the acknowledgement, and goes on to its next subject. The
// subjects are ROOT.SSS.s.PID-NNNNNNN for N below SUBJECTS, a multiple of WRITERS, spread over the
// SHARDS streams, STREAMS_SSS. That is the least that navstate must do for a change.
//
// With `feed`, the first connection also receives every record again from a consumer of each stream,
// as each navstate does to tell its streams.
//
// It prints one line of JSON like workload.lua; `p50` and `p99` are in µs. An answer that is not an
// acknowledgement counts as failed.

#include "http.h"
#include <poll.h>
#include <time.h>

enum {
    WRITERS_MAX = 1024,
    LINKS_MAX = 2,
    TIMES_MAX = 1 << 22,
    BUFFER_BYTES = 1 << 20,
    SUBJECT_BYTES = 64,
    GRACE_SECONDS = 10,
};

struct link {
    int fd;
    size_t used, out_used;
    char in[BUFFER_BYTES], out[BUFFER_BYTES];
};

struct writer {
    double sent;
    int subject;
    uint64_t turn;
};

static struct link links[LINKS_MAX];
static struct writer writers[WRITERS_MAX];
static uint64_t *last_sequences;
static double *times;
static uint64_t answered, failed, in_flight, delivered;
static int link_count, writer_count, subject_count, payload_bytes, shard_count;
static const char *root;
static char *payload;

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void put(struct link *link, const char *bytes, size_t count) {
    if (link->out_used + count > sizeof link->out) die("more is sent than fits into the buffer");
    memcpy(link->out + link->out_used, bytes, count);
    link->out_used += count;
}

static void flush(struct link *link) {
    for (size_t sent = 0; sent < link->out_used;) {
        ssize_t count = send(link->fd, link->out + sent, link->out_used - sent, 0);
        if (count <= 0) die("send");
        sent += (size_t)count;
    }
    link->out_used = 0;
}

// Each link has inboxes of its own, INBOX and its number.
#define INBOX "_INBOX.bench"

static void open_link(struct link *link, int port) {
    char hello[256];
    int length = snprintf(hello, sizeof hello,
                          "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true,"
                          "\"protocol\":1}\r\nSUB " INBOX "%d.* 1\r\n",
                          (int)(link - links));
    struct sockaddr_in address = loopback(port);
    int on = 1;
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(link->fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    put(link, hello, (size_t)length);
    flush(link);
}

// Has everything that is stored from now on delivered to the link, as subscription 2.
static void follow(struct link *link, const char *streams) {
    put(link, "SUB _INBOX.feed 2\r\n", 19);
    for (int shard = 0; shard < shard_count; shard++) {
        char body[512], head[256];
        int length = snprintf(body, sizeof body,
                              "{\"stream_name\":\"%s_%03d\",\"config\":{\"name\":\"bench%d\","
                              "\"deliver_subject\":\"_INBOX.feed\",\"deliver_policy\":\"new\","
                              "\"ack_policy\":\"none\",\"mem_storage\":true,\"num_replicas\":1,"
                              "\"inactive_threshold\":2000000000}}",
                              streams, shard, (int)getpid());
        int count = snprintf(head, sizeof head,
                             "PUB $JS.API.CONSUMER.CREATE.%s_%03d.bench%d _INBOX.feed %d\r\n", streams,
                             shard, (int)getpid(), length);
        put(link, head, (size_t)count);
        put(link, body, (size_t)length);
        put(link, "\r\n", 2);
    }
    flush(link);
}

static void publish(int number) {
    struct writer *writer = &writers[number];
    int rounds = subject_count / writer_count;
    writer->subject = (int)(writer->turn % (uint64_t)rounds) * writer_count + number;
    writer->turn += 1;
    char subject[SUBJECT_BYTES], headers[128], line[256];
    snprintf(subject, sizeof subject, "%s.%03d.s.%d-%07d", root, writer->subject % shard_count,
             (int)getpid(), writer->subject);
    int head = snprintf(headers, sizeof headers,
                        "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: %llu\r\n\r\n",
                        (unsigned long long)last_sequences[writer->subject]);
    int at = number % link_count;
    int length = snprintf(line, sizeof line, "HPUB %s " INBOX "%d.%d %d %d\r\n", subject, at,
                          number, head, head + payload_bytes);
    struct link *link = &links[at];
    put(link, line, (size_t)length);
    put(link, headers, (size_t)head);
    put(link, payload, (size_t)payload_bytes);
    put(link, "\r\n", 2);
    writer->sent = clock_seconds();
    in_flight += 1;
}

static void take_answer(int number, const char *body, double now, bool more) {
    struct writer *writer = &writers[number];
    const char *sequence = strstr(body, "\"seq\":");
    in_flight -= 1;
    if (sequence == NULL || strstr(body, "\"error\"") != NULL) {
        if (failed == 0) fprintf(stderr, "not an acknowledgement: %s\n", body);
        failed += 1;
    } else {
        last_sequences[writer->subject] = strtoull(sequence + 6, NULL, 10);
        if (answered < TIMES_MAX) times[answered++] = now - writer->sent;
    }
    if (more) publish(number);
}

// Takes whole operations from the beginning of the buffer; the number of bytes that were taken.
static size_t take(struct link *link, double now, bool more) {
    size_t taken = 0;
    while (true) {
        char *line = link->in + taken, *end = memchr(line, '\n', link->used - taken);
        if (end == NULL) return taken;
        size_t next = (size_t)(end + 1 - link->in);
        *end = 0;
        if (strncmp(line, "MSG ", 4) == 0 || strncmp(line, "HMSG ", 5) == 0) {
            size_t bytes = strtoull(strrchr(line, ' ') + 1, NULL, 10);
            if (next + bytes + 2 > link->used) {
                *end = '\n';
                return taken;
            }
            const char *subject = strchr(line, ' ') + 1;
            link->in[next + bytes] = 0;
            if (strncmp(subject, INBOX, sizeof INBOX - 1) == 0)
                take_answer(atoi(strchr(subject + sizeof INBOX, '.') + 1), link->in + next, now, more);
            else
                delivered += 1;
            next += bytes + 2;
        } else if (strncmp(line, "PING", 4) == 0) {
            put(link, "PONG\r\n", 6);
        } else if (strncmp(line, "-ERR", 4) == 0) {
            fprintf(stderr, "%s\n", line);
            exit(1);
        }
        taken = next;
    }
}

static void turn(double end) {
    struct pollfd polled[LINKS_MAX];
    for (int i = 0; i < link_count; i++) {
        flush(&links[i]);
        polled[i] = (struct pollfd){.fd = links[i].fd, .events = POLLIN};
    }
    if (poll(polled, (nfds_t)link_count, 100) < 0) die("poll");
    for (int i = 0; i < link_count; i++) {
        if (polled[i].revents == 0) continue;
        struct link *link = &links[i];
        ssize_t count =
            recv(link->fd, link->in + link->used, sizeof link->in - 1 - link->used, 0);
        if (count <= 0) die("a server closed the connection");
        link->used += (size_t)count;
        double now = clock_seconds();
        size_t taken = take(link, now, now < end);
        memmove(link->in, link->in + taken, link->used - taken);
        link->used -= taken;
    }
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double percentile(double part) {
    return answered == 0 ? 0 : times[(uint64_t)((double)(answered - 1) * part)] * 1e6;
}

int main(int count, char **arguments) {
    if (count < 9)
        die("usage: publish PORT[,PORT] WRITERS SECONDS SUBJECTS BYTES SHARDS ROOT STREAMS [feed]");
    writer_count = atoi(arguments[2]);
    double seconds = atof(arguments[3]);
    subject_count = atoi(arguments[4]);
    payload_bytes = atoi(arguments[5]);
    shard_count = atoi(arguments[6]);
    root = arguments[7];
    if (writer_count > WRITERS_MAX || subject_count % writer_count != 0) die("too many writers");
    for (char *port = strtok(arguments[1], ","); port != NULL && link_count < LINKS_MAX;
         port = strtok(NULL, ","))
        open_link(&links[link_count++], atoi(port));
    last_sequences = calloc((size_t)subject_count, sizeof *last_sequences);
    times = calloc(TIMES_MAX, sizeof *times);
    payload = malloc((size_t)payload_bytes);
    memset(payload, 'x', (size_t)payload_bytes);

    if (count > 9) follow(&links[0], arguments[8]);
    double began = clock_seconds(), end = began + seconds;
    for (int number = 0; number < writer_count; number++) publish(number);
    while (in_flight > 0 && clock_seconds() < end + GRACE_SECONDS) turn(end);
    double took = clock_seconds() - began;
    failed += in_flight;
    qsort(times, answered, sizeof *times, ascending);
    printf("{\"requests\": %llu, \"seconds\": %.6f, \"p50\": %.1f, \"p99\": %.1f, "
           "\"failed\": %llu, \"delivered\": %llu}\n",
           (unsigned long long)answered, took, percentile(0.5), percentile(0.99),
           (unsigned long long)failed, (unsigned long long)delivered);
    return 0;
}

// The common part of the clients of NATS servers: a connection with its buffers, records that are
// published on the condition of their subject's last sequence, and consumers that send the records
// back. It is the least that a fair comparison needs: no reconnecting, no TLS, no flow control.

#pragma once

#include "http.h"

enum { BUFFER_BYTES = 1 << 20, SUBJECT_BYTES = 64, FEED = -1 };

// A process receives answers at INBOX, its id, and the number of the link, and its feed at
// FEED_INBOX and its id. The answers to a process that has just ended still arrive, and so do the
// records of its consumers: they must not reach the next one.
#define INBOX "_INBOX.bench."
#define FEED_INBOX "_INBOX.feed."

struct link {
    int fd, number;
    size_t used, taken, out_used;
    char in[BUFFER_BYTES], out[BUFFER_BYTES];
};

// The records of this process: `bytes` each, on the subjects ROOT.SSS.s.PID-NNNNNNN, which are
// spread over the SHARDS streams, STREAMS_SSS.
struct records {
    const char *root, *streams;
    int shards, bytes;
    char *payload;
    uint64_t *last_sequences;  // by the number of the subject
};

// A message that a link has received: a record from the feed, or the answer to the one put as
// `number`.
struct message {
    int number;
    const char *body;
};

static inline struct records new_records(const char *root, const char *streams, int shards,
                                         int bytes, int subjects) {
    struct records records = {.root = root, .streams = streams, .shards = shards, .bytes = bytes};
    records.last_sequences = calloc((size_t)subjects, sizeof *records.last_sequences);
    records.payload = malloc((size_t)bytes);
    memset(records.payload, 'x', (size_t)bytes);
    return records;
}

static inline void put(struct link *link, const char *bytes, size_t count) {
    if (link->out_used + count > sizeof link->out) die("more is sent than fits into the buffer");
    memcpy(link->out + link->out_used, bytes, count);
    link->out_used += count;
}

// Sends what the socket takes, which is everything unless it is non-blocking; the rest stays.
static inline void flush(struct link *link) {
    size_t sent = 0;
    while (sent < link->out_used) {
        ssize_t count = send(link->fd, link->out + sent, link->out_used - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) die("send");
        sent += (size_t)count;
    }
    link->out_used -= sent;
    if (link->out_used > 0) memmove(link->out, link->out + sent, link->out_used);
}

static inline void open_link(struct link *link, int number, int port) {
    char hello[256];
    int length = snprintf(hello, sizeof hello,
                          "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true,"
                          "\"protocol\":1}\r\nSUB " INBOX "%d.%d.* 1\r\n",
                          (int)getpid(), number);
    struct sockaddr_in address = loopback(port);
    int on = 1;
    link->number = number;
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(link->fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    put(link, hello, (size_t)length);
    flush(link);
}

// One read of what has come.
static inline void receive_more(struct link *link) {
    ssize_t count = recv(link->fd, link->in + link->used, sizeof link->in - 1 - link->used, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) die("a server closed the connection");
    link->used += (size_t)count;
}

// Drops what has been taken from the beginning of the buffer; that there is no more to take.
static inline bool no_message(struct link *link) {
    memmove(link->in, link->in + link->taken, link->used - link->taken);
    link->used -= link->taken;
    link->taken = 0;
    return false;
}

// Takes operations up to and with the next message; false when no whole one has been received. A
// message's body is good until the next call.
static inline bool next_message(struct link *link, struct message *message) {
    while (true) {
        char *line = link->in + link->taken, *end = memchr(line, '\n', link->used - link->taken);
        if (end == NULL) return no_message(link);
        size_t next = (size_t)(end + 1 - link->in);
        *end = 0;
        if (strncmp(line, "MSG ", 4) == 0 || strncmp(line, "HMSG ", 5) == 0) {
            size_t bytes = strtoull(strrchr(line, ' ') + 1, NULL, 10);
            if (next + bytes + 2 > link->used) {
                *end = '\n';
                return no_message(link);
            }
            char *subject = strchr(line, ' ') + 1;
            bool is_answer = strncmp(subject, INBOX, sizeof INBOX - 1) == 0;
            *strchr(subject, ' ') = 0;
            link->in[next + bytes] = 0;
            message->number = is_answer ? atoi(strrchr(subject, '.') + 1) : FEED;
            message->body = link->in + next;
            link->taken = next + bytes + 2;
            return true;
        }
        if (strncmp(line, "PING", 4) == 0) put(link, "PONG\r\n", 6);
        if (strncmp(line, "-ERR", 4) == 0) {
            fprintf(stderr, "%s\n", line);
            exit(1);
        }
        link->taken = next;
    }
}

static inline void put_consumer(struct link *link, const struct records *records, int shard) {
    char body[512], head[256];
    int length = snprintf(body, sizeof body,
                          "{\"stream_name\":\"%s_%03d\",\"config\":{\"name\":\"bench%d\","
                          "\"deliver_subject\":\"" FEED_INBOX "%d\",\"deliver_policy\":\"new\","
                          "\"ack_policy\":\"none\",\"mem_storage\":true,\"num_replicas\":1,"
                          "\"inactive_threshold\":2000000000}}",
                          records->streams, shard, (int)getpid(), (int)getpid());
    int count = snprintf(head, sizeof head,
                         "PUB $JS.API.CONSUMER.CREATE.%s_%03d.bench%d " INBOX "%d.%d.%d %d\r\n",
                         records->streams, shard, (int)getpid(), (int)getpid(), link->number,
                         shard, length);
    put(link, head, (size_t)count);
    put(link, body, (size_t)length);
    put(link, "\r\n", 2);
}

// Has everything that is stored from now on delivered to the link, as subscription 2. It waits
// until each stream has its consumer, so it belongs before the first record.
static inline void follow(struct link *link, const struct records *records) {
    struct message message;
    char line[64];
    int length = snprintf(line, sizeof line, "SUB " FEED_INBOX "%d 2\r\n", (int)getpid());
    put(link, line, (size_t)length);
    for (int shard = 0; shard < records->shards; shard++) put_consumer(link, records, shard);
    flush(link);
    for (int made = 0; made < records->shards;) {
        receive_more(link);
        while (next_message(link, &message)) {
            if (message.number == FEED) continue;
            if (strstr(message.body, "\"config\"") == NULL) {
                fprintf(stderr, "no consumer: %s\n", message.body);
                exit(1);
            }
            made += 1;
        }
    }
}

// A record for a subject, which is stored if the subject has no newer one than is known here.
static inline void put_record(struct link *link, const struct records *records, int subject,
                              int number) {
    char name[SUBJECT_BYTES], headers[128], line[256];
    snprintf(name, sizeof name, "%s.%03d.s.%d-%07d", records->root, subject % records->shards,
             (int)getpid(), subject);
    int head = snprintf(headers, sizeof headers,
                        "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: %llu\r\n\r\n",
                        (unsigned long long)records->last_sequences[subject]);
    int length = snprintf(line, sizeof line, "HPUB %s " INBOX "%d.%d.%d %d %d\r\n", name,
                          (int)getpid(), link->number, number, head, head + records->bytes);
    put(link, line, (size_t)length);
    put(link, headers, (size_t)head);
    put(link, records->payload, (size_t)records->bytes);
    put(link, "\r\n", 2);
}

// Keeps the sequence of a subject's record; false if the answer is not an acknowledgement.
static inline bool acknowledge(struct records *records, int subject, const char *body) {
    const char *sequence = strstr(body, "\"seq\":");
    if (sequence == NULL || strstr(body, "\"error\"") != NULL) return false;
    records->last_sequences[subject] = strtoull(sequence + 6, NULL, 10);
    return true;
}

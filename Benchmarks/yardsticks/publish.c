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

#include "nats.h"
#include <poll.h>
#include <time.h>

enum { WRITERS_MAX = 1024, LINKS_MAX = 2, TIMES_MAX = 1 << 22, GRACE_SECONDS = 10 };

struct writer {
    double sent;
    int subject;
    uint64_t turn;
};

static struct link links[LINKS_MAX];
static struct writer writers[WRITERS_MAX];
static struct records records;
static double *times;
static uint64_t answered, failed, in_flight, delivered;
static int link_count, writer_count, subject_count;

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void publish(int number) {
    struct writer *writer = &writers[number];
    int rounds = subject_count / writer_count;
    writer->subject = (int)(writer->turn % (uint64_t)rounds) * writer_count + number;
    writer->turn += 1;
    put_record(&links[number % link_count], &records, writer->subject, number);
    writer->sent = clock_seconds();
    in_flight += 1;
}

static void take_answer(int number, const char *body, double now, bool more) {
    struct writer *writer = &writers[number];
    in_flight -= 1;
    if (!acknowledge(&records, writer->subject, body)) {
        if (failed == 0) fprintf(stderr, "not an acknowledgement: %s\n", body);
        failed += 1;
    } else if (answered < TIMES_MAX) {
        times[answered++] = now - writer->sent;
    }
    if (more) publish(number);
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
        receive_more(&links[i]);
        double now = clock_seconds();
        struct message message;
        while (next_message(&links[i], &message)) {
            if (message.number == FEED)
                delivered += 1;
            else
                take_answer(message.number, message.body, now, now < end);
        }
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
    records = new_records(arguments[7], arguments[8], atoi(arguments[6]), atoi(arguments[5]),
                          subject_count);
    if (writer_count > WRITERS_MAX || subject_count % writer_count != 0) die("too many writers");
    for (char *port = strtok(arguments[1], ","); port != NULL && link_count < LINKS_MAX;
         port = strtok(NULL, ","), link_count++)
        open_link(&links[link_count], link_count, atoi(port));
    times = calloc(TIMES_MAX, sizeof *times);

    if (count > 9) follow(&links[0], &records);
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

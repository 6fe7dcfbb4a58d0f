// The yardstick for a server on the shared store: the loop of epoll.c as a client of a NATS server.
//
//     gateway PORT NATS_PORT ANSWER_BYTES BYTES SHARDS ROOT STREAMS [feed]
//
// Each request that is not a GET publishes a record of BYTES bytes as publish.c does, over one
// connection to the NATS server at that port of 127.0.0.1. At the end of a turn one send covers all
// records of the turn. The answer to a request leaves when its record is acknowledged, and nothing
// else waits for that. With `feed` the connection also receives every record again from a consumer
// of each stream. That is the least that an HTTP server on this store must do for a change.
//
// The path is not looked at: a connection has a number, and its changes go in turn to the
// subjects of that number. An answer that is not an acknowledgement ends the process.

#include "nats.h"
#include <fcntl.h>

// The subjects of a number are STRIDE apart. That is a prime, so that one connection's changes go
// to all streams in turn, as those of a single writer of publish.c do. LAG_MAX is how many records
// the feed may be behind the acknowledgements.
enum { NUMBERS_MAX = 1024, STRIDE = 1031, SUBJECTS_EACH = 16, LAG_MAX = 10000 };

struct client {
    struct connection connection;
    struct number *number;  // none before the first change
};

// A number is free when it has no client and nothing in flight: what a client that has gone left
// in flight must not answer the next one.
struct number {
    struct client *client;
    bool in_flight;
    int subject;
    uint64_t turn;
};

static struct number numbers[NUMBERS_MAX];
static struct link nats;
static struct records records;
static struct answer answer;
static uint64_t acknowledged, delivered;
static bool has_feed;
static int poll;

static struct number *lowest_free_number(void) {
    struct number *number = numbers;
    while (number->client != NULL || number->in_flight)
        if (++number == numbers + NUMBERS_MAX) die("more connections than numbers");
    return number;
}

static void publish(struct client *client) {
    if (client->number == NULL) {
        client->number = lowest_free_number();
        client->number->client = client;
    }
    struct number *number = client->number;
    int index = (int)(number - numbers);
    number->subject = index + (int)(number->turn % SUBJECTS_EACH) * STRIDE;
    number->turn += 1;
    number->in_flight = true;
    put_record(&nats, &records, number->subject, index);
}

static bool is_waiting(const struct client *client) {
    return client->number != NULL && client->number->in_flight;
}

// Takes requests up to and with the first change; the rest stays until that one is answered.
static void take_requests(struct client *client) {
    struct connection *connection = &client->connection;
    size_t taken = 0, length;
    while (!is_waiting(client) &&
           (length = request_length(connection->in + taken, connection->used - taken)) > 0) {
        if (connection->in[taken] == 'G')
            connection->debt += answer.length;
        else
            publish(client);
        taken += length;
    }
    consume(connection, taken);
}

static void serve(struct client *client) {
    bool alive = client->connection.debt > 0 || receive(&client->connection);
    if (alive) take_requests(client);
    if (alive && pay(poll, &client->connection, &answer)) return;
    if (client->number != NULL) client->number->client = NULL;
    hang_up(&client->connection);
}

static void take_answer(struct number *number, const char *body) {
    if (!acknowledge(&records, number->subject, body)) {
        fprintf(stderr, "not an acknowledgement: %s\n", body);
        exit(1);
    }
    acknowledged += 1;
    if (has_feed && acknowledged > delivered + LAG_MAX) die("the feed does not bring the records");
    number->in_flight = false;
    if (number->client == NULL) return;
    struct connection *connection = &number->client->connection;
    connection->debt += answer.length;
    take_requests(number->client);
    // Who has gone is told by an event of its own; freeing it here would leave that one dangling.
    pay(poll, connection, &answer);
}

static void take_messages(void) {
    struct message message;
    receive_more(&nats);
    while (next_message(&nats, &message)) {
        if (message.number == FEED)
            delivered += 1;
        else
            take_answer(&numbers[message.number], message.body);
    }
}

static void send_records(void) {
    static bool waiting;
    flush(&nats);
    if ((nats.out_used > 0) == waiting) return;
    waiting = !waiting;
    watch(poll, EPOLL_CTL_MOD, nats.fd, waiting ? EPOLLIN | EPOLLOUT : EPOLLIN, &nats);
}

static void turn(int listener) {
    struct epoll_event events[EVENTS_MAX];
    int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
    for (int i = 0; i < ready; i++) {
        if (events[i].data.ptr == NULL)
            accept_all(poll, listener, sizeof(struct client));
        else if (events[i].data.ptr == &nats)
            take_messages();
        else
            serve(events[i].data.ptr);
    }
    send_records();
}

int main(int count, char **arguments) {
    if (count < 8) {
        fprintf(stderr,
                "usage: gateway PORT NATS_PORT ANSWER_BYTES BYTES SHARDS ROOT STREAMS [feed]\n");
        return 64;
    }
    answer = fixed_answer(strtoul(arguments[3], NULL, 10));
    records = new_records(arguments[6], arguments[7], atoi(arguments[5]), atoi(arguments[4]),
                          NUMBERS_MAX + SUBJECTS_EACH * STRIDE);
    open_link(&nats, 0, atoi(arguments[2]));
    has_feed = count > 8;
    if (has_feed) follow(&nats, &records);
    fcntl(nats.fd, F_SETFL, O_NONBLOCK);
    int listener = listen_on(atoi(arguments[1]));
    poll = epoll_create1(EPOLL_CLOEXEC);
    watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    watch(poll, EPOLL_CTL_ADD, nats.fd, EPOLLIN, &nats);
    for (;;) turn(listener);
}

// The yardstick for reads: how fast one core of this machine's kernel allows HTTP/1.1 to be.
//
//     epoll PORT [ANSWER_BYTES]
//
// One thread, one level-triggered epoll, one read and one write a turn and connection, and the
// same answer for every request. Everything that a real server must do besides comes on top.

#include "http.h"

static void serve(int poll, struct connection *connection, const struct answer *answer) {
    size_t taken = 0, length;
    bool alive = connection->debt > 0 || receive(connection);
    while ((length = request_length(connection->in + taken, connection->used - taken)) > 0) {
        taken += length;
        connection->debt += answer->length;
    }
    consume(connection, taken);
    if (!alive || !pay(poll, connection, answer)) hang_up(connection);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: epoll PORT [ANSWER_BYTES]\n");
        return 64;
    }
    struct answer answer = fixed_answer(count > 2 ? strtoul(arguments[2], NULL, 10) : 650);
    int listener = listen_on(atoi(arguments[1]));
    int poll = epoll_create1(EPOLL_CLOEXEC);
    raise_descriptor_limit();
    watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    struct epoll_event events[EVENTS_MAX];
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr == NULL)
                accept_all(poll, listener, sizeof(struct connection));
            else
                serve(poll, events[i].data.ptr, &answer);
        }
    }
}

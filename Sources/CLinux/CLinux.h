#ifndef NAVSTATE_CLINUX_H
#define NAVSTATE_CLINUX_H

// What the toolchain's Glibc module leaves out. `_GNU_SOURCE` stays undefined, since with it
// `bind` becomes uncallable from Swift; what needs it is declared here by hand.

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/socket.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

#endif

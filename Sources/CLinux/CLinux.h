#ifndef NAVSTATE_CLINUX_H
#define NAVSTATE_CLINUX_H

// What the toolchain's Glibc module leaves out. `_GNU_SOURCE` stays undefined, since with it
// `bind` becomes uncallable from Swift; what needs it is declared here by hand.

#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int fallocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t preadv2(
    int descriptor, const struct iovec *_Nonnull pieces, int count, off_t offset, int flags);
int pthread_setname_np(pthread_t thread, const char *name);

// A variable of the environment, `NAME=value`; null behind the last.
extern char **environ;
static inline const char *_Nullable navstate_environment(size_t index) {
    return environ ? environ[index] : 0;
}

// FALLOC_FL_KEEP_SIZE of <linux/falloc.h>.
enum { navstate_fallocate_keep_size = 1 };

// RWF_NOWAIT of <linux/fs.h>.
enum { navstate_read_without_waiting = 8 };

// Has the processor fetch what will be read soon; any address will do.
static inline void navstate_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }

// Pointers that may cross threads: what they point to is only touched under a lock. Swift cannot
// see that, so the promise is made here, once, and `Lock` in POSIX keeps it.
struct navstate_mutex {
    pthread_mutex_t *_Nonnull pointer;
} __attribute__((swift_attr("@Sendable")));

struct navstate_condition {
    pthread_cond_t *_Nonnull pointer;
} __attribute__((swift_attr("@Sendable")));

struct navstate_box {
    void *_Nonnull pointer;
} __attribute__((swift_attr("@Sendable")));

#endif

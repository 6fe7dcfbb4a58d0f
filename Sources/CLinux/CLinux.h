#ifndef NAVSTATE_CLINUX_H
#define NAVSTATE_CLINUX_H

// Declarations that the Glibc module of the toolchain leaves out. `_GNU_SOURCE` is not defined,
// since `bind` could not be called from Swift with it; the declarations that need it are repeated
// here.

#include <linux/stat.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int fallocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t preadv2(
    int descriptor, const struct iovec *_Nonnull pieces, int count, off_t offset, int flags);
int pthread_setname_np(pthread_t thread, const char *name);
int statx(
    int directory, const char *_Nonnull path, int flags, unsigned int mask,
    struct statx *_Nonnull status);

// AT_EMPTY_PATH of <fcntl.h>.
enum { navstate_at_empty_path = 0x1000 };

// A variable of the environment, as `NAME=value`; null after the last one.
extern char **environ;
static inline const char *_Nullable navstate_environment(size_t index) {
    return environ ? environ[index] : 0;
}

// The width of the terminal that a descriptor is for; 0 if that is unknown. The function of C has
// variable arguments, so that Swift cannot call it.
static inline int navstate_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// FALLOC_FL_KEEP_SIZE of <linux/falloc.h>.
enum { navstate_fallocate_keep_size = 1 };

// RWF_NOWAIT of <linux/fs.h>.
enum { navstate_read_without_waiting = 8 };

// Makes the processor fetch what will be read soon. Any address is allowed.
static inline void navstate_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }

// Pointers that may be sent to other threads, because `Lock` in POSIX accesses what they point to
// only while it holds the mutex. The Swift compiler cannot check that.
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

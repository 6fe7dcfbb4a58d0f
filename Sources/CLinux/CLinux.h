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

// CRC-32C by the processor's own instruction, eight bytes a step; `navstate_crc32c_available`
// must have said yes. A step waits for the one before, but three could be under way: so long pieces
// are gone through in three places at a time. `shift` tells, byte by byte of a raw value, what
// `navstate_crc32c_piece` zero bytes behind it make of it.

enum { navstate_crc32c_piece = 112 };

#if defined(__x86_64__)
#include <cpuid.h>

static inline int navstate_crc32c_available(void) {
    unsigned int a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20)) != 0;
}

static inline uint64_t navstate_crc32c_shifted(const uint32_t *_Nonnull shift, uint64_t crc) {
    return shift[crc & 255] ^ shift[256 + (crc >> 8 & 255)] ^ shift[512 + (crc >> 16 & 255)]
        ^ shift[768 + (crc >> 24 & 255)];
}

__attribute__((target("sse4.2"))) static inline uint32_t navstate_crc32c(
    uint32_t crc, const unsigned char *_Nonnull bytes, size_t count,
    const uint32_t *_Nonnull shift) {
    uint64_t value = crc;
    for (; count >= 3 * navstate_crc32c_piece; count -= 3 * navstate_crc32c_piece) {
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < navstate_crc32c_piece; i += 8) {
            uint64_t words[3];
            __builtin_memcpy(&words[0], bytes + i, 8);
            __builtin_memcpy(&words[1], bytes + i + navstate_crc32c_piece, 8);
            __builtin_memcpy(&words[2], bytes + i + 2 * navstate_crc32c_piece, 8);
            value = __builtin_ia32_crc32di(value, words[0]);
            second = __builtin_ia32_crc32di(second, words[1]);
            third = __builtin_ia32_crc32di(third, words[2]);
        }
        value = navstate_crc32c_shifted(shift, value) ^ second;
        value = navstate_crc32c_shifted(shift, value) ^ third;
        bytes += 3 * navstate_crc32c_piece;
    }
    while (count >= 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        value = __builtin_ia32_crc32di(value, word);
        bytes += 8;
        count -= 8;
    }
    uint32_t rest = (uint32_t)value;
    while (count > 0) {
        rest = __builtin_ia32_crc32qi(rest, *bytes);
        bytes += 1;
        count -= 1;
    }
    return rest;
}
#else
static inline int navstate_crc32c_available(void) { return 0; }

static inline uint32_t navstate_crc32c(
    uint32_t crc, const unsigned char *_Nonnull bytes, size_t count,
    const uint32_t *_Nonnull shift) {
    (void)shift;
    (void)bytes;
    (void)count;
    return crc;
}
#endif

#endif

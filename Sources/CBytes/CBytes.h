#ifndef NAVSTATE_CBYTES_H
#define NAVSTATE_CBYTES_H

// What `Bytes` uses of C: memchr(3), memcmp(3) and the instruction for CRC-32C.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// CRC-32C by an instruction of the processor, eight bytes per step. Call it only if
// `navstate_crc32c_available` returned 1. Each step waits for the result of the previous one, but
// the processor can run three steps at a time, so long inputs are processed as three interleaved
// pieces. `shift` maps each byte of a raw value to what `navstate_crc32c_piece` zero bytes make of
// it.

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

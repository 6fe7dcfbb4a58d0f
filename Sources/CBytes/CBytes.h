#ifndef NAVSTATE_CBYTES_H
#define NAVSTATE_CBYTES_H

// The functions of C that `Bytes` uses: memchr(3), memcmp(3) and the instruction for CRC-32C.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// CRC-32C by an instruction of the processor, eight bytes per step. Call it only if
// `navstate_crc32c_available` returned 1.

#if defined(__x86_64__)
#include <cpuid.h>

static inline int navstate_crc32c_available(void) {
    unsigned int a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20)) != 0;
}

__attribute__((target("sse4.2"))) static inline uint32_t navstate_crc32c(
    uint32_t crc, const unsigned char *_Nonnull bytes, size_t count) {
    uint64_t value = crc;
#pragma clang loop unroll_count(8)
    for (; count >= 8; count -= 8, bytes += 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        value = __builtin_ia32_crc32di(value, word);
    }
    uint32_t rest = (uint32_t)value;
    for (; count > 0; count -= 1, bytes += 1) rest = __builtin_ia32_crc32qi(rest, *bytes);
    return rest;
}
#else
static inline int navstate_crc32c_available(void) { return 0; }

static inline uint32_t navstate_crc32c(
    uint32_t crc, const unsigned char *_Nonnull bytes, size_t count) {
    (void)bytes;
    (void)count;
    return crc;
}
#endif

#endif

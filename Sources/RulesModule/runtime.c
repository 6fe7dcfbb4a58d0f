// The parts of a C library and of its own runtime that Swift needs: memory, functions on bytes,
// numbers of 128 bits, the value of a number with a fraction, and the properties of characters.
// Compiled without a C library.

#include "runtime.h"

#include <stddef.h>

#include "unicode.h"

// MARK: - Memory
//
// A block has one of a few sizes: 16, 32, …, 256 bytes, and from there on four for each power of
// two. A block that is freed goes to the list of its size, and is used again for that size. Blocks
// are neither cut nor joined, so the memory is at most what each size needed at one time.

typedef struct block {
    union {
        struct block *next;
        size_t size;  // the number of the size, while the block is in use
    };
    size_t unused;  // so that what follows is a multiple of 16
} block;

extern unsigned char __heap_base;
static unsigned char *top;
static block *free_blocks[192];

static size_t number_of_size(size_t bytes) {
    if (bytes <= 256) return bytes == 0 ? 0 : (bytes - 1) / 16;
    size_t power = 63 - (size_t)__builtin_clzll(bytes - 1);
    return 16 + 4 * (power - 8) + ((bytes - 1) >> (power - 2) & 3);
}

static size_t bytes_of_size(size_t number) {
    if (number < 16) return 16 * (number + 1);
    size_t power = (number - 16) / 4 + 8;
    return ((size_t)5 + (number - 16) % 4) << (power - 2);
}

static void *more(size_t bytes) {
    if (!top) top = (unsigned char *)(((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15);
    size_t end = (size_t)top + bytes, have = __builtin_wasm_memory_size(0) << 16;
    if (end > 0xFFFF0000) __builtin_trap();
    if (end > have
        && __builtin_wasm_memory_grow(0, (end - have + 0xFFFF) >> 16) == (size_t)-1)
        __builtin_trap();
    void *start = top;
    top += bytes;
    return start;
}

void *malloc(size_t bytes) {
    if (bytes > 0x7FFFFFFF) __builtin_trap();
    size_t number = number_of_size(bytes);
    block *found = free_blocks[number];
    if (found) free_blocks[number] = found->next;
    else found = more(sizeof(block) + bytes_of_size(number));
    found->size = number;
    return found + 1;
}

void free(void *address) {
    if (!address) return;
    block *freed = (block *)address - 1;
    size_t number = freed->size;
    freed->next = free_blocks[number];
    free_blocks[number] = freed;
}

int posix_memalign(void **address, size_t alignment, size_t bytes) {
    if (alignment > 16) __builtin_trap();
    *address = malloc(bytes);
    return 0;
}

// MARK: - Bytes
//
// The first three become one instruction each.

void *memcpy(void *to, const void *from, size_t count) {
    return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
    return __builtin_memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

int memcmp(const void *first, const void *second, size_t count) {
    const unsigned char *a = first, *b = second;
    for (size_t index = 0; index < count; index++)
        if (a[index] != b[index]) return a[index] - b[index];
    return 0;
}

void *memchr(const void *bytes, int byte, size_t count) {
    const unsigned char *start = bytes;
    for (size_t index = 0; index < count; index++)
        if (start[index] == (unsigned char)byte) return (void *)(start + index);
    return NULL;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length += 1;
    return length;
}

// MARK: - Numbers

// The caller knows the value of a decimal number: `Number(text)`.
__attribute__((import_module("navstate"), import_name("number")))
extern double number_of_text(uint32_t address, uint32_t length);

// Returns the end of the text. JSON has checked that it is a number.
const char *_swift_stdlib_strtod_clocale(const char *text, double *value) {
    size_t length = strlen(text);
    *value = number_of_text((uint32_t)(uintptr_t)text, (uint32_t)length);
    return text + length;
}

double round(double number) {
    double whole = __builtin_trunc(number);
    return __builtin_fabs(number - whole) < 0.5 ? whole : whole + __builtin_copysign(1, number);
}

typedef unsigned __int128 wide;

__int128 __multi3(__int128 a, __int128 b) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1 + (uint32_t)middle;
    uint64_t high = x1 * y1 + (middle >> 32) + (other >> 32);
    high += (uint64_t)((wide)a >> 64) * y + x * (uint64_t)((wide)b >> 64);
    return (__int128)((wide)high << 64 | (other << 32 | (uint32_t)low));
}

static wide joined(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }

__int128 __ashlti3(__int128 number, int count) {
    uint64_t low = (uint64_t)number, high = (uint64_t)((wide)number >> 64);
    if (count == 0) return number;
    if (count >= 64) return (__int128)joined(low << (count - 64), 0);
    return (__int128)joined(high << count | low >> (64 - count), low << count);
}

__int128 __lshrti3(__int128 number, int count) {
    uint64_t low = (uint64_t)number, high = (uint64_t)((wide)number >> 64);
    if (count == 0) return number;
    if (count >= 64) return (__int128)joined(0, high >> (count - 64));
    return (__int128)joined(high >> count, low >> count | high << (64 - count));
}

// Bit by bit: few numbers are divided so.
wide __umodti3(wide number, wide divisor) {
    uint64_t low = (uint64_t)number, high = (uint64_t)(number >> 64);
    wide rest = 0;
    for (int bit = 0; bit < 128; bit++) {
        int carries = (int)(rest >> 127);
        rest = rest << 1 | high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carries || rest >= divisor) rest -= divisor;
    }
    return rest;
}

// Seeds the tables of hashes. Nothing depends on their order, and each page has its own.
void arc4random_buf(void *bytes, size_t count) { memset(bytes, 7, count); }

// MARK: - Characters

static uint32_t value_of(uint32_t scalar, const uint32_t *rows, size_t count) {
    size_t low = 0;
    while (count - low > 1) {
        size_t middle = (low + count) / 2;
        if (rows[middle] >> 10 <= scalar) low = middle;
        else count = middle;
    }
    return rows[low] & 1023;
}

#define VALUE(table, scalar) value_of(scalar, table, sizeof table / sizeof table[0])

uint8_t _swift_stdlib_getGeneralCategory(uint32_t scalar) {
    return (uint8_t)VALUE(categories, scalar);
}

uint64_t _swift_stdlib_getBinaryProperties(uint32_t scalar) {
    return property_sets[VALUE(properties, scalar)];
}

uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar) {
    uint32_t value = VALUE(graphemes, scalar) & 15;
    return value == 15 ? 0xFF : (uint8_t)value;
}

_Bool _swift_stdlib_isExtendedPictographic(uint32_t scalar) {
    return VALUE(graphemes, scalar) >> 4 & 1;
}

_Bool _swift_stdlib_isInCB_Consonant(uint32_t scalar) { return VALUE(graphemes, scalar) >> 5 & 1; }

// The distance to the lower-case letter, which is all that is asked for (1).
int32_t _swift_stdlib_getMapping(uint32_t scalar, uint8_t mapping) {
    return mapping == 1 ? distances[VALUE(lowercase, scalar)] : 0;
}

// Of lower-case letters, only that of U+0130 has two characters.
const uint8_t *_swift_stdlib_getSpecialMapping(uint32_t scalar, uint8_t mapping, intptr_t *length) {
    static const uint8_t dotted[] = {0x69, 0xCC, 0x87};
    if (mapping != 1 || scalar != 0x130) return NULL;
    *length = sizeof dotted;
    return dotted;
}

// Texts are compared by their bytes: no character has a decomposition or a composition.
const uint8_t _swift_stdlib_nfd_decompositions[] = {0};
uint16_t _swift_stdlib_getNormData(uint32_t scalar) { return 0 * scalar; }
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { return 0 * scalar; }
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
    return 0 * (first + second) - 1;
}

// MARK: - Texts

static struct text {
    unsigned char *bytes;
    int32_t length, room;
} given, answer;

static unsigned char *room(struct text *text, int32_t length) {
    if (length > text->room) {
        free(text->bytes);
        text->bytes = malloc((size_t)length);
        text->room = length;
    }
    text->length = length;
    return text->bytes;
}

unsigned char *rules_input(int32_t length) { return room(&given, length < 1 ? 1 : length); }

void rules_answer(const unsigned char *bytes, int32_t length) {
    memcpy(room(&answer, length), bytes, (size_t)length);
}

// The address at which the caller writes the texts of the next call.
uint32_t rules_input_address(int32_t length) {
    return (uint32_t)(uintptr_t)rules_input(length);
}

// Where the text is that the last call has returned.
uint32_t rules_answer_address(void) { return (uint32_t)(uintptr_t)answer.bytes; }
int32_t rules_answer_length(void) { return answer.length; }

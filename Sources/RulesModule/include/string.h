#ifndef NAVSTATE_RULES_STRING_H
#define NAVSTATE_RULES_STRING_H

// The functions of the C library that CBytes needs. The target of the module has no C library.

#include <stddef.h>

void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *first, const void *second, size_t count);

#endif

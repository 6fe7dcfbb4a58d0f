#ifndef NAVSTATE_RULES_STRING_H
#define NAVSTATE_RULES_STRING_H

// What CBytes needs of the C library, which the target of the module does not have.

#include <stddef.h>

void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *first, const void *second, size_t count);

#endif

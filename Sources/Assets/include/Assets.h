#ifndef NAVSTATE_ASSETS_H
#define NAVSTATE_ASSETS_H

#include <stddef.h>

// The files that are embedded in the executable. They are read byte by byte, once, so that the
// caller needs no pointer.

static const int ASSET_OPENAPI = 0;

size_t asset_size(int asset);
unsigned char asset_byte(int asset, size_t index);

#endif

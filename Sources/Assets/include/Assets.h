#ifndef NAVSTATE_ASSETS_H
#define NAVSTATE_ASSETS_H

#include <stddef.h>

// The files that are embedded in the executable, by number. They are read byte by byte, once, so
// that the caller needs no pointer.

int asset_count(void);
size_t asset_size(int asset);
unsigned char asset_byte(int asset, size_t index);

// The path under which the file is served; 0 behind its end.
unsigned char asset_path_byte(int asset, size_t index);

#endif

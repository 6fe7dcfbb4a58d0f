#include "Assets.h"

#include <string.h>

#include "files.h"

int asset_count(void) { return (int)(sizeof assets / sizeof assets[0]); }

static int is_asset(int asset) { return asset >= 0 && asset < asset_count(); }

size_t asset_size(int asset) { return is_asset(asset) ? assets[asset].size : 0; }

unsigned char asset_byte(int asset, size_t index) {
    return index < asset_size(asset) ? assets[asset].bytes[index] : 0;
}

unsigned char asset_path_byte(int asset, size_t index) {
    return is_asset(asset) && index < strlen(assets[asset].path)
        ? (unsigned char)assets[asset].path[index] : 0;
}

#include "Assets.h"

static const unsigned char openapi[] = {
#embed "../../openapi.yaml"
};

static const struct {
    const unsigned char *bytes;
    size_t size;
} assets[] = {
    {openapi, sizeof openapi},
};

static const int asset_count = sizeof assets / sizeof assets[0];

size_t asset_size(int asset) {
    return asset >= 0 && asset < asset_count ? assets[asset].size : 0;
}

unsigned char asset_byte(int asset, size_t index) {
    return index < asset_size(asset) ? assets[asset].bytes[index] : 0;
}

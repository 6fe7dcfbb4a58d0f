#include "Assets.h"

#include <string.h>

static const unsigned char file_00[] = {
#embed "web/index.html"
};
static const unsigned char file_01[] = {
#embed "web/console.css"
};
static const unsigned char file_02[] = {
#embed "web/console/actions.js"
};
static const unsigned char file_03[] = {
#embed "web/console/curl.js"
};
static const unsigned char file_04[] = {
#embed "web/console/docs-schema.js"
};
static const unsigned char file_05[] = {
#embed "web/console/docs-text.js"
};
static const unsigned char file_06[] = {
#embed "web/console/docs-try.js"
};
static const unsigned char file_07[] = {
#embed "web/console/dom.js"
};
static const unsigned char file_08[] = {
#embed "web/console/form.js"
};
static const unsigned char file_09[] = {
#embed "web/console/icons.js"
};
static const unsigned char file_10[] = {
#embed "web/console/main.js"
};
static const unsigned char file_11[] = {
#embed "web/console/model.js"
};
static const unsigned char file_12[] = {
#embed "web/console/phone.js"
};
static const unsigned char file_13[] = {
#embed "web/console/qr.js"
};
static const unsigned char file_14[] = {
#embed "web/console/sessions.js"
};
static const unsigned char file_15[] = {
#embed "web/console/share.js"
};
static const unsigned char file_16[] = {
#embed "web/console/stack.js"
};
static const unsigned char file_17[] = {
#embed "web/console/stage.js"
};
static const unsigned char file_18[] = {
#embed "web/console/timeline.js"
};
static const unsigned char file_19[] = {
#embed "web/console/tools.js"
};
static const unsigned char file_20[] = {
#embed "web/console/yaml.js"
};
static const unsigned char file_21[] = {
#embed "web/docs.html"
};
static const unsigned char file_22[] = {
#embed "web/docs.css"
};
static const unsigned char file_23[] = {
#embed "web/docs.js"
};
static const unsigned char file_24[] = {
#embed "web/navstate.js"
};
static const unsigned char file_25[] = {
#embed "../../openapi.yaml"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} assets[] = {
    {"/", file_00, sizeof file_00},
    {"/console.css", file_01, sizeof file_01},
    {"/console/actions.js", file_02, sizeof file_02},
    {"/console/curl.js", file_03, sizeof file_03},
    {"/console/docs-schema.js", file_04, sizeof file_04},
    {"/console/docs-text.js", file_05, sizeof file_05},
    {"/console/docs-try.js", file_06, sizeof file_06},
    {"/console/dom.js", file_07, sizeof file_07},
    {"/console/form.js", file_08, sizeof file_08},
    {"/console/icons.js", file_09, sizeof file_09},
    {"/console/main.js", file_10, sizeof file_10},
    {"/console/model.js", file_11, sizeof file_11},
    {"/console/phone.js", file_12, sizeof file_12},
    {"/console/qr.js", file_13, sizeof file_13},
    {"/console/sessions.js", file_14, sizeof file_14},
    {"/console/share.js", file_15, sizeof file_15},
    {"/console/stack.js", file_16, sizeof file_16},
    {"/console/stage.js", file_17, sizeof file_17},
    {"/console/timeline.js", file_18, sizeof file_18},
    {"/console/tools.js", file_19, sizeof file_19},
    {"/console/yaml.js", file_20, sizeof file_20},
    {"/docs", file_21, sizeof file_21},
    {"/docs.css", file_22, sizeof file_22},
    {"/docs.js", file_23, sizeof file_23},
    {"/navstate.js", file_24, sizeof file_24},
    {"/openapi.yaml", file_25, sizeof file_25},
};

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

#include "Assets.h"

#include <string.h>

static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char console_css[] = {
#embed "web/console.css"
};
static const unsigned char console_actions_js[] = {
#embed "web/console/actions.js"
};
static const unsigned char console_copy_js[] = {
#embed "web/console/copy.js"
};
static const unsigned char console_curl_js[] = {
#embed "web/console/curl.js"
};
static const unsigned char console_docs_schema_js[] = {
#embed "web/console/docs-schema.js"
};
static const unsigned char console_docs_text_js[] = {
#embed "web/console/docs-text.js"
};
static const unsigned char console_docs_try_js[] = {
#embed "web/console/docs-try.js"
};
static const unsigned char console_dom_js[] = {
#embed "web/console/dom.js"
};
static const unsigned char console_facts_js[] = {
#embed "web/console/facts.js"
};
static const unsigned char console_form_js[] = {
#embed "web/console/form.js"
};
static const unsigned char console_icons_js[] = {
#embed "web/console/icons.js"
};
static const unsigned char console_main_js[] = {
#embed "web/console/main.js"
};
static const unsigned char console_model_js[] = {
#embed "web/console/model.js"
};
static const unsigned char console_phone_js[] = {
#embed "web/console/phone.js"
};
static const unsigned char console_problems_css[] = {
#embed "web/console/problems.css"
};
static const unsigned char console_problems_js[] = {
#embed "web/console/problems.js"
};
static const unsigned char console_docs_search_js[] = {
#embed "web/console/docs-search.js"
};
static const unsigned char console_qr_js[] = {
#embed "web/console/qr.js"
};
static const unsigned char console_sessions_js[] = {
#embed "web/console/sessions.js"
};
static const unsigned char console_share_js[] = {
#embed "web/console/share.js"
};
static const unsigned char console_stack_js[] = {
#embed "web/console/stack.js"
};
static const unsigned char console_stage_js[] = {
#embed "web/console/stage.js"
};
static const unsigned char console_timeline_js[] = {
#embed "web/console/timeline.js"
};
static const unsigned char console_tools_js[] = {
#embed "web/console/tools.js"
};
static const unsigned char console_yaml_js[] = {
#embed "web/console/yaml.js"
};
static const unsigned char display_html[] = {
#embed "web/display.html"
};
static const unsigned char display_display_css[] = {
#embed "web/display/display.css"
};
static const unsigned char display_link_js[] = {
#embed "web/display/link.js"
};
static const unsigned char display_main_js[] = {
#embed "web/display/main.js"
};
static const unsigned char display_screen_js[] = {
#embed "web/display/screen.js"
};
static const unsigned char display_titles_js[] = {
#embed "web/display/titles.js"
};
static const unsigned char docs_html[] = {
#embed "web/docs.html"
};
static const unsigned char docs_css[] = {
#embed "web/docs.css"
};
static const unsigned char docs_js[] = {
#embed "web/docs.js"
};
static const unsigned char navstate_js[] = {
#embed "web/navstate.js"
};
static const unsigned char openapi_yaml[] = {
#embed "../../openapi.yaml"
};
// No URL has these paths, which do not begin with a slash.
static const unsigned char problems_json[] = {
#embed "problems.json"
};
static const unsigned char app_chat[] = {
#embed "../../Examples/apps/chat.json"
};
static const unsigned char app_hierarchy[] = {
#embed "../../Examples/apps/hierarchy.json"
};
static const unsigned char app_routers[] = {
#embed "../../Examples/apps/routers.json"
};
static const unsigned char app_shop[] = {
#embed "../../Examples/apps/shop.json"
};
static const unsigned char app_social[] = {
#embed "../../Examples/apps/social.json"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} assets[] = {
    {"problems.json", problems_json, sizeof problems_json},
    {"apps/chat", app_chat, sizeof app_chat},
    {"apps/hierarchy", app_hierarchy, sizeof app_hierarchy},
    {"apps/routers", app_routers, sizeof app_routers},
    {"apps/shop", app_shop, sizeof app_shop},
    {"apps/social", app_social, sizeof app_social},
    {"/", index_html, sizeof index_html},
    {"/console.css", console_css, sizeof console_css},
    {"/console/actions.js", console_actions_js, sizeof console_actions_js},
    {"/console/copy.js", console_copy_js, sizeof console_copy_js},
    {"/console/curl.js", console_curl_js, sizeof console_curl_js},
    {"/console/docs-schema.js", console_docs_schema_js, sizeof console_docs_schema_js},
    {"/console/docs-text.js", console_docs_text_js, sizeof console_docs_text_js},
    {"/console/docs-try.js", console_docs_try_js, sizeof console_docs_try_js},
    {"/console/dom.js", console_dom_js, sizeof console_dom_js},
    {"/console/facts.js", console_facts_js, sizeof console_facts_js},
    {"/console/form.js", console_form_js, sizeof console_form_js},
    {"/console/icons.js", console_icons_js, sizeof console_icons_js},
    {"/console/main.js", console_main_js, sizeof console_main_js},
    {"/console/model.js", console_model_js, sizeof console_model_js},
    {"/console/phone.js", console_phone_js, sizeof console_phone_js},
    {"/console/problems.css", console_problems_css, sizeof console_problems_css},
    {"/console/problems.js", console_problems_js, sizeof console_problems_js},
    {"/console/docs-search.js", console_docs_search_js, sizeof console_docs_search_js},
    {"/console/qr.js", console_qr_js, sizeof console_qr_js},
    {"/console/sessions.js", console_sessions_js, sizeof console_sessions_js},
    {"/console/share.js", console_share_js, sizeof console_share_js},
    {"/console/stack.js", console_stack_js, sizeof console_stack_js},
    {"/console/stage.js", console_stage_js, sizeof console_stage_js},
    {"/console/timeline.js", console_timeline_js, sizeof console_timeline_js},
    {"/console/tools.js", console_tools_js, sizeof console_tools_js},
    {"/console/yaml.js", console_yaml_js, sizeof console_yaml_js},
    {"/display", display_html, sizeof display_html},
    {"/display/display.css", display_display_css, sizeof display_display_css},
    {"/display/link.js", display_link_js, sizeof display_link_js},
    {"/display/main.js", display_main_js, sizeof display_main_js},
    {"/display/screen.js", display_screen_js, sizeof display_screen_js},
    {"/display/titles.js", display_titles_js, sizeof display_titles_js},
    {"/docs", docs_html, sizeof docs_html},
    {"/docs.css", docs_css, sizeof docs_css},
    {"/docs.js", docs_js, sizeof docs_js},
    {"/navstate.js", navstate_js, sizeof navstate_js},
    {"/openapi.yaml", openapi_yaml, sizeof openapi_yaml},
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

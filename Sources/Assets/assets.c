#include "Assets.h"

#include <string.h>

static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char console_css[] = {
#embed "web/console.css"
};
static const unsigned char console_access_js[] = {
#embed "web/console/access.js"
};
static const unsigned char console_actions_js[] = {
#embed "web/console/actions.js"
};
static const unsigned char console_address_js[] = {
#embed "web/console/address.js"
};
static const unsigned char console_app_editor_js[] = {
#embed "web/console/app-editor.js"
};
static const unsigned char console_app_graph_js[] = {
#embed "web/console/app-graph.js"
};
static const unsigned char console_app_links_js[] = {
#embed "web/console/app-links.js"
};
static const unsigned char console_appearance_js[] = {
#embed "web/console/appearance.js"
};
static const unsigned char console_apps_js[] = {
#embed "web/console/apps.js"
};
static const unsigned char console_areas_js[] = {
#embed "web/console/areas.js"
};
static const unsigned char console_begin_js[] = {
#embed "web/console/begin.js"
};
static const unsigned char console_commands_js[] = {
#embed "web/console/commands.js"
};
static const unsigned char console_copy_js[] = {
#embed "web/console/copy.js"
};
static const unsigned char console_create_js[] = {
#embed "web/console/create.js"
};
static const unsigned char console_curl_js[] = {
#embed "web/console/curl.js"
};
static const unsigned char console_diff_js[] = {
#embed "web/console/diff.js"
};
static const unsigned char console_directory_js[] = {
#embed "web/console/directory.js"
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
static const unsigned char console_drawing_js[] = {
#embed "web/console/drawing.js"
};
static const unsigned char console_editing_js[] = {
#embed "web/console/editing.js"
};
static const unsigned char console_facts_js[] = {
#embed "web/console/facts.js"
};
static const unsigned char console_favicon_svg[] = {
#embed "web/console/favicon.svg"
};
static const unsigned char console_form_js[] = {
#embed "web/console/form.js"
};
static const unsigned char console_graph_layout_js[] = {
#embed "web/console/graph-layout.js"
};
static const unsigned char console_history_js[] = {
#embed "web/console/history.js"
};
static const unsigned char console_icons_js[] = {
#embed "web/console/icons.js"
};
static const unsigned char console_json_js[] = {
#embed "web/console/json.js"
};
static const unsigned char console_keys_js[] = {
#embed "web/console/keys.js"
};
static const unsigned char console_labels_js[] = {
#embed "web/console/labels.js"
};
static const unsigned char console_link_form_js[] = {
#embed "web/console/link-form.js"
};
static const unsigned char console_links_js[] = {
#embed "web/console/links.js"
};
static const unsigned char console_main_js[] = {
#embed "web/console/main.js"
};
static const unsigned char console_model_js[] = {
#embed "web/console/model.js"
};
static const unsigned char console_pages_css[] = {
#embed "web/console/pages.css"
};
static const unsigned char console_palette_js[] = {
#embed "web/console/palette.js"
};
static const unsigned char console_panels_js[] = {
#embed "web/console/panels.js"
};
static const unsigned char console_params_js[] = {
#embed "web/console/params.js"
};
static const unsigned char console_phone_css[] = {
#embed "web/console/phone.css"
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
static const unsigned char console_recorder_js[] = {
#embed "web/console/recorder.js"
};
static const unsigned char console_script_js[] = {
#embed "web/console/script.js"
};
static const unsigned char console_session_css[] = {
#embed "web/console/session.css"
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
static const unsigned char console_status_js[] = {
#embed "web/console/status.js"
};
static const unsigned char console_theme_js[] = {
#embed "web/console/theme.js"
};
static const unsigned char console_time_js[] = {
#embed "web/console/time.js"
};
static const unsigned char console_timeline_js[] = {
#embed "web/console/timeline.js"
};
static const unsigned char console_view_js[] = {
#embed "web/console/view.js"
};
static const unsigned char console_wall_js[] = {
#embed "web/console/wall.js"
};
static const unsigned char console_welcome_js[] = {
#embed "web/console/welcome.js"
};
static const unsigned char console_words_js[] = {
#embed "web/console/words.js"
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
static const unsigned char agents_json[] = {
#embed "agents.json"
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
    {"agents.json", agents_json, sizeof agents_json},
    {"apps/chat", app_chat, sizeof app_chat},
    {"apps/hierarchy", app_hierarchy, sizeof app_hierarchy},
    {"apps/routers", app_routers, sizeof app_routers},
    {"apps/shop", app_shop, sizeof app_shop},
    {"apps/social", app_social, sizeof app_social},
    {"/", index_html, sizeof index_html},
    {"/console.css", console_css, sizeof console_css},
    {"/console/access.js", console_access_js, sizeof console_access_js},
    {"/console/actions.js", console_actions_js, sizeof console_actions_js},
    {"/console/address.js", console_address_js, sizeof console_address_js},
    {"/console/app-editor.js", console_app_editor_js, sizeof console_app_editor_js},
    {"/console/app-graph.js", console_app_graph_js, sizeof console_app_graph_js},
    {"/console/app-links.js", console_app_links_js, sizeof console_app_links_js},
    {"/console/appearance.js", console_appearance_js, sizeof console_appearance_js},
    {"/console/apps.js", console_apps_js, sizeof console_apps_js},
    {"/console/areas.js", console_areas_js, sizeof console_areas_js},
    {"/console/begin.js", console_begin_js, sizeof console_begin_js},
    {"/console/commands.js", console_commands_js, sizeof console_commands_js},
    {"/console/copy.js", console_copy_js, sizeof console_copy_js},
    {"/console/create.js", console_create_js, sizeof console_create_js},
    {"/console/curl.js", console_curl_js, sizeof console_curl_js},
    {"/console/diff.js", console_diff_js, sizeof console_diff_js},
    {"/console/directory.js", console_directory_js, sizeof console_directory_js},
    {"/console/docs-schema.js", console_docs_schema_js, sizeof console_docs_schema_js},
    {"/console/docs-text.js", console_docs_text_js, sizeof console_docs_text_js},
    {"/console/docs-try.js", console_docs_try_js, sizeof console_docs_try_js},
    {"/console/dom.js", console_dom_js, sizeof console_dom_js},
    {"/console/drawing.js", console_drawing_js, sizeof console_drawing_js},
    {"/console/editing.js", console_editing_js, sizeof console_editing_js},
    {"/console/facts.js", console_facts_js, sizeof console_facts_js},
    {"/console/favicon.svg", console_favicon_svg, sizeof console_favicon_svg},
    {"/console/form.js", console_form_js, sizeof console_form_js},
    {"/console/graph-layout.js", console_graph_layout_js, sizeof console_graph_layout_js},
    {"/console/history.js", console_history_js, sizeof console_history_js},
    {"/console/icons.js", console_icons_js, sizeof console_icons_js},
    {"/console/json.js", console_json_js, sizeof console_json_js},
    {"/console/keys.js", console_keys_js, sizeof console_keys_js},
    {"/console/labels.js", console_labels_js, sizeof console_labels_js},
    {"/console/link-form.js", console_link_form_js, sizeof console_link_form_js},
    {"/console/links.js", console_links_js, sizeof console_links_js},
    {"/console/main.js", console_main_js, sizeof console_main_js},
    {"/console/model.js", console_model_js, sizeof console_model_js},
    {"/console/pages.css", console_pages_css, sizeof console_pages_css},
    {"/console/palette.js", console_palette_js, sizeof console_palette_js},
    {"/console/panels.js", console_panels_js, sizeof console_panels_js},
    {"/console/params.js", console_params_js, sizeof console_params_js},
    {"/console/phone.css", console_phone_css, sizeof console_phone_css},
    {"/console/phone.js", console_phone_js, sizeof console_phone_js},
    {"/console/problems.css", console_problems_css, sizeof console_problems_css},
    {"/console/problems.js", console_problems_js, sizeof console_problems_js},
    {"/console/docs-search.js", console_docs_search_js, sizeof console_docs_search_js},
    {"/console/qr.js", console_qr_js, sizeof console_qr_js},
    {"/console/recorder.js", console_recorder_js, sizeof console_recorder_js},
    {"/console/script.js", console_script_js, sizeof console_script_js},
    {"/console/session.css", console_session_css, sizeof console_session_css},
    {"/console/sessions.js", console_sessions_js, sizeof console_sessions_js},
    {"/console/share.js", console_share_js, sizeof console_share_js},
    {"/console/stack.js", console_stack_js, sizeof console_stack_js},
    {"/console/stage.js", console_stage_js, sizeof console_stage_js},
    {"/console/status.js", console_status_js, sizeof console_status_js},
    {"/console/theme.js", console_theme_js, sizeof console_theme_js},
    {"/console/time.js", console_time_js, sizeof console_time_js},
    {"/console/timeline.js", console_timeline_js, sizeof console_timeline_js},
    {"/console/view.js", console_view_js, sizeof console_view_js},
    {"/console/wall.js", console_wall_js, sizeof console_wall_js},
    {"/console/welcome.js", console_welcome_js, sizeof console_welcome_js},
    {"/console/words.js", console_words_js, sizeof console_words_js},
    {"/console/yaml.js", console_yaml_js, sizeof console_yaml_js},
    {"/console/demo-app.json", app_shop, sizeof app_shop},
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

// Made by Sources/Assets/generate.py: the embedded files and their paths.

static const unsigned char file_0[] = {
#embed "web/index.html"
};
static const unsigned char file_1[] = {
#embed "../../docs/app.schema.json"
};
static const unsigned char file_2[] = {
#embed "web/console.css"
};
static const unsigned char file_3[] = {
#embed "web/console/access.js"
};
static const unsigned char file_4[] = {
#embed "web/console/actions.js"
};
static const unsigned char file_5[] = {
#embed "web/console/address.js"
};
static const unsigned char file_6[] = {
#embed "web/console/app-editor.js"
};
static const unsigned char file_7[] = {
#embed "web/console/app-graph.js"
};
static const unsigned char file_8[] = {
#embed "web/console/app-links.js"
};
static const unsigned char file_9[] = {
#embed "web/console/app-schema.js"
};
static const unsigned char file_10[] = {
#embed "web/console/appearance.js"
};
static const unsigned char file_11[] = {
#embed "web/console/apps.js"
};
static const unsigned char file_12[] = {
#embed "web/console/areas.js"
};
static const unsigned char file_13[] = {
#embed "web/console/begin.js"
};
static const unsigned char file_14[] = {
#embed "web/console/code-field.js"
};
static const unsigned char file_15[] = {
#embed "web/console/code.css"
};
static const unsigned char file_16[] = {
#embed "web/console/command-examples.js"
};
static const unsigned char file_17[] = {
#embed "web/console/commands.js"
};
static const unsigned char file_18[] = {
#embed "web/console/copy.js"
};
static const unsigned char file_19[] = {
#embed "web/console/create.js"
};
static const unsigned char file_20[] = {
#embed "web/console/curl.js"
};
static const unsigned char file_21[] = {
#embed "../../Examples/apps/shop.json"
};
static const unsigned char file_22[] = {
#embed "web/console/diff.js"
};
static const unsigned char file_23[] = {
#embed "web/console/directory.js"
};
static const unsigned char file_24[] = {
#embed "web/console/docs-schema.js"
};
static const unsigned char file_25[] = {
#embed "web/console/docs-search.js"
};
static const unsigned char file_26[] = {
#embed "web/console/docs-text.js"
};
static const unsigned char file_27[] = {
#embed "web/console/docs-try.js"
};
static const unsigned char file_28[] = {
#embed "web/console/document-editor.js"
};
static const unsigned char file_29[] = {
#embed "web/console/dom.js"
};
static const unsigned char file_30[] = {
#embed "web/console/drawing.js"
};
static const unsigned char file_31[] = {
#embed "web/console/editing.js"
};
static const unsigned char file_32[] = {
#embed "web/console/exact.js"
};
static const unsigned char file_33[] = {
#embed "web/console/facts.js"
};
static const unsigned char file_34[] = {
#embed "web/console/favicon.svg"
};
static const unsigned char file_35[] = {
#embed "web/console/files.js"
};
static const unsigned char file_36[] = {
#embed "web/console/folded-text.js"
};
static const unsigned char file_37[] = {
#embed "web/console/form.js"
};
static const unsigned char file_38[] = {
#embed "web/console/graph-layout.js"
};
static const unsigned char file_39[] = {
#embed "web/console/graph-notes.js"
};
static const unsigned char file_40[] = {
#embed "web/console/graph-picture.js"
};
static const unsigned char file_41[] = {
#embed "web/console/history.js"
};
static const unsigned char file_42[] = {
#embed "web/console/icons.js"
};
static const unsigned char file_43[] = {
#embed "web/console/json-tree.js"
};
static const unsigned char file_44[] = {
#embed "web/console/json.js"
};
static const unsigned char file_45[] = {
#embed "web/console/keys.js"
};
static const unsigned char file_46[] = {
#embed "web/console/labels.js"
};
static const unsigned char file_47[] = {
#embed "web/console/link-form.js"
};
static const unsigned char file_48[] = {
#embed "web/console/links.js"
};
static const unsigned char file_49[] = {
#embed "web/console/lock.js"
};
static const unsigned char file_50[] = {
#embed "web/console/main.js"
};
static const unsigned char file_51[] = {
#embed "web/console/many.js"
};
static const unsigned char file_52[] = {
#embed "web/console/model.js"
};
static const unsigned char file_53[] = {
#embed "web/console/pages.css"
};
static const unsigned char file_54[] = {
#embed "web/console/paging.js"
};
static const unsigned char file_55[] = {
#embed "web/console/palette.js"
};
static const unsigned char file_56[] = {
#embed "web/console/panels.js"
};
static const unsigned char file_57[] = {
#embed "web/console/params.js"
};
static const unsigned char file_58[] = {
#embed "web/console/phone-dialog.js"
};
static const unsigned char file_59[] = {
#embed "web/console/phone.css"
};
static const unsigned char file_60[] = {
#embed "web/console/phone.js"
};
static const unsigned char file_61[] = {
#embed "web/console/problems.css"
};
static const unsigned char file_62[] = {
#embed "web/console/problems.js"
};
static const unsigned char file_63[] = {
#embed "web/console/proposal-list.js"
};
static const unsigned char file_64[] = {
#embed "web/console/qr.js"
};
static const unsigned char file_65[] = {
#embed "web/console/recorder.js"
};
static const unsigned char file_66[] = {
#embed "web/console/requests.js"
};
static const unsigned char file_67[] = {
#embed "web/console/rights.js"
};
static const unsigned char file_68[] = {
#embed "web/console/script.js"
};
static const unsigned char file_69[] = {
#embed "web/console/session.css"
};
static const unsigned char file_70[] = {
#embed "web/console/sessions.js"
};
static const unsigned char file_71[] = {
#embed "web/console/share.js"
};
static const unsigned char file_72[] = {
#embed "web/console/stack.js"
};
static const unsigned char file_73[] = {
#embed "web/console/stage.js"
};
static const unsigned char file_74[] = {
#embed "web/console/status.js"
};
static const unsigned char file_75[] = {
#embed "web/console/symbols.js"
};
static const unsigned char file_76[] = {
#embed "web/console/table.js"
};
static const unsigned char file_77[] = {
#embed "web/console/theme.js"
};
static const unsigned char file_78[] = {
#embed "web/console/time.js"
};
static const unsigned char file_79[] = {
#embed "web/console/timeline.js"
};
static const unsigned char file_80[] = {
#embed "web/console/view.js"
};
static const unsigned char file_81[] = {
#embed "web/console/wall.js"
};
static const unsigned char file_82[] = {
#embed "web/console/welcome.js"
};
static const unsigned char file_83[] = {
#embed "web/console/words.js"
};
static const unsigned char file_84[] = {
#embed "web/display.html"
};
static const unsigned char file_85[] = {
#embed "web/display/dialog.js"
};
static const unsigned char file_86[] = {
#embed "web/display/display.css"
};
static const unsigned char file_87[] = {
#embed "web/display/main.js"
};
static const unsigned char file_88[] = {
#embed "web/display/memory.js"
};
static const unsigned char file_89[] = {
#embed "web/display/movement.js"
};
static const unsigned char file_90[] = {
#embed "web/display/params.js"
};
static const unsigned char file_91[] = {
#embed "web/display/screen.js"
};
static const unsigned char file_92[] = {
#embed "web/display/style.js"
};
static const unsigned char file_93[] = {
#embed "web/display/titles.js"
};
static const unsigned char file_94[] = {
#embed "web/docs.html"
};
static const unsigned char file_95[] = {
#embed "web/docs.css"
};
static const unsigned char file_96[] = {
#embed "web/docs.js"
};
static const unsigned char file_97[] = {
#embed "web/navstate-display.js"
};
static const unsigned char file_98[] = {
#embed "web/navstate-rules.d.ts"
};
static const unsigned char file_99[] = {
#embed "web/navstate-rules.js"
};
static const unsigned char file_100[] = {
#embed "web/navstate.d.ts"
};
static const unsigned char file_101[] = {
#embed "web/navstate.js"
};
static const unsigned char file_102[] = {
#embed "openapi.json"
};
static const unsigned char file_103[] = {
#embed "../../openapi.yaml"
};
static const unsigned char file_104[] = {
#embed "web/play.html"
};
static const unsigned char file_105[] = {
#embed "web/play/engine.js"
};
static const unsigned char file_106[] = {
#embed "web/play/findings.js"
};
static const unsigned char file_107[] = {
#embed "web/play/held.js"
};
static const unsigned char file_108[] = {
#embed "web/play/link.js"
};
static const unsigned char file_109[] = {
#embed "web/play/main.js"
};
static const unsigned char file_110[] = {
#embed "web/play/model.js"
};
static const unsigned char file_111[] = {
#embed "web/play/phone.js"
};
static const unsigned char file_112[] = {
#embed "web/play/play.css"
};
static const unsigned char file_113[] = {
#embed "web/play/steps.js"
};
static const unsigned char file_114[] = {
#embed "web/play/try.js"
};
static const unsigned char file_115[] = {
#embed "web/play/worker.js"
};
static const unsigned char file_116[] = {
#embed "web/react-navigation.d.ts"
};
static const unsigned char file_117[] = {
#embed "web/react-navigation.js"
};
static const unsigned char file_118[] = {
#embed "web/rules-session.js"
};
static const unsigned char file_119[] = {
#embed "web/rules.wasm.gz"
};
static const unsigned char file_120[] = {
#embed "agents.json"
};
static const unsigned char file_121[] = {
#embed "../../Examples/apps/chat.json"
};
static const unsigned char file_122[] = {
#embed "../../Examples/apps/hierarchy.json"
};
static const unsigned char file_123[] = {
#embed "../../Examples/apps/routers.json"
};
static const unsigned char file_124[] = {
#embed "../../Examples/apps/shop.json"
};
static const unsigned char file_125[] = {
#embed "../../Examples/apps/social.json"
};
static const unsigned char file_126[] = {
#embed "problems.html"
};
static const unsigned char file_127[] = {
#embed "web/rules.wasm.br"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} assets[] = {
    {"/", file_0, sizeof file_0},
    {"/app.schema.json", file_1, sizeof file_1},
    {"/console.css", file_2, sizeof file_2},
    {"/console/access.js", file_3, sizeof file_3},
    {"/console/actions.js", file_4, sizeof file_4},
    {"/console/address.js", file_5, sizeof file_5},
    {"/console/app-editor.js", file_6, sizeof file_6},
    {"/console/app-graph.js", file_7, sizeof file_7},
    {"/console/app-links.js", file_8, sizeof file_8},
    {"/console/app-schema.js", file_9, sizeof file_9},
    {"/console/appearance.js", file_10, sizeof file_10},
    {"/console/apps.js", file_11, sizeof file_11},
    {"/console/areas.js", file_12, sizeof file_12},
    {"/console/begin.js", file_13, sizeof file_13},
    {"/console/code-field.js", file_14, sizeof file_14},
    {"/console/code.css", file_15, sizeof file_15},
    {"/console/command-examples.js", file_16, sizeof file_16},
    {"/console/commands.js", file_17, sizeof file_17},
    {"/console/copy.js", file_18, sizeof file_18},
    {"/console/create.js", file_19, sizeof file_19},
    {"/console/curl.js", file_20, sizeof file_20},
    {"/console/demo-app.json", file_21, sizeof file_21},
    {"/console/diff.js", file_22, sizeof file_22},
    {"/console/directory.js", file_23, sizeof file_23},
    {"/console/docs-schema.js", file_24, sizeof file_24},
    {"/console/docs-search.js", file_25, sizeof file_25},
    {"/console/docs-text.js", file_26, sizeof file_26},
    {"/console/docs-try.js", file_27, sizeof file_27},
    {"/console/document-editor.js", file_28, sizeof file_28},
    {"/console/dom.js", file_29, sizeof file_29},
    {"/console/drawing.js", file_30, sizeof file_30},
    {"/console/editing.js", file_31, sizeof file_31},
    {"/console/exact.js", file_32, sizeof file_32},
    {"/console/facts.js", file_33, sizeof file_33},
    {"/console/favicon.svg", file_34, sizeof file_34},
    {"/console/files.js", file_35, sizeof file_35},
    {"/console/folded-text.js", file_36, sizeof file_36},
    {"/console/form.js", file_37, sizeof file_37},
    {"/console/graph-layout.js", file_38, sizeof file_38},
    {"/console/graph-notes.js", file_39, sizeof file_39},
    {"/console/graph-picture.js", file_40, sizeof file_40},
    {"/console/history.js", file_41, sizeof file_41},
    {"/console/icons.js", file_42, sizeof file_42},
    {"/console/json-tree.js", file_43, sizeof file_43},
    {"/console/json.js", file_44, sizeof file_44},
    {"/console/keys.js", file_45, sizeof file_45},
    {"/console/labels.js", file_46, sizeof file_46},
    {"/console/link-form.js", file_47, sizeof file_47},
    {"/console/links.js", file_48, sizeof file_48},
    {"/console/lock.js", file_49, sizeof file_49},
    {"/console/main.js", file_50, sizeof file_50},
    {"/console/many.js", file_51, sizeof file_51},
    {"/console/model.js", file_52, sizeof file_52},
    {"/console/pages.css", file_53, sizeof file_53},
    {"/console/paging.js", file_54, sizeof file_54},
    {"/console/palette.js", file_55, sizeof file_55},
    {"/console/panels.js", file_56, sizeof file_56},
    {"/console/params.js", file_57, sizeof file_57},
    {"/console/phone-dialog.js", file_58, sizeof file_58},
    {"/console/phone.css", file_59, sizeof file_59},
    {"/console/phone.js", file_60, sizeof file_60},
    {"/console/problems.css", file_61, sizeof file_61},
    {"/console/problems.js", file_62, sizeof file_62},
    {"/console/proposal-list.js", file_63, sizeof file_63},
    {"/console/qr.js", file_64, sizeof file_64},
    {"/console/recorder.js", file_65, sizeof file_65},
    {"/console/requests.js", file_66, sizeof file_66},
    {"/console/rights.js", file_67, sizeof file_67},
    {"/console/script.js", file_68, sizeof file_68},
    {"/console/session.css", file_69, sizeof file_69},
    {"/console/sessions.js", file_70, sizeof file_70},
    {"/console/share.js", file_71, sizeof file_71},
    {"/console/stack.js", file_72, sizeof file_72},
    {"/console/stage.js", file_73, sizeof file_73},
    {"/console/status.js", file_74, sizeof file_74},
    {"/console/symbols.js", file_75, sizeof file_75},
    {"/console/table.js", file_76, sizeof file_76},
    {"/console/theme.js", file_77, sizeof file_77},
    {"/console/time.js", file_78, sizeof file_78},
    {"/console/timeline.js", file_79, sizeof file_79},
    {"/console/view.js", file_80, sizeof file_80},
    {"/console/wall.js", file_81, sizeof file_81},
    {"/console/welcome.js", file_82, sizeof file_82},
    {"/console/words.js", file_83, sizeof file_83},
    {"/display", file_84, sizeof file_84},
    {"/display/dialog.js", file_85, sizeof file_85},
    {"/display/display.css", file_86, sizeof file_86},
    {"/display/main.js", file_87, sizeof file_87},
    {"/display/memory.js", file_88, sizeof file_88},
    {"/display/movement.js", file_89, sizeof file_89},
    {"/display/params.js", file_90, sizeof file_90},
    {"/display/screen.js", file_91, sizeof file_91},
    {"/display/style.js", file_92, sizeof file_92},
    {"/display/titles.js", file_93, sizeof file_93},
    {"/docs", file_94, sizeof file_94},
    {"/docs.css", file_95, sizeof file_95},
    {"/docs.js", file_96, sizeof file_96},
    {"/navstate-display.js", file_97, sizeof file_97},
    {"/navstate-rules.d.ts", file_98, sizeof file_98},
    {"/navstate-rules.js", file_99, sizeof file_99},
    {"/navstate.d.ts", file_100, sizeof file_100},
    {"/navstate.js", file_101, sizeof file_101},
    {"/openapi.json", file_102, sizeof file_102},
    {"/openapi.yaml", file_103, sizeof file_103},
    {"/play", file_104, sizeof file_104},
    {"/play/engine.js", file_105, sizeof file_105},
    {"/play/findings.js", file_106, sizeof file_106},
    {"/play/held.js", file_107, sizeof file_107},
    {"/play/link.js", file_108, sizeof file_108},
    {"/play/main.js", file_109, sizeof file_109},
    {"/play/model.js", file_110, sizeof file_110},
    {"/play/phone.js", file_111, sizeof file_111},
    {"/play/play.css", file_112, sizeof file_112},
    {"/play/steps.js", file_113, sizeof file_113},
    {"/play/try.js", file_114, sizeof file_114},
    {"/play/worker.js", file_115, sizeof file_115},
    {"/react-navigation.d.ts", file_116, sizeof file_116},
    {"/react-navigation.js", file_117, sizeof file_117},
    {"/rules-session.js", file_118, sizeof file_118},
    {"/rules.wasm", file_119, sizeof file_119},
    {"agents.json", file_120, sizeof file_120},
    {"apps/chat", file_121, sizeof file_121},
    {"apps/hierarchy", file_122, sizeof file_122},
    {"apps/routers", file_123, sizeof file_123},
    {"apps/shop", file_124, sizeof file_124},
    {"apps/social", file_125, sizeof file_125},
    {"problems.html", file_126, sizeof file_126},
    {"rules.wasm.br", file_127, sizeof file_127},
};

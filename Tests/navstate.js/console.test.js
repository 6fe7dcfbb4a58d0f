// The parts of the console that need no browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { spawnSync } from "node:child_process";
import { differences } from "../../Sources/Assets/web/console/diff.js";
import { matches } from "../../Sources/Assets/web/console/directory.js";
import { indented, mayDiffer, readExactly } from "../../Sources/Assets/web/console/exact.js";
import { graphOf, routesIn } from "../../Sources/Assets/web/console/graph-layout.js";
import { initial } from "../../Sources/Assets/web/console/icons.js";
import { captures, captureType, filled } from "../../Sources/Assets/web/console/link-form.js";
import { playwrightTest, shellScript } from "../../Sources/Assets/web/console/script.js";
import { commandObject, counted, grouped, paramsText } from "../../Sources/Assets/web/console/words.js";
import { buttonOf } from "../../Sources/Assets/web/console/actions.js";
import { applyStep } from "../../Examples/web-display/steps.js";
import { Titles } from "../../Sources/Assets/web/display/titles.js";
import { curlLine } from "../../Sources/Assets/web/console/curl.js";
import { Document } from "../../Sources/Assets/web/console/docs-schema.js";

test("curl lines can be pasted into a shell", () => {
    const url = "http://127.0.0.1:8080/v1/sessions/k/back";
    assert.equal(curlLine({ method: "POST", url, body: "{}" }, false), `curl -X POST ${url}`);
    assert.equal(curlLine({ method: "POST", url, body: '{"a":"it\'s"}' }, false), `curl --json '{"a":"it'\\''s"}' ${url}`);
    assert.equal(curlLine({ method: "DELETE", url }, true), `curl -X DELETE -H "Authorization: Bearer $NAVSTATE_TOKEN" ${url}`);
    assert.equal(curlLine({ method: "PATCH", url: `${url}?a=b&c`, body: '{"x":1}' }, false), `curl -X PATCH --json '{"x":1}' '${url}?a=b&c'`);
});

test("the document that the page draws is read, and every reference in it leads somewhere", async () => {
    const file = new URL("../../Sources/Assets/openapi.json", import.meta.url);
    const document = JSON.parse(await readFile(file, "utf8"));
    assert.match(document.openapi, /^3\.1/);
    const visit = (value) => {
        if (value === null || typeof value !== "object") return;
        const reference = value.$ref;
        if (typeof reference === "string" && reference.startsWith("#/components/")) {
            const target = reference.slice(2).split("/").reduce((at, step) => at?.[step], document);
            assert.ok(target, reference);
        }
        Object.values(value).forEach(visit);
    };
    visit(document);
    for (const item of Object.values(document.paths)) {
        for (const operation of [item.get, item.post, item.put, item.patch, item.delete].filter(Boolean)) {
            assert.ok(operation.operationId && operation.summary && operation.tags?.length === 1, operation.operationId);
        }
    }
});

test("the types of the document are named as the page shows them", async () => {
    const file = new URL("../../Sources/Assets/openapi.json", import.meta.url);
    const api = new Document(JSON.parse(await readFile(file, "utf8")));
    const name = (schema) => api.typeName({ $ref: `#/components/schemas/${schema}` });
    assert.equal(name("AppResult"), "StoredApp | AppReport");
    assert.equal(name("NewBadge"), "integer | null | string");
    assert.equal(name("ManyCommand"), "ManyCommand");
    assert.equal(name("ParamsSchema"), "ParamsSchema");
    const { properties } = api.schema({ $ref: "#/components/schemas/AppDefinition" });
    assert.equal(api.typeName(properties.routes), "{NAME: AppRoute}");
    assert.equal(api.typeName(properties.tabs), "AppTab[]");
    for (const word of ["hidesTabBar", "presentation", "when", "default", "commands"]) assert.ok(api.names({ $ref: "#/components/schemas/AppDefinition" }).has(word), word);
});

test("params and commands are put into a few words", () => {
    assert.equal(paramsText({ id: 42 }), "id 42");
    assert.equal(paramsText({ contact: { id: "1", name: "Ada" }, tags: ["a", "b"] }), "id 1, name Ada, tags 0 a, …");
    assert.equal(paramsText({ text: "x".repeat(60) }).length, "text ".length + 28);
    assert.equal(paramsText({}), "");
    const nameOf = (id) => `Post of ${id}`;
    assert.equal(commandObject({ command: "dismiss", sheet: "e9" }, nameOf), "Post of e9");
    assert.equal(commandObject({ command: "navigate", route: "post", params: { id: 6 } }, nameOf), "post id 6");
    assert.equal(commandObject({ command: "back", to: { entry: "e2" } }, nameOf), "to Post of e2");
});

test("numbers are grouped as English does", () => {
    for (const number of [0, 1, 12, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890]) {
        assert.equal(grouped(number), number.toLocaleString("en"));
    }
    assert.equal(counted(1, "session"), "1 session");
    assert.equal(counted(1_200, "session"), "1,200 sessions");
});

test("sessions are found by id, app, label, route and params", () => {
    const item = { id: "kiosk-1", app: "shop", labels: { room: "lobby" }, visible: { route: "orderDetail", params: { id: "A7" } } };
    for (const terms of [[], ["sk-1"], ["shop"], ["room:lob"], ["orderdetail"], ["a7"], ["lobby", "shop"]]) assert.ok(matches(item, terms), terms);
    for (const terms of [["kiosk-2"], ["lobby", "chat"]]) assert.ok(!matches(item, terms), terms);
});

test("a link's fields become its URL", () => {
    const pattern = "shop://{category}/{path*}?price={price}&page={page}";
    assert.deepEqual(captures(pattern).map(({ name, isRest, isQuery }) => [name, isRest, isQuery]),
        [["category", false, false], ["path", true, false], ["price", false, true], ["page", false, true]]);
    assert.equal(filled(pattern, { category: "a/b ü", path: "x/y z", page: "2" }), "shop://a%2Fb%20%C3%BC/x/y%20z?page=2");
    assert.equal(filled("/plain", {}), "/plain");
    const hash = "/x?id=form&q={q?}#/{a}-{b}/{c*}.png?d={d}";
    assert.deepEqual(captures(hash).map(({ name, isRest, isQuery }) => [name, isRest, isQuery]),
        [["q", false, true], ["a", false, false], ["b", false, false], ["c", true, false], ["d", false, true]]);
    assert.equal(filled(hash, { a: "1", b: "2", c: "3/4", d: "5" }), "/x?id=form#/1-2/3/4.png?d=5");
    const app = {
        $defs: { Id: { type: "integer" } },
        routes: { post: { params: { properties: { id: { $ref: "#/$defs/Id" } } } } },
        links: [{ pattern: "my://post/{id}", path: [{ route: "post", params: { id: "{id}" } }] }],
    };
    assert.equal(captureType(app, app.links[0], "id"), "integer");
});

test("what differs between two states is named by its path", () => {
    const before = { revision: 1, labels: { a: "1" }, tabs: [{ id: "x", path: [{ id: "e1", params: { n: 1 } }] }] };
    const after = { revision: 2, labels: { a: "1" }, tabs: [{ id: "x", badge: 3, path: [{ id: "e1", params: { n: 2 } }, { id: "e2" }] }] };
    assert.deepEqual(differences(before, after), [
        { path: "tabs.x.path.e1.params.n", before: 1, after: 2 }, { path: "tabs.x.path.e2", before: undefined, after: { id: "e2" } },
        { path: "tabs.x.badge", before: undefined, after: 3 },
    ]);
    assert.deepEqual(differences(after, { ...after, revision: 3 }), []);
});

test("an app's graph has a node for each screen, and each edge leads from one to another", () => {
    const app = {
        groups: { all: ["a", "@all", "@more"], more: ["b"] },
        routes: { a: {}, b: { presentation: "any" }, login: { presentation: "sheet", routes: ["register"] }, register: {} },
        tabs: [{ id: "one", routes: ["@all"] }, { id: "two", routes: ["b"] }],
    };
    assert.deepEqual(routesIn(app, ["@all"]), ["a", "b"]);
    const { nodes, edges, width, height } = graphOf(app);
    assert.deepEqual(nodes.map(({ key }) => key).sort(), ["route a", "route b", "route login", "route register", "tab one", "tab two"]);
    assert.deepEqual(edges.map(({ from, to }) => `${from} > ${to}`).sort(),
        ["route login > route register", "tab one > route a", "tab one > route b", "tab two > route b"]);
    assert.ok(nodes.every((node) => node.x >= 0 && node.x + node.width <= width && node.y + node.height <= height));
});

test("a recording names the ids that its own steps brought, and nothing else", () => {
    const visible = { route: "post", params: {} };
    const steps = [
        { command: "navigate", body: { route: "post", params: { id: "e8" } }, added: ["e7", "e8"], state: { visible } },
        { command: "back", body: { to: { entry: "e8" } }, added: [], state: { visible } },
        { command: "navigate", body: { route: "post", params: { entry: "e8" }, in: "main" }, added: ["e9"], state: { visible } },
        { command: "undo", body: { count: 1 }, added: [], state: { id: "s", visible } },
        { command: "undo", body: { count: 3 }, added: [], state: { id: "s", revision: 9, selectedTab: "main", visible } },
        { command: "back", body: { to: { entry: "e8" } }, added: [], state: { visible } },
    ];
    const recording = { origin: "http://127.0.0.1:1", session: "it's", start: { id: "s", revision: 4, tabs: [] }, steps, withToken: true };
    const shell = shellScript(recording);
    assert.match(shell, /e8=\$\(printf %s "\$answer" \| jq -r '\.added\[1\]'\)/);
    assert.match(shell, /--json '\{"to":\{"entry":"'"\$e8"'"\}\}'/);
    assert.match(shell, /"params":\{"entry":"e8"\},"in":"main"/, "params are the app's");
    assert.match(shell, /'\{"count":1\}' "\$url\/v1\/sessions\/\$session\/undo"/);
    assert.match(shell, /-X PUT --json '\{"selectedTab":"main"\}'/, "what was undone lies before the recording");
    assert.match(shell, /--json '\{"to":\{"entry":"e8"\}\}'/, "a stored state has its own ids");
    assert.match(shell, /NAVSTATE_TOKEN/);
    assert.equal(spawnSync("sh", ["-n"], { input: shell }).status, 0);
    const spec = playwrightTest(recording);
    assert.match(spec, /\{"to":\{"entry":step1\.added\[1\]\}\}/);
    assert.match(spec, /toMatchObject\(\{"route":"post","params":\{\}\}\)/);
});

test("what a recording repeats is data, whatever it looks like", async () => {
    const visible = { route: "post", params: JSON.parse('{"__proto__":{"a":1},"b":"«e1»"}') };
    const params = JSON.parse(JSON.stringify({
        a: 'x"«e1»', ", globalThis.injected = true, ": "step1.added[0]", "«e1»": "«e1»", "\u2028`${'": "'\"'$(exit 9)`", list: ["«e1»", null, 1.5, []],
    }).replace("{", '{"__proto__":{"polluted":true},'));
    const steps = [
        { command: "open", body: { url: "app://x" }, added: ["e1"], state: { visible } },
        { command: "setParams", body: { entry: "e1", params }, added: [], state: { visible } },
        { command: "restore", body: {}, added: [], state: { tabs: [{ id: "t", path: [{ id: "e1", params }] }], visible } },
    ];
    const recording = { origin: "http://127.0.0.1:1", session: "k", start: { tabs: [{ id: "t", path: [{ id: "e1", params }] }] }, steps, withToken: false };
    const text = (/** @type {any} */ value) => JSON.stringify(value);
    const sent = [text(recording.start), text(steps[0].body), text({ entry: "e7", params }), text({ tabs: steps[2].state.tabs })];

    const requests = [];
    const body = playwrightTest(recording).split("\n").filter((line) => !line.startsWith("import")).join("\n");
    const expect = (/** @type {any} */ value) => ({ toBe: () => {}, toMatchObject: (/** @type {any} */ wanted) => assert.equal(text(wanted), text(visible), text(value)) });
    let run;
    new Function("expect", "test", "process", body)(expect, (_, made) => (run = made), { env: {} });
    await run({ request: { fetch: async (_, { data }) => {
        requests.push(text(data));
        return { ok: () => true, json: async () => ({ added: ["e7"], session: { visible }, visible }) };
    } } });
    assert.deepEqual(requests, sent);
    assert.equal(globalThis.injected, undefined);

    const curl = 'curl() { while [ "$1" != --json ] && [ $# -gt 1 ]; do shift; done; [ "$1" = --json ] && printf "%s\\n" "$2" >&2; echo "{}"; }\njq() { cat >/dev/null; echo e7; }\n';
    const shell = spawnSync("sh", [], { input: curl + shellScript(recording).replace("#!/bin/sh\n", ""), encoding: "utf8" });
    assert.equal(shell.status, 0, shell.stderr);
    assert.deepEqual(shell.stderr.trim().split("\n"), sent);
});

test("header fields and bodies are words of their own in a curl line", () => {
    const url = "http://127.0.0.1:8080/v1/sessions/k";
    assert.equal(curlLine({ method: "PUT", url, body: "@-" }, false), `curl -X PUT --json @- ${url}`);
    assert.equal(curlLine({ method: "GET", url }, false, ["-H", "'If-None-Match: $&'"]), `curl -H 'If-None-Match: $&' ${url}`);
});

test("an integer that JavaScript would change is kept, or else refused", () => {
    const text = '{"id":9007199254740993,"price":1.0,"list":[-2,1.5,null,"9007199254740993"],"__proto__":{"a":1}}';
    // Node has JSON.rawJSON since version 21.
    if ("rawJSON" in JSON) {
        assert.equal(JSON.stringify(readExactly(text)), text);
        assert.equal(indented(text), JSON.stringify(readExactly(text), null, 2));
    } else {
        assert.throws(() => readExactly(text), /cannot keep an integer as large as/);
        assert.equal(indented(text), text);
    }
    assert.deepEqual(readExactly('{"a":[1,-2.5,"x"]}'), { a: [1, -2.5, "x"] });
    assert.throws(() => readExactly("{"), SyntaxError);
    assert.equal(indented('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
    assert.ok(mayDiffer(JSON.parse(text)));
    assert.ok(!mayDiffer({ id: 9007199254740991, list: [1.5, null, "9007199254740993"] }));
});

test("a tab without a drawing shows the first character of its title, whatever that is", () => {
    for (const [title, first] of [["search", "S"], ["🚲 Bikes", "🚲"], ["👩‍👩‍👧 Family", "👩‍👩‍👧"], ["éa", "É"], ["", ""]]) {
        assert.equal(initial(title), first.normalize(title === title.normalize() ? "NFC" : "NFD"), title);
    }
});

test("a line is a button", () => {
    assert.deepEqual(buttonOf("delete: Delete it (destructive)"), { id: "delete", title: "Delete it", role: "destructive" });
    assert.deepEqual(buttonOf("Keep it (cancel)"), { id: "keep-it", title: "Keep it", role: "cancel" });
    assert.deepEqual(buttonOf("OK"), { id: "ok", title: "OK" });
    assert.deepEqual(buttonOf("a: b: c (maybe)"), { id: "a", title: "b: c (maybe)" });
});

const entry = (id, more = {}) => ({ id, route: "r", params: {}, ...more });
const state = (path, sheets = [], more = {}) => ({
    selectedTab: "a", tabs: [{ id: "a", path }, { id: "b", path: [] }], sheets, nextEntry: 12,
    visible: { container: "a", entry: path.at(-1)?.id ?? "a", route: "r", params: {}, tabBarHidden: false }, ...more,
});
const sheet = (id, more = {}) => ({ id, style: "sheet", route: "s", params: {}, presentedBy: "a", path: [], ...more });

test("the step params tells of roots, locks and times", () => {
    const root = { id: "a", route: "search", params: { q: "tea" } };
    assert.deepEqual(applyStep(state([]), { step: "params", entry: root }).tabs[0].root, root);
    const before = state([entry("e1", { mark: "m", locked: true })], [sheet("e2", { dismissible: false, expiresAt: "t" })]);
    const free = applyStep(before, { step: "params", entry: { id: "e1", route: "r", params: { n: 1 } } });
    assert.deepEqual(free.tabs[0].path[0], { id: "e1", route: "r", params: { n: 1 } });
    const { sheets: [open] } = applyStep(before, { step: "params", entry: { id: "e2", route: "s", params: {} } });
    assert.deepEqual(open, sheet("e2"));
    const held = applyStep(free, { step: "params", entry: entry("e2", { route: "s", dismissible: false, expiresAt: "t" }) });
    assert.deepEqual(held.sheets[0], before.sheets[0]);
});

test("the display shows the titles of the session, and never a template", () => {
    const titles = new Titles();
    titles.app = { routes: { finder: { title: "Results for {q}" } }, tabs: [{ id: "search", title: "Search", root: { route: "finder", params: { q: "" } } }] };
    const tab = { id: "search", path: [] };
    const visible = { container: "search", entry: "search", route: "finder", params: { q: "tea" } };
    assert.equal(titles.root({ visible: { ...visible, title: "Results for tea" } }, tab).title, "Results for tea");
    assert.equal(titles.root({ visible }, tab).title, "Results for tea");
    assert.equal(titles.root({ visible: { ...visible, params: {} } }, tab).title, "Finder");
    const away = { container: "other", entry: "other", route: "other", params: {} };
    assert.deepEqual(titles.root({ visible: away }, { ...tab, root: { id: "search", route: "finder", params: { q: "rice" }, title: "Rice" } }),
        { id: "search", route: "finder", params: { q: "rice" }, title: "Rice" });
    assert.equal(titles.screen({ route: "finder", title: "Mine" }), "Mine");
});

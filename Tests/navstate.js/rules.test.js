// The rules without a server:
//
//     node --expose-gc --test Tests/navstate.js/rules.test.js
//
// Tests/rules has the stories of the contract and random programs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { NavstateError } from "../../Sources/Assets/web/navstate.js";
import { InvalidApp, loadRules } from "../../Sources/Assets/web/navstate-rules.js";

const rules = await loadRules();
const document = (name) => readFile(new URL(`../../Examples/apps/${name}.json`, import.meta.url), "utf8");
const shop = await document("shop");
const problem = (code) => (error) => error instanceof NavstateError && error.code === code;

// The rules

test("the rules are loaded once, and from bytes, compressed or not", async () => {
    assert.equal(await loadRules(), rules);
    const [packed, shorter] = await Promise.all(["gz", "br"].map((ending) =>
        readFile(new URL(`../../Sources/Assets/web/rules.wasm.${ending}`, import.meta.url))));
    const plain = gunzipSync(packed);
    assert.ok(plain.equals(brotliDecompressSync(shorter)), "the two files are of one module");
    assert.ok(shorter.length <= 450 * 1024, `${shorter.length} bytes`);
    for (const source of [packed, plain]) {
        assert.equal((await loadRules(source)).app(shop).id, "shop");
    }
});

test("an app is read, or its faults are told with their places", () => {
    const app = rules.app(shop);
    assert.deepEqual([app.id, app.title, app.warnings], ["shop", JSON.parse(shop).title, []]);
    assert.equal(rules.app({ routes: { home: {} }, tabs: [{ id: "home" }] }, "own").id, "own");
    const faults = (text) => {
        try {
            rules.app(text);
        } catch (error) {
            assert.ok(error instanceof InvalidApp);
            return error.faults.map(({ pointer, line, column }) => [pointer, line, column]);
        }
        return [];
    };
    assert.deepEqual(faults('{"id": "a",\n "tabs": [{"id": "x",\n  "root": 7}]}'), [["/tabs/0/root", 3, 11]]);
    assert.throws(() => rules.app('{"id": "a",\n  7}'), /is not valid JSON: .*line 2, column 3/);
    assert.deepEqual(faults('{"id": "a",\n  7}'), [["", 2, 3]]);
    assert.deepEqual(faults("{}").map(([pointer]) => pointer), ["/id", "/tabs"]);
    assert.deepEqual(rules.app('{"id":"a","tabs":[{"id":"x","icon":"calender"}]}').warnings.map(({ code }) => code), ["unknown-icon"]);
});

test("a session is changed and read as by the API", () => {
    const session = rules.session(rules.app(shop), { id: "s", at: 1000 });
    assert.equal(session.state.createdAt, "1970-01-01T00:00:01Z");
    const copy = session.copy();
    const { added, changed } = session.perform("navigate", { route: "product", params: { product: { title: "Tea" } } });
    assert.deepEqual([added, changed, session.state.visible.route], [["e1"], true, "product"]);
    assert.equal(session.event.command.command, "navigate");
    assert.deepEqual(copy.stepsTo(session).map(({ step }) => step), ["push"]);
    assert.equal(copy.state.revision, 1);
    assert.equal(session.perform("navigate", { route: "orders" }).held, "member");
    assert.equal(session.holds("member"), false);
    assert.equal(session.holds("nothing"), null);
    assert.ok(session.allowed().push.length > 0);
    assert.equal(session.perform("undo").undone, 1);
    assert.equal(session.update({ labels: { a: "b" } }).labels.a, "b");
    assert.equal(session.restore(copy.state).visible.route, copy.state.visible.route);
    assert.throws(() => session.perform("navigate", { route: "prodct" }), (error) =>
        problem("unknown-route")(error) && error.problem.near.includes("product") && error.status === 422);
    assert.throws(() => session.perform("select", { tab: session.state.selectedTab }, { strict: true }), problem("already-selected"));
    assert.throws(() => session.perform("nothing"), NavstateError);
    assert.throws(() => rules.session(null, { create: { tabs: [] } }), NavstateError);
    session.free();
});

test("time passes when it is said", () => {
    const session = rules.session(null, { create: { tabs: ["a"] }, at: 0 });
    session.perform("present", { route: "x", ttlSeconds: 10 }, { at: 0 });
    assert.equal(session.advance(9_000), null);
    assert.equal(session.advance(4_000_000_000_000).sheets.length, 0);
});

test("a time that is out of range is replaced by the first or the last one", () => {
    const [first, last] = ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
    const create = { tabs: ["a"], idle: { seconds: 5, command: { command: "root" } } };
    for (const [at, expected] of [[NaN, first], [-Infinity, first], [-1e30, first], [Infinity, last], [1e30, last], [9e18, last]]) {
        const session = rules.session(null, { create, at });
        assert.equal(session.state.createdAt, expected, `${at}`);
        const early = rules.session(null, { create, at: 0 });
        assert.equal(early.perform("navigate", { route: "p" }, { at }).session.updatedAt, expected, `${at}`);
        assert.equal(rules.session(null, { create, at: 0 }).restore(early.state, { at }).updatedAt, expected, `${at}`);
        assert.equal(rules.session(null, { create, at: 0 }).update({ labels: { a: "b" } }, { at }).updatedAt, expected, `${at}`);
        assert.equal(rules.session(null, { restore: early.state, at }).state.updatedAt, expected, `${at}`);
        assert.equal(rules.session(null, { continue: early.state, at }).perform("back", {}, { at }).changed, true, `${at}`);
    }
    const session = rules.session(null, { create, at: 0 });
    session.perform("navigate", { route: "p" }, { at: 0 });
    assert.equal(session.advance(NaN), null);
    assert.equal(session.advance(Infinity).changed, true);
    assert.equal(session.advance(Infinity), null);
});

test("the event is that of the last change, also after what changes nothing", () => {
    const session = rules.session(null, { create: { tabs: ["a"] }, at: 0 });
    assert.equal(session.event, null);
    session.perform("navigate", { route: "p" }, { at: 0 });
    const { event } = session;
    assert.equal(event.command.command, "navigate");
    assert.throws(() => session.perform("navigate", {}), NavstateError);
    assert.deepEqual(session.event, event);
    assert.equal(session.perform("redo").changed, false);
    assert.deepEqual(session.event, event);
    assert.equal(session.advance(1_000_000), null);
    assert.deepEqual([session.event, session.copy().event], [event, event]);
    session.perform("back");
    assert.equal(session.event.command.command, "back");
});

test("ids, times and counts may be larger than 32 bits", () => {
    const state = rules.session(null, { create: { tabs: ["a"], ttlSeconds: 3_155_760_000 }, at: 4_102_444_800_123 }).state;
    assert.equal(state.expiresAt, "2200-01-02T00:00:00Z");
    const large = { ...state, nextEntry: 999_999_999_999, revision: 9_007_199_254 };
    const session = rules.session(null, { continue: large });
    assert.deepEqual(session.perform("navigate", { route: "p" }).added, ["e999999999999"]);
    assert.equal(session.state.revision, 9_007_199_255);
    assert.equal(session.perform("back", { count: 9_000_000_000_000 }).popped, 1);
    assert.equal(session.perform("undo", { count: 9_000_000_000_000 }).undone, 2);
});

test("numbers are read and written as by the server", () => {
    const session = rules.session(null, { create: { tabs: ["a"] } });
    const written = (number) => {
        session.perform("setPath", `{"in":"a","path":[{"route":"p","params":{"n":${number}}}]}`);
        return /"n":([^}]*)}/.exec(session.text)[1];
    };
    for (const [given, expected] of [
        ["0.1", "0.1"], ["1.0", "1.0"], ["-0.0", "-0.0"], ["-0", "-0.0"], ["1e21", "1e+21"], ["1E5", "100000.0"],
        ["9007199254740993", "9007199254740993"], ["9007199254740993.0", "9007199254740992.0"],
        ["2.2250738585072011e-308", "2.225073858507201e-308"], ["5e-324", "5e-324"], ["1e-400", "0.0"],
        ["6.631236846766476e-316", "6.63123685e-316"], ["1e23", "1e+23"],
        ["179769313486231580793728971405301e276", "1.7976931348623157e+308"],
        ["0.500000000000000166533453693773481063544750213623046875", "0.5000000000000002"],
        ["9223372036854775807", "9223372036854775807"],
    ]) assert.equal(written(given), expected, given);
    assert.throws(() => written("1e400"), NavstateError);
    assert.throws(() => written("9223372036854775808"), NavstateError);
});

test("patterns know the properties of characters", () => {
    const app = rules.app({
        id: "a", tabs: [{ id: "x", root: "x", routes: ["y"] }],
        routes: { x: {}, y: { params: { properties: { n: { type: "string", pattern: "^\\p{Lu}\\p{L}*\\p{Emoji}?$" } } } } },
    });
    const session = rules.session(app);
    for (const name of ["Ärger", "Ωmega", "A😀"]) assert.ok(session.perform("navigate", { route: "y", params: { n: name } }).changed);
    assert.throws(() => session.perform("navigate", { route: "y", params: { n: "ärger" } }), problem("invalid-params"));
});

test("the examples have no findings, and a goal has a program", () => {
    const app = rules.app(shop);
    const found = app.explore({ depth: 3 });
    assert.deepEqual([found.findings, found.isCutOff, found.depth], [[], false, 3]);
    assert.deepEqual(found.screens, found.declared);
    const program = app.explore({ to: "orders" }).program;
    const session = rules.session(app);
    for (const { command, ...body } of program) session.perform(command, body);
    assert.equal(session.state.visible.route, "orders");
    assert.equal(app.explore({ to: "nowhere" }).program, null);
    assert.ok(app.explore({ statesMax: 5 }).isCutOff);
});

test("what is hostile is refused, and the rules go on", () => {
    const deep = "[".repeat(100_000);
    assert.throws(() => rules.app(deep), InvalidApp);
    assert.throws(() => rules.app(`{"id":"a","tabs":[{"id":"x","root":${"[".repeat(60)}${"]".repeat(60)}}]}`), InvalidApp);
    const session = rules.session(null, { create: { tabs: ["a"] } });
    for (const body of ["", "\0", deep, '{"route":"\ud800"}', "null", "[]"]) {
        assert.throws(() => session.perform("navigate", body), NavstateError);
    }
    const pattern = { id: "a", tabs: [{ id: "x", root: "x" }], routes: { x: { params: { properties: { n: { pattern: "(a*)*b".repeat(50) } } } } } };
    try {
        rules.app(pattern);
    } catch (error) {
        assert.ok(error instanceof InvalidApp);
    }
    assert.ok(session.perform("navigate", { route: "p" }).changed);
});

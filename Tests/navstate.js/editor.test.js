// The parts of the editor of apps that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppSchema } from "../../Sources/Assets/web/console/app-schema.js";
import { FoldedText } from "../../Sources/Assets/web/console/folded-text.js";
import { placeAt, rangeOf, readTree } from "../../Sources/Assets/web/console/json-tree.js";

const seed = Number(process.env.NAVSTATE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Numbers from 0 to below `limit`, the same for the same seed. */
function randomness(start) {
    let state = start >>> 0;
    return (limit) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor(state / 2 ** 32 * limit);
    };
}

function randomValue(random, depth = 0) {
    switch (random(depth > 3 ? 4 : 6)) {
        case 0: return random(2) === 0;
        case 1: return null;
        case 2: return random(2000) / 8 - 100;
        case 3: return ["", "a", "~/ü\"\\\n", "{\"x\": [", "long text"][random(5)];
        case 4: return Array.from({ length: random(4) }, () => randomValue(random, depth + 1));
        default: return Object.fromEntries(Array.from({ length: random(4) }, () => [["a", "b", "c/d~", "", "é"][random(5)], randomValue(random, depth + 1)]));
    }
}

function* pointers(value, at = "") {
    yield [at, value];
    if (value === null || typeof value !== "object") return;
    for (const [key, item] of Object.entries(value)) yield* pointers(item, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

test(`valid JSON has no faults, and each pointer leads to its place (seed ${seed})`, () => {
    const random = randomness(seed);
    for (let round = 0; round < 2_000; round += 1) {
        const value = randomValue(random);
        const text = JSON.stringify(value, null, random(3));
        const { root, faults } = readTree(text);
        assert.deepEqual(faults, [], text);
        for (const [pointer, item] of pointers(value)) {
            const { start, end } = rangeOf(root, pointer);
            const found = text.slice(start, end);
            if (item === null || typeof item !== "object") assert.deepEqual(JSON.parse(found), item, `${pointer} in ${text}`);
            else if (/^[[{]$/.test(found)) assert.equal(found, Array.isArray(item) ? "[" : "{");
            else assert.equal(JSON.parse(found), pointer.split("/").at(-1).replaceAll("~1", "/").replaceAll("~0", "~"));
        }
    }
});

test(`a text has faults exactly if it is no JSON, and they lie in it (seed ${seed})`, () => {
    const random = randomness(seed);
    const letters = '{}[]",:\\ a1-e\n\ttrue'.split("");
    for (let round = 0; round < 20_000; round += 1) {
        const text = JSON.stringify(randomValue(random), null, random(2)).split("");
        for (let change = random(4); change > 0; change -= 1) text.splice(random(text.length + 1), random(2), ...(random(2) === 0 ? [letters[random(letters.length)]] : []));
        const changed = text.join("");
        const { root, faults } = readTree(changed);
        let isJSON = true;
        try { JSON.parse(changed); } catch { isJSON = false; }
        const own = faults.filter(({ detail }) => detail !== "repeats a member");
        assert.equal(own.length === 0, isJSON, `${JSON.stringify(changed)} ${JSON.stringify(own)}`);
        for (const { start, end } of faults) assert.ok(start >= 0 && start < end && start <= changed.length, changed);
        for (let offset = 0; offset <= changed.length; offset += 1) {
            const place = placeAt(root, offset);
            assert.ok(!place || (place.start <= offset && offset <= place.end), changed);
        }
    }
});

test("members that are there twice, deep texts and texts without an end are faults", () => {
    const details = (text) => readTree(text).faults.map(({ start, detail }) => `${start} ${detail}`);
    assert.deepEqual(details('{"a": 1, "a": 2}'), ["9 repeats a member"]);
    assert.deepEqual(details('{"a": 1,}'), ["7 no comma follows the last one"]);
    assert.deepEqual(details('{"a": 1 "b": 2}'), ["8 a comma is missing before it"]);
    assert.deepEqual(details("{'a': 1}"), ["1 the name of a member needs double quotes"]);
    assert.deepEqual(details('{"a" 1}'), ["1 a colon and a value are missing after it", "5 a comma is missing before it", "5 the name of a member needs double quotes", "5 a colon and a value are missing after it"]);
    assert.deepEqual(details('["a]'), ["1 lacks the closing quote", "0 lacks its closing ]"]);
    assert.deepEqual(details("[1] 2"), ["4 is too much: the document has ended before it"]);
    assert.deepEqual(details(""), ["0 a value is missing here"]);
    assert.ok(details("[".repeat(100_000)).some((detail) => detail.endsWith("is nested too deeply")));
});

test(`folds keep the text and its places (seed ${seed})`, () => {
    const random = randomness(seed);
    for (let round = 0; round < 2_000; round += 1) {
        const whole = JSON.stringify(randomValue(random), null, 2) + (random(4) === 0 ? "\uE000\n" : "");
        const hidden = new Map();
        let view = whole;
        for (let fold = 0; fold < 4; fold += 1) {
            const start = random(view.length + 1);
            const end = start + random(view.length + 1 - start);
            if (start < end) view = view.slice(0, start) + new FoldedText(view, hidden).fold(start, end) + view.slice(end);
        }
        const text = new FoldedText(view, hidden);
        assert.equal(text.whole, whole);
        for (let offset = 0; offset <= view.length; offset += 1) {
            assert.equal(text.toView(text.toWhole(offset)), offset);
            assert.equal(text.lineOf(offset), view.slice(0, offset).split("\n").length - 1);
        }
        text.numbers.forEach((number, line) => assert.equal(number, whole.slice(0, text.toWhole(text.starts[line])).split("\n").length));
        for (let offset = 0; offset < whole.length; offset += 1) {
            const over = text.foldOver(offset);
            assert.equal(over === undefined ? view[text.toView(offset)] : text.toView(offset), over === undefined ? whole[offset] : over.at);
        }
    }
});

const schema = new AppSchema({
    properties: { routes: { type: "object", additionalProperties: { $ref: "#/$defs/Route" } }, tabs: { items: { $ref: "#/$defs/Tab" } },
        guards: { additionalProperties: { properties: { when: {}, instead: { oneOf: [{ $ref: "#/$defs/Present" }, { $ref: "#/$defs/Open" }] } } } }, facts: {} },
    $defs: {
        Route: { properties: { guard: { type: "string" }, mode: { enum: ["push", "reset"], description: "How it is pushed. More." }, hidesTabBar: { type: "boolean" } } },
        Tab: { required: ["id"], properties: { id: { type: "string" }, root: {}, routes: { type: "array" } } },
        Present: { properties: { command: { const: "present" }, route: { type: "string" }, params: {} } },
        Open: { properties: { command: { const: "open" }, url: { type: "string" } } },
    },
});

/** The proposals at the bar in the text. */
function proposed(text) {
    const offset = text.indexOf("|");
    const { root } = readTree(text.replace("|", ""));
    const place = placeAt(root, offset);
    return place ? schema.proposals(root, place).map((proposal) => proposal.text) : undefined;
}

test("members, values and names are proposed where they fit", () => {
    assert.deepEqual(proposed('{"tabs": [], |}'), ['"routes": {}', '"guards": ', '"facts": ']);
    assert.deepEqual(proposed('{"routes": {"a": {"|"}}}'), ['"guard": ""', '"mode": ""', '"hidesTabBar": ']);
    assert.deepEqual(proposed('{"routes": {"a": {"guard": "x", |}}}'), ['"mode": ""', '"hidesTabBar": ']);
    assert.deepEqual(proposed('{"routes": {"a": {"mode": |}}}'), ['"push"', '"reset"']);
    assert.deepEqual(proposed('{"routes": {"a": {"mode": "pu|"}}}'), ['"push"', '"reset"']);
    assert.deepEqual(proposed('{"routes": {"a": {"hidesTabBar": |}}}'), ["true", "false"]);
    const app = (/** @type {string} */ more) => `{"routes": {"a": {"params": {"properties": {"id": {}}}}, "b": {}}, "groups": {"g": ["a"]}, "facts": {"in": {}}, "guards": {"m": {"when": {}}}, ${more}}`;
    assert.deepEqual(proposed(app('"tabs": [{"root": "|"}]')), ['"a"', '"b"']);
    assert.deepEqual(proposed(app('"tabs": [{"routes": ["|"]}]')), ['"a"', '"b"', '"@g"']);
    assert.deepEqual(proposed(app('"links": [{"path": [{"route": "a", "params": {|}}]}]')), ['"id": ""']);
    assert.deepEqual(proposed(app('"x": {"y": {"guard": ["|"]}}')), ['"m"']);
    assert.deepEqual(proposed('{"facts": {"in": {}}, "guards": {"m": {"when": {"|"}}}}'), ['"in": true']);
    assert.deepEqual(proposed('{"guards": {"m": {"instead": {"command": "open", |}}}}'), ['"url": ""']);
    assert.deepEqual(proposed('{"guards": {"m": {"instead": {"command": "|"}}}}'), ['"present"', '"open"']);
    for (const text of ['|{"a": 1}', '{"a": 1}|', '{"a" |: 1}', '{"a": 12 |}', '[[|]']) proposed(text);
    assert.equal(proposed('{"a": 1}|'), undefined);
});

// The parts of the display, and of the list of sessions, that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { address, filtersOf, pageOf } from "../../Sources/Assets/web/console/address.js";
import { symbols } from "../../Sources/Assets/web/console/symbols.js";
import { filled } from "../../Sources/Assets/web/console/words.js";
import { readable } from "../../Sources/Assets/web/display/params.js";

const rows = (params, schema, definitions, title = "") =>
    readable(params, schema, definitions, title).map(({ label, text }) => `${label}: ${text}`);

test("a visitor reads params without ids", () => {
    assert.deepEqual(rows({ id: 1, userId: "ada", order_id: 2, productIDs: [1], uuid: "x", paid: true, valid: false }), ["Paid: Yes", "Valid: No"]);
    assert.deepEqual(rows({ ref: "0F8FAD5B-D9CB-469F-A165-70867728950E", note: null, empty: "" }), []);
    assert.deepEqual(rows({ kid: "Ada", paid: "cash", valid: 7 }), ["Kid: Ada", "Paid: cash", "Valid: 7"], "not every word that ends so is an id");
});

test("a visitor reads dates, lists and nested params in words", () => {
    assert.deepEqual(rows({ items: ["tea", 2, { a: 1 }], address: { street: "Main St 1", id: 4 } }), ["Items: tea, 2", "Street: Main St 1"]);
    assert.match(rows({ day: "2026-12-01" })[0], /^Day: .*2026/);
    assert.deepEqual(rows({ day: "2026-13-41" }), ["Day: 2026-13-41"], "no date of the calendar");
    assert.deepEqual(rows({ year: 2026 }), ["Year: 2026"]);
});

test("the app's titles of params are used, also behind a reference", () => {
    const schema = { properties: { q: { title: "Search for" }, product: { $ref: "#/$defs/Product" } } };
    const definitions = { Product: { properties: { price: { title: "Price in €" } } } };
    assert.deepEqual(rows({ q: "tea", product: { price: 4.5 } }, schema, definitions), ["Search for: tea", "Price in €: 4.5"]);
    assert.deepEqual(rows({ toString: "a", q: "b" }, { properties: {} }), ["To string: a", "Q: b"], "no inherited member");
});

test("what the title says is not said again", () => {
    assert.deepEqual(rows({ q: "tea", size: "a" }, undefined, undefined, "Results for “Tea”"), ["Size: a"]);
});

test("titles are filled in with params, or not at all", () => {
    assert.equal(filled("Results for {q}", { q: "tea" }), "Results for tea");
    assert.equal(filled("{user.name}: {n}", { user: { name: "Ada" }, n: 0 }), "Ada: 0");
    for (const params of [undefined, {}, { q: null }, { q: {} }]) assert.equal(filled("Results for {q}", params), undefined);
    assert.equal(filled("{constructor.name}", {}), undefined);
    assert.equal(filled(undefined, {}), undefined);
    assert.equal(filled("Home", undefined), "Home");
});

test("the address keeps the filters, in every page", () => {
    const filters = { text: "a b&c", app: "shop", labels: ["room:hall", "x:=#"], sort: "-id" };
    for (const target of [{}, { session: "k#1" }, { wall: "" }]) {
        const values = new URLSearchParams(address(target, filters).slice(1));
        assert.deepEqual(filtersOf(values), filters);
        assert.equal(pageOf(values), target.wall === undefined ? "sessions" : "wall");
        assert.equal(values.get("session"), target.session ?? null);
    }
    assert.deepEqual(filtersOf(new URLSearchParams("wall=lobby")), { text: "lobby", app: "", labels: [], sort: "changed" });
});

test("the symbols are sorted, and drawn within their square", () => {
    const names = Object.keys(symbols);
    assert.ok(names.length >= 40);
    assert.deepEqual(names, [...names].sort());
    for (const [name, path] of Object.entries(symbols)) assert.match(path, /^M[-\dMLHVCSQTAZmlhvcsqtaz. ]+$/, name);
});

// The parts of the console that need no browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { curlLine } from "../../Sources/Assets/web/console/curl.js";
import { Document } from "../../Sources/Assets/web/console/docs-schema.js";
import { parseYAML } from "../../Sources/Assets/web/console/yaml.js";

test("curl lines can be pasted into a shell", () => {
    const url = "http://127.0.0.1:8080/v1/sessions/k/back";
    assert.equal(curlLine({ method: "POST", url, body: "{}" }, false), `curl -X POST ${url}`);
    assert.equal(curlLine({ method: "POST", url, body: '{"a":"it\'s"}' }, false), `curl --json '{"a":"it'\\''s"}' ${url}`);
    assert.equal(curlLine({ method: "DELETE", url }, true), `curl -X DELETE -H "Authorization: Bearer $NAVSTATE_TOKEN" ${url}`);
    assert.equal(curlLine({ method: "PATCH", url: `${url}?a=b&c`, body: '{"x":1}' }, false), `curl -X PATCH --json '{"x":1}' '${url}?a=b&c'`);
});

test("YAML as openapi.yaml is written", () => {
    const text = [
        "# a comment", "a: 1 # behind", "b: {c: [1, two, \"x, y\"], 'd e': null, f: {}}", "\"200\": ok", "/v1/{id}:",
        "  - name: x", "    in: [p,", "      q]", "  - plain", "  -", "    deep: true", "t: |", "  one", "    two", "",
        "  three", "g: >-", "  folded", "  text", "u: a plain text", "  on two lines", "v: \"a: b # c\"", "w: it's: fine",
        "e: ''", "n:", "z: -1.5", "version: \"1.0\"", "date: 2026-11-21T10:00:00Z",
    ].join("\n");
    assert.deepEqual(parseYAML(text), {
        a: 1, b: { c: [1, "two", "x, y"], "d e": null, f: {} }, 200: "ok",
        "/v1/{id}": [{ name: "x", in: ["p", "q"] }, "plain", { deep: true }],
        t: "one\n  two\n\nthree\n", g: "folded text", u: "a plain text on two lines", v: "a: b # c", w: "it's: fine",
        e: "", n: null, z: -1.5, version: "1.0", date: "2026-11-21T10:00:00Z",
    });
});

test("what is no YAML that it knows is refused with the line", () => {
    for (const text of ["a: 1\n  b: 2", "a: 1\na: 2", "a: {b: 1", "a:\n  b: 1\n c: 2"]) {
        assert.throws(() => parseYAML(text), SyntaxError, text);
    }
});

test("the document that the page draws is read, and every reference in it leads somewhere", async () => {
    const file = new URL("../../openapi.yaml", import.meta.url);
    const document = parseYAML(await readFile(file, "utf8"));
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
    const file = new URL("../../openapi.yaml", import.meta.url);
    const api = new Document(parseYAML(await readFile(file, "utf8")));
    const name = (schema) => api.typeName({ $ref: `#/components/schemas/${schema}` });
    assert.equal(name("SessionResult"), "Session | SessionRevision");
    assert.equal(name("AppResult"), "StoredApp | AppReport");
    assert.equal(name("NewBadge"), "integer | null | string");
    assert.equal(name("ManyCommand"), "ManyCommand");
    assert.equal(name("ParamsSchema"), "any JSON");
});

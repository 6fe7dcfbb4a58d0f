// The scripts as the server sends them, each with what it imports in one, against the files:
// NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const url = process.env.NAVSTATE_URL;
const skip = url ? false : "NAVSTATE_URL is not set";
const web = new URL("../../Sources/Assets/web/", import.meta.url);
const paths = (await readdir(web, { recursive: true })).filter((path) => path.endsWith(".js")).sort();
/** These act at once, and need a page for it. */
const forPages = ["console/begin.js", "console/main.js", "console/problems.js", "console/theme.js", "display/main.js", "docs.js"];
// Node has none before version 21.
globalThis.navigator ??= { platform: "" };

async function served(path) {
    const response = await fetch(`${url}/${path}`);
    assert.equal(response.status, 200, path);
    return response.text();
}

/** @param {string} text Of a module without imports. */
const run = (text) => import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

for (const path of paths.filter((path) => !forPages.includes(path))) {
    test(`/${path} exports what the file does`, { skip }, async () => {
        const joined = await run(await served(path));
        const file = await import(new URL(path, web));
        assert.deepEqual(Object.keys(joined), Object.keys(file));
        for (const [name, value] of Object.entries(file)) assert.equal(String(joined[name]), String(value), name);
    });
}

test("functions of joined modules call those of the others", { skip }, async () => {
    const app = JSON.parse(await readFile(new URL("../../Examples/apps/shop.json", import.meta.url), "utf8"));
    const { graphOf } = await run(await served("console/graph-layout.js"));
    assert.deepEqual(graphOf(app), (await import(new URL("console/graph-layout.js", web))).graphOf(app));
    assert.ok(JSON.stringify(graphOf(app)).length > 100);
});

test("a script that imports nothing is sent as it is", { skip }, async () => {
    for (const path of ["navstate.js", "console/theme.js", "console/words.js"]) {
        assert.equal(await served(path), await readFile(new URL(path, web), "utf8"));
    }
});

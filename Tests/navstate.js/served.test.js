// The scripts as the server sends them: NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const url = process.env.NAVSTATE_URL;
const skip = url ? false : "NAVSTATE_URL is not set";
const web = new URL("../../Sources/Assets/web/", import.meta.url);
const paths = (await readdir(web, { recursive: true })).filter((path) => path.endsWith(".js")).sort();

test("each script is sent as its file is", { skip }, async () => {
    assert.ok(paths.length > 50);
    for (const path of paths) {
        const response = await fetch(`${url}/${path}`);
        assert.equal(response.status, 200, path);
        assert.equal(response.headers.get("content-type"), "text/javascript; charset=utf-8", path);
        assert.equal(await response.text(), await readFile(new URL(path, web), "utf8"), path);
    }
});

// The scripts as the server sends them: NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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

test("the modules of the console, which are sent as one, are a script", { skip }, async () => {
    const text = await (await fetch(`${url}/console/start.js`)).text();
    const checked = spawnSync(process.execPath, ["--input-type=module", "--check"], { input: text });
    assert.equal(checked.status, 0, String(checked.stderr));
});

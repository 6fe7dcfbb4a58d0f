// The parts of the playground that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linkTo, readLink } from "../../Sources/Assets/web/play/link.js";

test("a link that can be made can be read, and has all that it was made of", async () => {
    const steps = (count, length) => Array.from({ length: count }, (_, n) => ({ command: "navigate", route: "x", params: { n, text: "é".repeat(length) } }));
    for (const [text, done] of [["{}", []], ["{}", steps(200, 10)], [" ".repeat(1024 * 1024), steps(100, 290)]]) {
        const fragment = await linkTo(text, done);
        assert.deepEqual(await readLink(fragment), { text, steps: done });
    }
    for (const [text, done] of [["{}", steps(100, 320)], [" ".repeat(1024 * 1024 + 1), []], ["é".repeat(600 * 1024), []],
        [Array.from({ length: 20_000 }, (_, n) => n * n).join(), []]]) assert.equal(await linkTo(text, done), null);
});

test("of a link whose commands cannot be read there is the document", async () => {
    const fragment = await linkTo("{}", [{ command: "root" }]);
    for (const broken of [fragment.slice(0, -4), `${fragment}!`, fragment.replace(/steps=.*/, fragment.slice(1).replace("app", "steps"))]) {
        assert.deepEqual(await readLink(broken), { text: "{}", steps: null });
    }
    assert.equal(await readLink("#steps=x"), null);
    await assert.rejects(readLink("#app=x"));
});

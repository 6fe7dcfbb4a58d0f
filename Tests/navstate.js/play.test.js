// The parts of the playground that need no browser.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { TooLong } from "../../Sources/Assets/web/play/engine.js";
import { fragmentOf, linkTo, readLink } from "../../Sources/Assets/web/play/link.js";
import { PlayModel } from "../../Sources/Assets/web/play/model.js";

/** A model whose rules are these functions of what they are asked. */
function modelWith(functions) {
    mock.timers.enable({ apis: ["setInterval"] });
    const model = new PlayModel();
    mock.timers.reset();
    model.emit = () => {};
    model.learnNames = () => {};
    const asked = [];
    model.engine = { ask: async (name, args) => {
        asked.push([name, ...args]);
        return functions[name](...args);
    } };
    return { model, asked };
}

test("a link that can be made can be read, and has all that it was made of", async () => {
    const steps = (count, length) => Array.from({ length: count }, (_, n) => ({ command: "navigate", route: "x", params: { n, text: "é".repeat(length) } }));
    for (const [text, done] of [["{}", []], ["{}", steps(200, 10)], [" ".repeat(1024 * 1024), steps(100, 290)]]) {
        const fragment = await linkTo(text, done);
        assert.deepEqual(await readLink(fragment), { text, steps: done });
    }
    for (const [text, done] of [["{}", steps(100, 320)], [" ".repeat(1024 * 1024 + 1), []], ["é".repeat(600 * 1024), []],
        [Array.from({ length: 20_000 }, (_, n) => n * n).join(), []]]) assert.equal(await linkTo(text, done), null);
});

test("a link that stays in the browser may be longer than one to send", async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => n * n).join();
    assert.equal(await linkTo(text), null);
    assert.deepEqual(await readLink(await fragmentOf(text)), { text, steps: [] });
    assert.equal(await fragmentOf(" ".repeat(1024 * 1024 + 1)), null);
});

test("of a link whose commands cannot be read there is the document", async () => {
    const fragment = await linkTo("{}", [{ command: "root" }]);
    for (const broken of [fragment.slice(0, -4), `${fragment}!`, fragment.replace(/steps=.*/, fragment.slice(1).replace("app", "steps"))]) {
        assert.deepEqual(await readLink(broken), { text: "{}", steps: null });
    }
    assert.equal(await readLink("#steps=x"), null);
    await assert.rejects(readLink("#app=x"));
});

test("commands that a document refuses are kept for the next one", async () => {
    const [root, push] = [{ command: "root" }, { command: "navigate", route: "x" }];
    const { model } = modelWith({
        begin: (text, steps) => ({ faults: [], done: steps.filter(({ command }) => !text.includes(command)).map((step) => ({ step, answer: {} })) }),
        perform: () => ({ answer: { held: "x" } }),
    });
    const done = () => model.done.map(({ step }) => step);
    await model.begin("[]", [push]);
    await model.begin('["navigate"]');
    assert.deepEqual([model.steps, done()], [[push], []]);
    await model.attempt("root");
    assert.deepEqual([model.steps, done()], [[push, root], [root]]);
    await model.begin("[]");
    assert.deepEqual([model.steps, done()], [[push, root], [push, root]]);
    await model.startOver();
    assert.deepEqual([model.steps, done()], [[], []]);
});

test("rules that took too long begin again where they were", async () => {
    const root = { command: "root" };
    const push = { command: "navigate", route: "x" };
    const begun = (_, steps) => ({ faults: [], done: steps.map((step) => ({ step, answer: {} })), session: { sheets: [{ expiresAt: "2026-11-21T10:00:00Z" }] } });
    let isSlow = () => false;
    const slowly = (answer) => (...args) => {
        if (isSlow(...args)) throw new TooLong();
        return answer(...args);
    };
    const { model, asked } = modelWith({ begin: slowly(begun), perform: slowly(() => {}), link: slowly(() => {}), advance: slowly(() => {}) });
    isSlow = () => true;
    await assert.rejects(model.begin("{}", [root]), TooLong);
    assert.deepEqual(asked.splice(0), [["begin", "{}", [root]]], "there is nothing to begin again");
    isSlow = () => false;
    await model.begin("{}", [root, push]);
    globalThis.document = { hidden: false };
    for (const ask of [() => model.begin("[]"), () => model.tried("open", {}), () => model.client.link(), () => model.attempt("root"), () => model.advance()]) {
        asked.splice(0);
        isSlow = (text) => text !== "{}";
        await ask().catch((error) => assert.ok(error instanceof TooLong));
        assert.deepEqual(asked.slice(1), [["begin", "{}", [root, push]]]);
        assert.deepEqual([model.text, model.steps], ["{}", [root, push]]);
    }
    // Together they take too long, though each of them did not.
    asked.splice(0);
    isSlow = (text, steps) => text !== "{}" || steps.length > 0;
    await assert.rejects(model.attempt("root"), TooLong);
    assert.deepEqual([asked.slice(1), model.done], [[["begin", "{}", [root, push]], ["begin", "{}", []]], []]);
});

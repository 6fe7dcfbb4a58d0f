// Sessions of a server whose commands are predicted:
//
//     NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/rules-session.test.js
//
// The server has the apps of the examples. NAVSTATE_GUARDED_URL names a second one, which asks for NAVSTATE_TOKEN.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createClient, NavstateError } from "../../Sources/Assets/web/navstate.js";
import { loadRules } from "../../Sources/Assets/web/navstate-rules.js";
import { proxy } from "./proxy.js";

const url = process.env.NAVSTATE_URL;
const skip = url ? false : "NAVSTATE_URL is not set";
const guardedURL = process.env.NAVSTATE_GUARDED_URL;
const skipGuarded = guardedURL ? false : "NAVSTATE_GUARDED_URL is not set";
const problem = (code) => (error) => error instanceof NavstateError && error.code === code;

const until = async (isMet) => {
    while (!await isMet()) await new Promise((go) => setTimeout(go, 10));
};

/** A session, a second client, and a proxy in between. */
const real = (name, body, create = { tabs: ["a", "b"] }) => test(name, { skip, timeout: 60_000 }, async () => {
    const id = `rules-${randomUUID()}`;
    const line = await proxy(url);
    const other = createClient({ url });
    await other.create({ ...create, id });
    const told = { shown: [], conflicts: [], states: [] };
    const client = createClient({ url: line.url, retries: 0 });
    const session = await client.session(id, {
        rules: true,
        onShow: (state, how) => told.shown.push([state.visible.route, how.isPredicted]),
        onConflict: (conflict) => told.conflicts.push(conflict),
    });
    const during = async (whileCut) => {
        line.cut();
        await until(() => session.isOffline);
        await whileCut();
        line.mend();
    };
    try {
        told.shown.length = 0;
        await body({ id, session, told, other, during });
        assert.deepEqual(session.state, await other.get(id).catch(() => session.state));
    } finally {
        session.close();
        await other.delete(id).catch(() => {});
        await line.close();
    }
});

real("a command is shown before it is sent, and an answer that agrees shows nothing", async ({ session, told }) => {
    assert.ok(session.predicts);
    const answer = session.navigate({ route: "p" });
    assert.equal(session.state.visible.route, "p");
    assert.deepEqual(told.shown, [["p", true]]);
    assert.deepEqual(session.pending, [{ route: "p", command: "navigate" }]);
    assert.deepEqual((await answer).added, ["e1"]);
    assert.deepEqual([told.shown.length, session.pending, told.conflicts], [1, [], []]);
    assert.equal(session.undo && (await session.undo()).undone, 1);
});

real("commands follow each other without waiting", async ({ session, told, id, other }) => {
    const answers = ["p", "q", "r"].map((route) => session.navigate({ route }));
    answers.push(session.undo(), session.back());
    assert.equal(session.state.visible.route, "p");
    await Promise.all(answers);
    assert.deepEqual(told.shown.map(([route]) => route), ["p", "q", "r", "q", "p"]);
    assert.equal((await other.history(id)).history.length, 6);
});

real("without a connection, commands and reads work, and are sent in order afterwards", async ({ session, during, told, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.navigate({ route: "p" }), session.present({ route: "s" }), session.select({ tab: "b" })];
        assert.equal((await session.get()).selectedTab, "b");
        assert.ok((await session.allowed()).tabs.length > 0);
        assert.equal(session.pending.length, 3);
        await assert.rejects(session.command("select", { tab: "none" }), problem("tab-not-found"));
        assert.equal((await other.get(id)).revision, 1);
    });
    await Promise.all(answers);
    const { history } = await other.history(id);
    assert.deepEqual(history.map(({ command }) => command.command).slice(0, 3), ["select", "present", "navigate"]);
    assert.deepEqual(told.conflicts, []);
});

real("the changes of others stay, and ids that are taken are replaced", async ({ session, during, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.present({ route: "s" }), session.navigate({ route: "p", in: "e1" })];
        assert.equal(session.state.sheets[0].id, "e1");
        await other.navigate(id, { route: "x", in: "b" });
    });
    const [presented] = await Promise.all(answers);
    assert.deepEqual(presented.added, ["e2"]);
    const state = await other.get(id);
    assert.deepEqual([state.sheets[0].path[0].route, state.tabs[1].path[0].route], ["p", "x"]);
});

real("a command that was shown and is refused is a conflict, with those that depend on it", async ({ session, during, told, id, other }) => {
    await session.present({ route: "s" });
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.setPath({ in: "e1", path: [{ route: "p" }] }), session.command("setParams", { entry: "e2", params: { n: 1 } }), session.select({ tab: "b" })];
        for (const answer of answers) answer.catch(() => {});
        assert.equal(told.conflicts.length, 0);
        await other.dismiss(id, { sheet: "e1" });
    });
    const outcomes = await Promise.allSettled(answers);
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected", "fulfilled"]);
    assert.deepEqual(told.conflicts.map(({ command }) => command.command), ["setPath", "setParams"]);
    assert.equal(told.conflicts[0].problem.status, 404);
    assert.equal(session.state.selectedTab, "b");
});

real("the app's guards hold while offline, and what waits for them resumes", async ({ session, during }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.navigate({ route: "orders" })];
        assert.equal(session.state.visible.route, "login");
        assert.equal(session.holds("member"), false);
        answers.push(session.setFacts({ signedIn: true }));
        assert.equal(session.state.visible.route, "orders");
    });
    assert.equal((await Promise.all(answers))[0].held, "member");
}, { app: "shop" });

test("a command whose answer is lost is sent again with its key", { skip, timeout: 60_000 }, async () => {
    const id = `rules-${randomUUID()}`;
    const other = createClient({ url });
    await other.create({ id, tabs: ["a"] });
    let losses = 1;
    const lossy = async (target, init) => {
        const response = await fetch(target, init);
        if (init?.method !== "POST" || losses-- <= 0) return response;
        throw new TypeError("lost");
    };
    const session = await createClient({ url, fetch: lossy, retries: 0 }).session(id, { rules: true });
    await session.navigate({ route: "p" });
    assert.deepEqual([(await other.get(id)).tabs[0].path.length, session.state.revision], [1, 2]);
    session.close();
    await assert.rejects(session.navigate({ route: "p" }));
    await other.delete(id);
});

test("without the document of the app, commands are shown when they are answered", { skip, timeout: 60_000 }, async () => {
    const id = `rules-${randomUUID()}`;
    const other = createClient({ url });
    await other.create({ id, app: "shop" });
    const limited = (target, init) => (String(target).includes("/v1/apps/") ? Promise.resolve(new Response("", { status: 403 })) : fetch(target, init));
    const session = await createClient({ url, fetch: limited }).session(id, { rules: true });
    assert.equal(session.predicts, false);
    const answer = session.present({ route: "login" });
    assert.equal(session.state.sheets.length, 0);
    await answer;
    assert.equal(session.state.sheets.length, 1);
    session.close();
    await other.delete(id);
});

test("a session that is not there, or that ends, is told", { skip, timeout: 60_000 }, async () => {
    const client = createClient({ url });
    await assert.rejects(client.session(`none-${randomUUID()}`, { rules: true }), problem("session-not-found"));
    const id = `rules-${randomUUID()}`;
    await client.create({ id, tabs: ["a"] });
    const ended = new Promise((resolve) => client.session(id, { rules: true, onEnd: resolve }).then(() => client.delete(id)));
    assert.equal((await ended).type, "deleted");
});

real("a queue of fifty commands is sent in its order", async ({ session, during, told, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        for (let number = 1; number <= 50; number += 1) answers.push(session.command("setBadge", { tab: "a", badge: number }));
        assert.equal(session.state.tabs[0].badge, 50);
        assert.equal(told.shown.length, 50);
    });
    told.shown.length = 0;
    await Promise.all(answers);
    const { history } = await other.history(id, { limit: 50 });
    assert.deepEqual(history.map(({ command }) => command.badge).slice(0, 32), Array.from({ length: 32 }, (_, index) => 50 - index));
    assert.equal(session.state.revision, 51);
    assert.deepEqual([told.shown, told.conflicts], [[], []]);
});

real("a conflict in a queue is told, and the commands after it are sent", async ({ session, during, told, id, other }) => {
    await session.present({ route: "s" });
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        for (let number = 1; number <= 10; number += 1) answers.push(session.command("setBadge", { tab: "a", badge: number }));
        answers.push(session.setPath({ in: "e1", path: [{ route: "p" }] }));
        for (let number = 11; number <= 20; number += 1) answers.push(session.command("setBadge", { tab: "b", badge: number }));
        for (const answer of answers) answer.catch(() => {});
        await other.dismiss(id);
    });
    const outcomes = await Promise.allSettled(answers);
    assert.deepEqual(outcomes.map(({ status }) => status).indexOf("rejected"), 10);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 20);
    assert.deepEqual(told.conflicts.map(({ command, problem: { status } }) => [command.command, status]), [["setPath", 404]]);
    const state = await other.get(id);
    assert.deepEqual([state.tabs[0].badge, state.tabs[1].badge, state.sheets], [10, 20, []]);
});

real("a command names what it would have added, and never what another has added meanwhile", async ({ session, during, told, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.setPath({ in: "a", path: [{ route: "p" }] }), session.command("setParams", { entry: "e1", params: { mine: true } })];
        for (const answer of answers) answer.catch(() => {});
        // It takes e1, and what the first command changes is gone.
        await other.navigate(id, { route: "x", in: "b" });
        await other.restore(id, { tabs: [{ id: "b", path: [{ id: "e1", route: "x" }] }], selectedTab: "b" });
    });
    await Promise.allSettled(answers);
    const state = await other.get(id);
    assert.deepEqual([state.tabs.length, state.tabs[0].path[0].params ?? {}], [1, {}]);
    assert.deepEqual(told.conflicts.map(({ command }) => command.command), ["setPath", "setParams"]);
});

real("what is shown when the session ends is told as conflicts", async ({ session, during, told, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.navigate({ route: "p" }), session.navigate({ route: "q" })];
        for (const answer of answers) answer.catch(() => {});
        await other.delete(id);
    });
    const outcomes = await Promise.allSettled(answers);
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
    assert.deepEqual(told.conflicts.map(({ command }) => command.route), ["p", "q"]);
    await assert.rejects(session.navigate({ route: "r" }));
    assert.equal(session.state.revision, 1);
});

real("a session that was made again under its id gets the commands that it allows", async ({ session, during, told, id, other }) => {
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.select({ tab: "b" }), session.navigate({ route: "p" })];
        for (const answer of answers) answer.catch(() => {});
        await other.delete(id);
        await other.create({ id, tabs: ["a"] });
    });
    const outcomes = await Promise.allSettled(answers);
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "fulfilled"]);
    assert.deepEqual(told.conflicts.map(({ command }) => command.command), ["select"]);
    assert.equal(session.state.tabs[0].path[0].route, "p");
});

real("undo and redo are predicted for what was seen here", async ({ session, during, told }) => {
    await session.navigate({ route: "p" });
    await session.navigate({ route: "q" });
    await during(async () => {
        const answers = [session.undo(), session.undo(), session.redo()];
        assert.equal(session.state.visible.route, "p");
        session.undoing = Promise.all(answers);
    });
    await session.undoing;
    assert.deepEqual(told.conflicts, []);
});

real("an answer that is awaited is the sheet's, which is shown at once", async ({ session, id, other }) => {
    const answer = session.ask({ route: "s" });
    assert.equal(session.state.sheets.length, 1);
    await new Promise((go) => setTimeout(go, 100));
    await other.dismiss(id, { result: { ok: 7 } });
    assert.deepEqual(await answer, { ok: 7 });
    await until(() => session.state.revision === 3);
});

real("a callback that fails stops nothing", async ({ session, id, other }) => {
    const failures = [];
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => failures.push(error.message));
    const { onShow } = session.options;
    session.options.onShow = () => {
        throw new Error("mine");
    };
    const answer = session.navigate({ route: "p" });
    await new Promise((go) => setTimeout(go, 20));
    session.options.onShow = onShow;
    for (const listener of listeners) process.on("uncaughtException", listener);
    await Promise.all([answer, session.navigate({ route: "q" })]);
    assert.deepEqual([failures, (await other.get(id)).tabs[0].path.length], [["mine"], 2]);
});

real("a command that is given up is no conflict", async ({ session, during, told, id, other }) => {
    const stop = new AbortController();
    /** @type {Promise<any>[]} */
    let answers = [];
    await during(async () => {
        answers = [session.select({ tab: "b" }), session.navigate({ route: "p" }, { signal: stop.signal })];
        answers[1].catch(() => {});
        stop.abort();
    });
    const outcomes = await Promise.allSettled(answers);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected"]);
    assert.deepEqual([told.conflicts, (await other.get(id)).tabs[1].path], [[], []]);
});

test("a document of the app that is replaced meanwhile is read again", { skip, timeout: 60_000 }, async () => {
    const app = `rules-${randomUUID()}`;
    const document = (routes, more = {}) => ({ id: app, tabs: [{ id: "home", root: "start", routes }], routes: { start: {}, p: {}, q: {} }, ...more });
    const client = createClient({ url });
    await client.putApp(app, document(["p"]));
    const { id } = await client.create({ app });
    const told = [];
    const session = await client.session(id, { rules: true, onConflict: (conflict) => told.push(conflict) });
    const mayPush = async (route) => (await session.allowed()).push.some((item) => item.route === route);
    // One that the old document refuses, and the new one does not.
    await client.putApp(app, document(["q"], { title: "New" }));
    await session.navigate({ route: "q" });
    assert.deepEqual([session.state.visible.route, told], ["q", []]);
    // The next one is predicted by the new one.
    await until(() => mayPush("q"));
    const second = session.navigate({ route: "q" });
    assert.equal(session.state.tabs[0].path.length, 2);
    await second;
    // One that the old one allows, and the new one refuses.
    await client.putApp(app, document(["p"]));
    const refused = session.navigate({ route: "q" });
    assert.equal(session.state.tabs[0].path.length, 3);
    await assert.rejects(refused, problem("route-not-allowed-here"));
    assert.deepEqual(told.map(({ command, problem: { status } }) => [command.route, status]), [["q", 422]]);
    assert.equal(session.state.tabs[0].path.length, 2);
    await until(async () => await mayPush("p") && !await mayPush("q"));
    session.close();
    await client.delete(id);
    await client.deleteApp(app);
});

test("a token that is revoked meanwhile ends the session, and its commands are told", { skip: skipGuarded, timeout: 60_000 }, async () => {
    const owner = createClient({ url: guardedURL, token: process.env.NAVSTATE_TOKEN });
    const { id } = await owner.create({ tabs: ["a"] });
    const { token, id: tokenId } = await owner.createToken(id, { scope: "control" });
    const line = await proxy(guardedURL);
    const told = { conflicts: [], errors: [] };
    const session = await createClient({ url: line.url, token, retries: 0 }).session(id, {
        rules: true, onConflict: (conflict) => told.conflicts.push(conflict), onError: (error) => told.errors.push(error),
    });
    line.cut();
    await until(() => session.isOffline);
    const answers = [session.navigate({ route: "p" }), session.navigate({ route: "q" })];
    const settled = Promise.allSettled(answers);
    await owner.revokeToken(id, tokenId);
    line.mend();
    assert.deepEqual((await settled).map(({ status }) => status), ["rejected", "rejected"]);
    await until(() => told.errors.length > 0);
    assert.deepEqual(told.conflicts.map(({ command, problem: { status } }) => [command.route, status]), [["p", 401], ["q", 401]]);
    await assert.rejects(session.navigate({ route: "r" }), problem("unauthorized"));
    assert.equal((await owner.get(id)).revision, 1);
    await owner.delete(id);
    await line.close();
});

test("a thousand commands neither fill the memory of the rules nor wait for each other", { skip, timeout: 60_000 }, async () => {
    const client = createClient({ url });
    const { id } = await client.create({ tabs: ["a"] });
    let performed = 0;
    const rules = await loadRules();
    const session = await client.session(id, { rules: true });
    const run = async (count) => {
        const answers = [];
        for (let number = 1; number <= count; number += 1) answers.push(session.command("setBadge", { tab: "a", badge: number }));
        performed += count;
        await Promise.all(answers);
    };
    await run(500);
    const before = rules.memoryBytes;
    await run(500);
    assert.equal(rules.memoryBytes, before);
    assert.equal(session.state.revision, performed + 1);
    session.close();
    await client.delete(id);
});

test("after another client's change, what is allowed is that of a newer document", { skip, timeout: 60_000 }, async () => {
    const app = `rules-${randomUUID()}`;
    const document = (route) => ({ id: app, tabs: [{ id: "home", root: "start", routes: [route] }], routes: { start: {}, [route]: {} } });
    const client = createClient({ url });
    await client.putApp(app, document("p"));
    const { id } = await client.create({ app });
    let read = 0;
    const session = await client.session(id, { rules: true, onApp: () => (read += 1) });
    const routes = async () => (await session.allowed()).push.map(({ route }) => route);
    assert.deepEqual([await routes(), read], [["p"], 1]);
    await client.putApp(app, document("q"));
    await createClient({ url }).command(id, "setBadge", { tab: "home", badge: 1 });
    await until(() => read > 1);
    assert.deepEqual(await routes(), ["q"]);
    session.close();
    await client.delete(id);
    await client.deleteApp(app);
});

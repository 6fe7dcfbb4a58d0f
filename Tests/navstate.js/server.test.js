// The client against the real server: NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/
//
// The server must have the apps of Examples/apps and ask for no token. What tokens do is tested where
// NAVSTATE_GUARDED_URL names a second one, which asks for NAVSTATE_TOKEN.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createClient } from "../../Sources/Assets/web/navstate.js";
import { proxy } from "./proxy.js";

const url = process.env.NAVSTATE_URL;
const skip = url ? false : "NAVSTATE_URL is not set";
const client = createClient({ url });
const real = (name, body) => test(name, { skip, timeout: 60_000 }, async () => {
    const id = `js-${randomUUID()}`;
    await client.create({ id, app: "social" });
    try {
        await body(id);
    } finally {
        await client.delete(id).catch(() => {});
    }
});

/** The client through a proxy that is cut and mended. */
async function overBadLine(body) {
    const line = await proxy(url);
    const states = [];
    const onStatus = ({ state }) => states.push(state);
    const came = async (state) => {
        while (states.at(-1) !== state) await new Promise((go) => setTimeout(go, 10));
    };
    const during = async (whileCut) => {
        line.cut();
        await came("waiting");
        await whileCut();
        line.mend();
    };
    try {
        await body({ client: createClient({ url: line.url }), onStatus, during, came });
    } finally {
        await line.close();
    }
}

/** Reads events one by one. */
function reader(events) {
    return {
        next: async () => (await events.next()).value,
        take: async (count) => {
            const taken = [];
            while (taken.length < count) taken.push((await events.next()).value);
            return taken;
        },
        end: () => events.return(),
    };
}

real("every command", async (id) => {
    const post = await client.navigate(id, { route: "postDetail", params: { id: 1 } });
    assert.equal(post.session.visible.entry, post.added[0]);
    await client.setParams(id, { params: { id: 2 } });
    await client.setBadge(id, { tab: "profile", badge: 3 });
    await client.setPath(id, { in: "home", path: [{ route: "userProfile", params: { userId: "ada" } }] });
    await client.select(id, { tab: "search" });
    await client.present(id, { route: "newPost" });
    await client.navigate(id, { route: "audience" });
    assert.equal((await client.back(id, { count: 2 })).popped, 2);
    await client.open(id, { url: "myapp://compose/audience" });
    await client.dismiss(id, { all: true });
    await client.batch(id, { commands: [{ command: "select", tab: "profile" }, { command: "navigate", route: "settings" }] });
    assert.equal((await client.undo(id)).undone, 1);
    assert.equal((await client.redo(id)).redone, 1);
    const { session } = await client.root(id, { scope: "all" });
    assert.equal(session.selectedTab, "home");
    assert.equal(session.tabs[2].badge, 3);
});

real("reading, listing, patching and restoring", async (id) => {
    await client.navigate(id, { route: "postDetail", params: { id: 1 } });
    const state = await client.get(id);
    assert.equal((await client.get(id, { revision: 1 })).revision, 1);
    assert.deepEqual((await client.patch(id, { labels: { room: "hall" } })).labels, { room: "hall" });
    const { sessions } = await client.list({ q: id, label: ["room:hall"], app: "social" });
    assert.deepEqual(sessions.map((item) => item.id), [id]);
    await client.root(id);
    const restored = await client.restore(id, state);
    assert.deepEqual(restored.tabs, state.tabs);
    assert.equal((await client.link(id)).url, "myapp://post/1");
    assert.equal((await client.resolve("social", "myapp://settings")).tab, "profile");
    assert.ok((await client.apps()).apps.some((app) => app.id === "social"));
    assert.equal((await client.app("social")).title, "Social");
});

real("history and what is allowed", async (id) => {
    await client.select(id, { tab: "profile" });
    const { history } = await client.history(id, { limit: 1 });
    assert.deepEqual(history.map(({ revision, command }) => [revision, command.command]), [[2, "select"]]);
    const allowed = await client.allowed(id);
    assert.ok(allowed.push.some((item) => item.route === "settings"));
    assert.ok(allowed.present.some((item) => item.route === "newPost"));
});

real("refusals, no-ops, dry runs and keys", async (id) => {
    await assert.rejects(client.navigate(id, { route: "postDetal" }), { code: "unknown-route", status: 422 });
    assert.equal((await client.back(id)).reason, "at-root");
    await assert.rejects(client.back(id, {}, { strict: true }), { code: "at-root", status: 409 });
    await client.select(id, { tab: "search" }, { dryRun: true });
    assert.equal((await client.get(id)).selectedTab, "home");
    const once = await client.select(id, { tab: "search" }, { idempotencyKey: "k1" });
    const again = await client.select(id, { tab: "search" }, { idempotencyKey: "k1" });
    assert.equal(again.session.revision, once.session.revision);
    assert.equal(again.changed, true);
});

real("ifMatch: true refuses what was not seen, also when the last was seen in a stream", async (id) => {
    const other = createClient({ url });
    await client.get(id);
    await other.select(id, { tab: "search" });
    await assert.rejects(client.back(id, {}, { ifMatch: true }), { code: "revision-mismatch" });
    for await (const event of client.watch(id)) {
        assert.equal(event.revision, 2);
        break;
    }
    const { session } = await client.select(id, { tab: "home" }, { ifMatch: true });
    assert.equal(session.revision, 3);
});

real("a watch sees every revision once, in order, and resumes without a loss", async (id) => {
    const revisions = [];
    let last;
    const follow = async (until) => {
        for await (const event of client.watch(id, { after: last })) {
            last = event.id;
            revisions.push(event.revision);
            if (event.revision === until) return;
        }
    };
    const first = follow(4);
    while (revisions.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const tab of ["search", "profile", "home"]) await client.select(id, { tab });
    await first;
    for (const tab of ["search", "profile", "home"]) await client.select(id, { tab });
    await follow(7);
    assert.deepEqual(revisions, [1, 2, 3, 4, 5, 6, 7]);
});

real("a watch ends when the session is deleted", async (id) => {
    const types = [];
    for await (const event of client.watch(id)) {
        types.push(event.type);
        if (types.length === 1) await client.delete(id);
    }
    assert.deepEqual(types, ["snapshot", "deleted"]);
});

real("a session that is not changed for its time to live ends its stream with expired", async (id) => {
    await client.patch(id, { ttlSeconds: 1 });
    const events = [];
    for await (const event of client.watch(id)) events.push(event);
    assert.deepEqual(events.map(({ type }) => type), ["snapshot", "expired"]);
    assert.equal(events[1].sessionId, id);
    assert.ok(Number(events[1].id) > Number(events[0].id));
    await assert.rejects(client.get(id), { code: "session-not-found" });
});

real("what is no longer known is a gap: an event from ahead, and one from too long ago", async (id) => {
    const first = reader(client.watch(id));
    const { id: begin } = await first.next();
    await first.end();
    const ahead = reader(client.watch(id, { after: Number(begin) + 1_000_000_000 }));
    const event = await ahead.next();
    assert.deepEqual([event.type, event.gap, event.revision], ["snapshot", true, 1]);
    await client.setBadge(id, { tab: "home", badge: 1 });
    assert.equal((await ahead.next()).revision, 2);
    await ahead.end();
    for (let badge = 2; badge <= 300; badge += 1) await client.setBadge(id, { tab: "home", badge });
    const late = reader(client.watch(id, { after: begin }));
    const { type, gap, revision } = await late.next();
    assert.deepEqual([type, gap, revision], ["snapshot", true, 301]);
    await late.end();
    const all = reader(client.watchAll({ after: Number(begin) + 1_000_000_000 }));
    const hello = await all.next();
    assert.deepEqual([hello.type, hello.gap], ["hello", true]);
    await all.end();
});

test("a session that no longer fits its app is reconciled before the next command", { skip, timeout: 60_000 }, async () => {
    const id = `js-${randomUUID()}`;
    const app = { title: "Small", routes: { a: {}, b: {} }, tabs: [{ id: "main", routes: ["a", "b"] }] };
    const tabs = [{ id: "main", routes: ["a"] }, { id: "more" }];
    assert.deepEqual((await client.putApp(id, app)).app.routes, { a: {}, b: {} });
    await client.create({ id, app: id });
    const { added } = await client.navigate(id, { route: "b" });
    const events = reader(client.watch(id));
    await events.next();
    await client.putApp(id, { ...app, routes: { a: {} }, tabs });
    assert.equal((await client.get(id)).revision, 2);
    await client.navigate(id, { route: "a" });
    const [reconciled, navigated] = await events.take(2);
    assert.deepEqual([reconciled.revision, reconciled.command, reconciled.removed], [3, { command: "reconcile" }, added]);
    assert.deepEqual(reconciled.dropped.map((item) => [item.id, item.route]), [[added[0], "b"]]);
    assert.deepEqual(reconciled.session.tabs, [{ id: "main", path: [] }, { id: "more", path: [] }]);
    assert.deepEqual([navigated.revision, navigated.command.command], [4, "navigate"]);
    const { history } = await client.history(id, { limit: 2 });
    assert.deepEqual(history[1].dropped, reconciled.dropped);
    await assert.rejects(client.deleteApp(id), { code: "app-in-use" });
    await events.end();
    await client.delete(id);
    const report = await client.checkApp(id, { tabs: [{ id: "main", routes: ["nowhere"] }] });
    assert.deepEqual([report.valid, report.errors.length > 0], [false, true]);
    await assert.rejects(client.putApp(id, { tabs: [] }), { code: "invalid-app" });
    assert.equal((await client.app(id)).tabs.length, 2);
    await client.deleteApp(id);
    await assert.rejects(client.app(id), { code: "app-not-found" });
});

real("a line that is cut is taken up again without a loss", (id) =>
    overBadLine(async ({ client: remote, onStatus, during }) => {
        const events = reader(remote.watch(id, { onStatus }));
        assert.equal((await events.next()).type, "snapshot");
        const rest = events.take(3);
        await during(async () => {
            for (const tab of ["search", "profile"]) await client.select(id, { tab });
        });
        await client.select(id, { tab: "home" });
        assert.deepEqual((await rest).map(({ type, revision }) => [type, revision]), [["change", 2], ["change", 3], ["change", 4]]);
        const last = events.next();
        await during(() => client.delete(id));
        assert.deepEqual(await last, { type: "deleted", id: "", sessionId: id });
    }));

real("several sessions on one line, which is cut: nothing is lost, and no gap is said where none is", (id) =>
    overBadLine(async ({ client: remote, onStatus, during }) => {
        const names = [id, `${id}-2`, `${id}-3`];
        for (const name of names.slice(1)) await client.create({ id: name, app: "social" });
        const events = reader(remote.watchAll({ sessions: names, onStatus }));
        assert.deepEqual((await events.take(3)).map((event) => [event.type, event.session.id]), names.map((name) => ["snapshot", name]));
        let rest = events.take(2);
        await during(() => client.select(names[2], { tab: "search" }));
        await client.select(names[0], { tab: "search" });
        assert.deepEqual((await rest).map((event) => [event.type, event.session.id, event.revision]), [["change", names[2], 2], ["change", names[0], 2]]);
        rest = events.take(2);
        await during(() => client.delete(names[1]));
        await client.select(names[0], { tab: "home" });
        const [event, gone] = await rest;
        assert.deepEqual([event.type, event.revision], ["change", 3]);
        assert.deepEqual([gone.type, gone.id, gone.sessionId], ["deleted", event.id, names[1]]);
        await client.delete(names[2]);
        assert.equal((await events.next()).sessionId, names[2]);
        await client.delete(names[0]);
        assert.equal((await events.next()).type, "deleted");
        assert.equal(await events.next(), undefined);
    }));

real("all sessions with a label on one line, which is cut", (id) =>
    overBadLine(async ({ client: remote, onStatus, during, came }) => {
        const label = `run:${id}`;
        const events = reader(remote.watchAll({ app: "social", label, onStatus }));
        const hello = await events.next();
        assert.deepEqual([hello.type, hello.gap], ["hello", undefined]);
        const rest = events.take(3);
        await during(async () => {
            await client.select(id, { tab: "search" });
            await client.patch(id, { labels: { run: id } });
        });
        await came("live");
        await client.create({ id: `${id}-2`, app: "social", labels: { run: id } });
        await client.create({ id: `${id}-3`, app: "social", labels: { run: "other" } });
        await client.delete(`${id}-3`);
        await client.delete(`${id}-2`);
        const [patched, created, deleted] = await rest;
        assert.deepEqual([patched.command.command, patched.session.id], ["update", id]);
        assert.deepEqual([created.command.command, created.session.id], ["create", `${id}-2`]);
        assert.deepEqual([deleted.type, deleted.sessionId], ["deleted", `${id}-2`]);
        await events.end();
    }));

real("callbacks of all sessions", async (id) => {
    const told = [];
    await new Promise((resolve, reject) => {
        const stop = client.subscribeAll({
            onHello: () => client.select(id, { tab: "search" }).catch(reject),
            onChange: ({ session, revision }) => {
                if (session.id !== id) return;
                told.push(revision);
                stop();
                resolve();
            },
            onError: reject,
        }, { app: "social" });
    });
    assert.deepEqual(told, [2]);
});

real("sessions one after another, over many pages", async (id) => {
    const names = Array.from({ length: 7 }, (_, index) => `${id}-${index}`);
    for (const name of names) await client.create({ id: name, labels: { run: id } });
    const seen = [];
    for await (const session of client.sessions({ q: `${id}-`, label: `run:${id}`, limit: 3 })) seen.push(session.id);
    assert.deepEqual(seen, names);
    for (const name of names) await client.delete(name);
});

real("waiting for a change", async (id) => {
    assert.equal((await client.get(id)).revision, 1);
    assert.equal(await client.waitForChange(id, { seconds: 1 }), null);
    const waiting = client.waitForChange(id, { seconds: 30 });
    await createClient({ url }).select(id, { tab: "search" });
    assert.equal((await waiting).revision, 2);
});

real("tokens for one session are made, listed and revoked", async (id) => {
    const { token, id: tokenId, scope } = await client.createToken(id, { scope: "read", ttlSeconds: 600 });
    assert.equal(scope, "read");
    assert.ok(token);
    const { tokens } = await client.tokens(id);
    assert.deepEqual(tokens.map((item) => [item.id, item.scope, Boolean(item.expiresAt)]), [[tokenId, "read", true]]);
    await client.revokeToken(id, tokenId);
    assert.deepEqual((await client.tokens(id)).tokens, []);
    await assert.rejects(client.revokeToken(id, tokenId), { status: 404 });
});

const guardedURL = process.env.NAVSTATE_GUARDED_URL;
const skipGuarded = guardedURL ? false : "NAVSTATE_GUARDED_URL is not set";

test("a token for one session lets in to that one, until it is revoked", { skip: skipGuarded, timeout: 60_000 }, async () => {
    const owner = createClient({ url: guardedURL, token: process.env.NAVSTATE_TOKEN });
    const id = `js-${randomUUID()}`;
    await owner.create({ id });
    const { token, id: tokenId } = await owner.createToken(id, { scope: "read" });
    const guest = createClient({ url: guardedURL, token });
    assert.equal((await guest.get(id)).id, id);
    await assert.rejects(guest.back(id), { code: "forbidden" });
    await assert.rejects(guest.list(), { code: "forbidden" });
    await assert.rejects(guest.watchAll().next(), { code: "forbidden" });
    const events = reader(guest.watch(id));
    assert.equal((await events.next()).type, "snapshot");
    await owner.revokeToken(id, tokenId);
    await assert.rejects(guest.get(id), { code: "unauthorized" });
    // The stream ends within its next heartbeat, and is not let in again.
    await assert.rejects(events.next(), { code: "unauthorized" });
    await assert.rejects(createClient({ url: guardedURL }).list(), { code: "unauthorized" });
    await owner.delete(id);
});

real("a dialog waits for its button, and nothing is put on it", async (id) => {
    const buttons = [{ id: "delete", title: "Delete", role: "destructive" }, { id: "keep", title: "Keep", role: "cancel" }];
    const asked = client.ask(id, { style: "alert", title: "Delete?", buttons });
    const { sessions } = await client.list({ q: id });
    assert.equal(sessions.length, 1);
    let dialog;
    while (!(dialog = (await client.get(id)).sheets[0])) await new Promise((go) => setTimeout(go, 10));
    assert.deepEqual(dialog.buttons, buttons);
    assert.deepEqual((await client.allowed(id)).buttons, ["delete", "keep"]);
    const error = await client.navigate(id, { route: "userProfile", params: { userId: "ada" } }).catch((thrown) => thrown);
    assert.equal(error.code, "dialog-open");
    assert.deepEqual((await client.press(id, dialog.id, "delete")).pressed, { [dialog.id]: "delete" });
    const { state, button, command } = await asked;
    assert.deepEqual([state, button, command], ["dismissed", "delete", "dismiss"]);
    const late = await client.press(id, dialog.id, "keep").catch((thrown) => thrown);
    assert.equal(late.code, "sheet-not-found");
});

real("the next id is known, and a root is an entry", async (id) => {
    const { nextEntry, visible } = await client.get(id);
    assert.equal(visible.entry, "home");
    const { added } = await client.navigate(id, { route: "userProfile", params: { userId: "ada" } });
    assert.deepEqual(added, [`e${nextEntry}`]);
});

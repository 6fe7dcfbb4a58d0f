// The client against the real server: NAVSTATE_URL=http://127.0.0.1:8080 node --test Tests/navstate.js/
//
// The server must have the apps of Examples/apps and ask for no token.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createClient } from "../../Sources/Assets/web/navstate.js";

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

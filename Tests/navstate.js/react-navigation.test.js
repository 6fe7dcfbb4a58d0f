// The adapter to React Navigation, against a stub of what its documentation says of a container's
// ref: getRootState, resetRoot and the event "state", which comes after each change of the state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../Sources/Assets/web/react-navigation.js";
import { session } from "./scripted.js";

/** A container whose navigators give keys of their own to the screens that the user opens. */
class StubContainer {
    listeners = new Set();
    resets = 0;
    number = 0;
    state = {
        index: 0, routes: [{
            name: "tabs", key: "tabs-x1", state: {
                index: 0, routes: [{ name: "main", key: "main-x2" }, { name: "more", key: "more-x3" }],
            },
        }],
    };

    getRootState() {
        return this.state;
    }

    resetRoot(state) {
        this.resets += 1;
        this.change(state);
    }

    addListener(event, listener) {
        assert.equal(event, "state");
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    change(state) {
        this.state = structuredClone(state);
        for (const listener of this.listeners) listener();
    }

    // A step of the user.
    push(name, params) {
        const state = structuredClone(this.state);
        const tabs = state.routes[0].state;
        const tab = tabs.routes[tabs.index];
        tab.state ??= { index: 0, routes: [{ name: "home", key: "home-root" }] };
        tab.state.routes.push({ name, key: `${name}-k${this.number += 1}`, params });
        tab.state.index = tab.state.routes.length - 1;
        this.change(state);
    }

    edit(change) {
        const state = structuredClone(this.state);
        change(state);
        this.change(state);
    }

    get shown() {
        const names = (state) => state?.routes.map((route) => route.name).join("/") ?? "";
        const tabs = this.state.routes[0].state;
        const sheets = this.state.routes.slice(1).map((route) => ` +${route.name}(${names(route.state)})`);
        return tabs.routes[tabs.index].name + ":" + names(tabs.routes[tabs.index].state) + sheets.join("");
    }
}

/** A client that keeps one session in the test. */
class StubClient {
    batches = [];
    waiting = [];
    answers = [];

    constructor(state) {
        this.state = state;
    }

    async get() {
        return this.state;
    }

    async app() {
        return { tabs: [{ id: "main", root: "home" }, { id: "more", root: { route: "list", params: { a: 1 } } }] };
    }

    async *watch(_, { signal }) {
        signal.addEventListener("abort", () => this.waiting.shift()?.());
        yield { type: "snapshot", session: this.state };
        let revision = this.state.revision;
        while (!signal.aborted) {
            if (this.state.revision === revision) {
                await new Promise((resolve) => this.waiting.push(resolve));
                continue;
            }
            revision = this.state.revision;
            yield { type: "change", session: this.state };
        }
    }

    /** Another client has changed the session. */
    set(more) {
        this.state = { ...this.state, revision: this.state.revision + 1, ...more };
        this.waiting.shift()?.();
    }

    batch(_, { commands }) {
        this.batches.push(commands);
        return new Promise((resolve, reject) => this.answers.push({ resolve, reject }));
    }

    answer(more) {
        this.state = { ...this.state, revision: this.state.revision + 1, ...more };
        this.answers.shift().resolve({ session: this.state });
    }

    async press(...words) {
        this.pressed = words;
    }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const tabs = (main = [], more = []) => [{ id: "main", path: main }, { id: "more", path: more }];
const entry = (id, route, params = {}) => ({ id, route, params });

async function connected(more, options) {
    const [client, container] = [new StubClient(session(1, { app: "a", tabs: tabs(), ...more })), new StubContainer()];
    const connection = connect(client, "s", container, options);
    connection.start();
    await settled();
    return { client, container, connection };
}

test("the container shows the session, with the roots of the app", async () => {
    const { client, container, connection } = await connected({
        tabs: tabs([entry("e1", "detail", { id: 7 })]),
        sheets: [{ ...entry("e2", "edit"), style: "sheet", path: [entry("e3", "color")] }],
    });
    assert.equal(container.shown, "main:home/detail +edit(edit/color)");
    assert.deepEqual(container.state.routes[0].state.routes[1].state.routes[0].params, { a: 1 });
    client.set({ selectedTab: "more", sheets: [], tabs: tabs([], [entry("e4", "page")]) });
    await settled();
    assert.equal(container.shown, "more:list/page");
    assert.deepEqual(client.batches, [], "showing is no change");
    connection.stop();
    client.set({ selectedTab: "main" });
    await settled();
    assert.equal(container.shown, "more:list/page");
    assert.equal(container.listeners.size, 0);
});

test("a screen that the user opens becomes an entry and stays as it is", async () => {
    const { client, container } = await connected();
    const resets = container.resets;
    container.push("detail", { id: 7 });
    assert.deepEqual(client.batches, [[{ command: "setPath", in: "main", path: [{ route: "detail", params: { id: 7 } }] }]]);
    client.answer({ tabs: tabs([entry("e5", "detail", { id: 7 })]) });
    await settled();
    assert.equal(container.resets, resets, "nothing was reset");
    // Its key is known: another client's change keeps it.
    client.set({ tabs: tabs([entry("e5", "detail", { id: 7 }), entry("e6", "page")]) });
    await settled();
    const routes = container.state.routes[0].state.routes[0].state.routes;
    assert.deepEqual(routes.map((route) => route.key), ["home-root", "detail-k1", "e6"]);
    // Going back keeps the entry by its id.
    container.edit((state) => {
        const { state: path } = state.routes[0].state.routes[0];
        path.routes.pop();
        path.index = 1;
    });
    assert.deepEqual(client.batches[1], [{ command: "setPath", in: "main", path: [{ id: "e5", route: "detail", params: { id: 7 } }] }]);
});

test("what the user does while a command is under way is sent after it", async () => {
    const { client, container } = await connected();
    container.push("detail", {});
    container.push("page", {});
    assert.equal(client.batches.length, 1);
    client.answer({ tabs: tabs([entry("e5", "detail")]) });
    await settled();
    assert.deepEqual(client.batches[1], [{
        command: "setPath", in: "main",
        path: [entry("e5", "detail"), { route: "page", params: {} }],
    }]);
    client.answer({ tabs: tabs([entry("e5", "detail"), entry("e6", "page")]) });
    await settled();
    assert.equal(container.shown, "main:home/detail/page");
    assert.equal(client.batches.length, 2);
});

test("tabs and sheets", async () => {
    const { client, container } = await connected();
    container.edit((state) => {
        state.routes[0].state.index = 1;
        state.routes.push({ name: "edit", key: "edit-k", params: { a: 1 } });
        state.index = 1;
    });
    assert.deepEqual(client.batches[0], [
        { command: "select", tab: "more", reselect: "none" },
        { command: "present", route: "edit", params: { a: 1 } },
    ]);
    client.answer({ selectedTab: "more", sheets: [{ ...entry("e7", "edit", { a: 1 }), style: "sheet", path: [] }] });
    await settled();
    container.edit((state) => {
        state.routes.pop();
        state.index = 0;
    });
    assert.deepEqual(client.batches[1], [{ command: "dismiss", sheet: "e7" }]);
});

test("after a refusal the container shows what was there before", async () => {
    const errors = [];
    const { client, container } = await connected({}, { onError: (error) => errors.push(error) });
    container.push("secret", {});
    client.answers.shift().reject(new Error("guarded"));
    await settled();
    assert.equal(container.shown, "main:home");
    assert.equal(errors[0].message, "guarded");
    assert.equal(client.batches.length, 1);
});

test("a guard shows something else than what was asked for", async () => {
    const { client, container } = await connected();
    container.push("orders", {});
    client.answer({ sheets: [{ ...entry("e8", "login"), style: "sheet", path: [] }] });
    await settled();
    assert.equal(container.shown, "main:home +login()");
    assert.equal(client.batches.length, 1);
});

test("dialogs are told and no screens", async () => {
    const told = [];
    const { client, container } = await connected({}, { onDialog: (...words) => told.push(words) });
    assert.equal(told.at(-1)[0], null);
    client.set({ sheets: [{ ...entry("e9", "alert"), style: "alert", title: "Sure?", buttons: [{ id: "ok", title: "OK" }], path: [] }] });
    await settled();
    assert.equal(container.shown, "main:");
    const [dialog, press] = told.at(-1);
    assert.equal(dialog.title, "Sure?");
    press("ok");
    assert.deepEqual(client.pressed, ["s", "e9", "ok"]);
});

test("a hidden tab has no screen, and params in another order are the same", async () => {
    const { client, container } = await connected({
        tabs: [{ id: "main", path: [entry("e1", "detail", { a: 1, b: { c: 2, d: 3 } })] }, { id: "more", hidden: true, path: [] }],
    });
    assert.deepEqual(container.state.routes[0].state.routes.map((route) => route.name), ["main"]);
    container.edit((state) => {
        state.routes[0].state.routes[0].state.routes[1].params = { b: { d: 3, c: 2 }, a: 1 };
    });
    assert.deepEqual(client.batches, []);
});

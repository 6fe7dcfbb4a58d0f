// Connects the container of React Navigation (6 or 7) to a session, in both directions: what the
// user does becomes commands, and what anybody else does is shown.
//
//     import { createClient } from "./navstate.js";
//     import { connect } from "./react-navigation.js";
//     const ref = createNavigationContainerRef();
//     const connection = connect(createClient({ url, token }), "kiosk-1", ref);
//     // <NavigationContainer ref={ref} onReady={connection.start}> …
//
// The navigators are nested as the app is declared:
//
// 1. A stack at the root. Its first screen, `tabs`, has the tabs; the others are sheets, named
//    after their routes.
// 2. In `tabs`, a tab navigator with a screen for each tab, named after its id.
// 3. In each tab, a stack. Its first screen is the root of the tab, and all are named after their
//    routes. A sheet that has a path is such a stack, too.
//
// Dialogs are no screens: `onDialog` is called with the one that waits for an answer, or null.

/** @typedef {import("./navstate.js").NavstateClient} NavstateClient */
/** @typedef {import("./navstate.js").Session} Session */
/** @typedef {{ id: string, route: string, params: Record<string, any> }} Item */
/** @typedef {{ id: string, items: Item[] }} Path The root comes first. */
/** @typedef {{ tab: string, tabs: string[], paths: Path[], sheets: Path[] }} Places */
/** @typedef {import("./react-navigation.js").ContainerRoute} ContainerRoute */
/** @typedef {import("./react-navigation.js").ContainerState} ContainerState */
/** @typedef {import("./react-navigation.js").Container} Container */
/** @typedef {import("./react-navigation.js").ConnectOptions} ConnectOptions */

/** @type {typeof import("./react-navigation.js").connect} */
export function connect(client, id, container, options = {}) {
    return new Connection(client, id, container, options);
}

class Connection {
    /** @type {Session | undefined} The newest state of the session. */
    #session;
    /** @type {Map<string, Item>} The roots of the tabs that the app declares. */
    #roots = new Map();
    /** @type {Map<string, string>} The keys of the container's routes, by the ids of entries. */
    #keys = new Map();
    #stopping = new AbortController();
    /** @type {() => void} */
    #unsubscribe = () => {};
    #isSending = false;

    /**
     * @param {NavstateClient} client @param {string} id @param {Container} container
     * @param {ConnectOptions} options
     */
    constructor(client, id, container, options) {
        this.client = client;
        this.id = id;
        this.container = container;
        this.options = options;
        this.tabs = options.tabs ?? "tabs";
    }

    start = async () => {
        const { signal } = this.#stopping;
        try {
            const { app } = await this.client.get(this.id);
            const declared = app === undefined ? { tabs: [] } : await this.client.app(app);
            for (const { id, root = id } of /** @type {any[]} */ (declared.tabs)) {
                const { route, params = {} } = typeof root === "string" ? { route: root } : root;
                this.#roots.set(id, { id, route, params });
            }
            if (signal.aborted) return;
            this.#unsubscribe = this.container.addListener("state", () => this.#moved());
            for await (const event of this.client.watch(this.id, { signal })) {
                if ("session" in event) this.#show(event.session);
            }
        } catch (error) {
            if (!signal.aborted) this.options.onError?.(error);
        }
    };

    stop = () => {
        this.#unsubscribe();
        this.#stopping.abort();
    };

    // From the session to the container

    /** @param {Session} session */
    #show(session) {
        if (this.#session && session.revision < this.#session.revision) return;
        this.#session = session;
        if (this.#isSending) return;
        const dialog = session.sheets.find((sheet) => sheet.buttons) ?? null;
        this.options.onDialog?.(dialog, (button) => {
            if (dialog) this.client.press(this.id, dialog.id, button).catch(this.options.onError);
        });
        const [shown, wanted] = [this.#read(session), this.#wanted(session)];
        if (shown) this.#learn(shown, wanted);
        if (!shown || text(shown) !== text(wanted)) this.container.resetRoot(this.#state(session));
    }

    /** @param {Session["tabs"][number]} tab @returns {Item} */
    #root(tab) {
        return tab.root ?? this.#roots.get(tab.id) ?? { id: tab.id, route: tab.id, params: {} };
    }

    /** @param {Session} session @returns {Places} */
    #wanted(session) {
        const sheets = session.sheets.filter((sheet) => !sheet.buttons);
        return {
            tab: session.selectedTab,
            tabs: session.tabs.filter((tab) => !tab.hidden).map((tab) => tab.id),
            paths: session.tabs.map((tab) => ({ id: tab.id, items: [this.#root(tab), ...tab.path] })),
            sheets: sheets.map((sheet) => ({ id: sheet.id, items: [sheet, ...sheet.path] })),
        };
    }

    /**
     * Learns which routes of the container are which entries, so that screens that the user has
     * opened stay as they are when they get their ids.
     *
     * @param {Places} shown @param {Places} wanted
     */
    #learn(shown, wanted) {
        const [own, all] = [[...shown.paths, ...shown.sheets], [...wanted.paths, ...wanted.sheets]];
        const kept = new Map();
        for (const [index, { items }] of all.entries()) {
            for (const [number, { id, route }] of items.entries()) {
                const item = own[index]?.items[number];
                const key = this.#keys.get(id);
                if (key !== undefined) kept.set(id, key);
                else if (item?.route === route && !/^(e\d+|)$/.test(item.id) && item.id !== id) kept.set(id, item.id);
            }
        }
        this.#keys = kept;
    }

    /** @param {Session} session @returns {ContainerState} */
    #state(session) {
        const { tab, tabs, paths, sheets } = this.#wanted(session);
        const routes = paths.filter(({ id }) => tabs.includes(id)).map(({ id, items }) => ({
            name: id, key: `tab:${id}`, state: stack(items.map((item) => this.#screen(item))),
        }));
        const index = Math.max(0, tabs.indexOf(tab));
        const over = sheets.map(({ items: [first, ...path] }) => {
            const screen = this.#screen(first);
            const inner = [{ ...screen, key: `${screen.key}:root` }, ...path.map((item) => this.#screen(item))];
            return path.length > 0 ? { ...screen, state: stack(inner) } : screen;
        });
        return stack([{ name: this.tabs, key: this.tabs, state: { index, routes } }, ...over]);
    }

    /** @param {Item} item @returns {ContainerRoute} */
    #screen({ id, route, params }) {
        return { name: route, key: this.#keys.get(id) ?? id, params };
    }

    // From the container to the session

    /** @param {Session} session @returns {Places | undefined} Nothing while it shows no tabs. */
    #read(session) {
        const root = this.container.getRootState();
        /** @type {ContainerRoute[]} */
        const routes = root?.routes.slice(0, (root.index ?? root.routes.length - 1) + 1) ?? [];
        const own = routes.find(({ name }) => name === this.tabs);
        const tabs = own?.state;
        if (!tabs) return undefined;
        const ids = new Map([...this.#keys].map(([id, key]) => [key, id]));
        /** @param {ContainerRoute} route @returns {Item} */
        const item = ({ key = "", name, params }) =>
            ({ id: ids.get(key) ?? key, route: name, params: params ?? {} });
        return {
            tab: tabs.routes[tabs.index ?? 0].name,
            tabs: tabs.routes.map(({ name }) => name),
            // A tab that was never visited has no state in the container.
            paths: this.#wanted(session).paths.map(({ id, items }) => {
                const found = tabs.routes.find(({ name }) => name === id)?.state;
                return { id, items: found?.routes.map(item) ?? items };
            }),
            sheets: routes.filter((route) => route !== own).map((route) => {
                const first = item(route);
                return { id: first.id, items: [first, ...(route.state?.routes.slice(1).map(item) ?? [])] };
            }),
        };
    }

    /** The container has changed. */
    #moved() {
        const session = this.#session;
        const shown = session && this.#read(session);
        if (!shown || this.#isSending) return;
        const wanted = this.#wanted(session);
        /** @type {import("./navstate.js").Command[]} */
        const commands = [];
        const differs = shown.sheets.findIndex(({ id }, index) => id !== wanted.sheets[index]?.id);
        const kept = differs < 0 ? shown.sheets.length : differs;
        const gone = wanted.sheets[kept];
        if (gone) commands.push({ command: "dismiss", sheet: gone.id });
        if (shown.tab !== wanted.tab) commands.push({ command: "select", tab: shown.tab, reselect: "none" });
        for (const { id, items: [, ...path] } of [...shown.paths, ...shown.sheets.slice(0, kept)]) {
            const before = [...wanted.paths, ...wanted.sheets].find((other) => other.id === id)?.items.slice(1) ?? [];
            if (text(path) === text(before)) continue;
            const ids = before.map((item) => item.id);
            commands.push({
                command: "setPath", in: id,
                path: path.map((item) => (ids.includes(item.id) ? item : { route: item.route, params: item.params })),
            });
        }
        for (const { items: [{ route, params }] } of shown.sheets.slice(kept)) {
            commands.push({ command: "present", route, params });
        }
        if (commands.length > 0) this.#send(commands, text(shown));
    }

    /** @param {{ command: string }[]} commands @param {string} sent What the container showed. */
    async #send(commands, sent) {
        this.#isSending = true;
        let session = this.#session;
        try {
            session = (await this.client.batch(this.id, { commands })).session;
        } catch (error) {
            this.options.onError?.(error);
        }
        this.#isSending = false;
        if (this.#session && session && session.revision < this.#session.revision) session = this.#session;
        if (!session) return;
        this.#session = session;
        const shown = this.#read(session);
        if (shown) this.#learn(shown, this.#wanted(session));
        // The user may have gone on. Otherwise what the server has made of it is shown.
        if (shown && text(shown) !== sent) this.#moved();
        else this.#show(session);
    }
}

/** @param {ContainerRoute[]} routes @returns {ContainerState} */
const stack = (routes) => ({ index: routes.length - 1, routes });

/** @param {unknown} value @returns {string} Places that show the same have the same text. */
function text(value) {
    return JSON.stringify(value, (_, part) => {
        if (part?.items) return part.items;
        if (typeof part?.route === "string") return [part.route, sorted(part.params)];
        return part;
    });
}

/** @param {any} value @returns {any} The value with the members of objects in alphabetical order. */
function sorted(value) {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

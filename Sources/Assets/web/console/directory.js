// The known sessions: they are read page by page and searched here, since the server
// finds sessions by the beginning of their id, by app and by exact label only.
//
// Of a server with more than `indexMax` sessions the first ones are read, and those whose id begins
// with what is searched for; the list says so. While the page is visible, a stream of all sessions
// keeps them up to date, and they are read again every few seconds, because the stream does not say
// how many watch a session, and because not every token may follow it.
import { filtersOf } from "./address.js";
import { counted, grouped, paramsText } from "./words.js";

const pageMax = 500;
const indexMax = 2_000;
const refreshMilliseconds = 5_000;
const refreshMillisecondsMany = 20_000;
/** Changes that follow each other are drawn together. */
const drawMilliseconds = 100;
/** How long the rest of the list waits at most for the session that is being opened. */
const sessionMilliseconds = 2_000;

export class Directory extends EventTarget {
    /** @param {import("./model.js").Model} model */
    constructor(model) {
        super();
        this.model = model;
        /** @type {any[]} */
        this.sessions = [];
        /** @type {any[]} Found by the beginning of the id, beyond the first ones. */
        this.beyond = [];
        /** @type {any[]} */
        this.apps = [];
        this.isComplete = true;
        /** @type {import("./address.js").Filters} */
        this.filters = filtersOf();
        /** @type {"loading" | "ready" | "offline" | "refused"} */
        this.state = "loading";
        /** @type {any} */
        this.error = null;
        /** Whether the stream of all sessions is open. */
        this.isLive = false;
        /** @type {(() => void) | null} */
        this.stop = null;
        /** @type {any} */
        this.drawing = undefined;
        /** @type {any[]} What the stream has told since the last reading began. */
        this.heard = [];
    }

    start() {
        this.load();
        this.loadApps();
        this.follow();
        const tick = async () => {
            if (!document.hidden) await this.load();
            this.timer = setTimeout(tick, this.sessions.length > pageMax ? refreshMillisecondsMany : refreshMilliseconds);
        };
        this.timer = setTimeout(tick, refreshMilliseconds);
    }

    changed() {
        clearTimeout(this.drawing);
        this.drawing = undefined;
        this.dispatchEvent(new Event("change"));
    }

    changedSoon() {
        this.drawing ??= setTimeout(() => this.changed(), drawMilliseconds);
    }

    follow() {
        if (this.stop || document.hidden) return;
        this.stop = this.model.client.subscribeAll({
            onHello: () => this.state !== "loading" && this.load(),
            onChange: ({ session, etag }) => this.take({ ...summary(session), etag }),
            onEnd: ({ sessionId }) => this.forget(sessionId),
            onStatus: ({ state }) => this.setLive(state === "live"),
            onError: () => this.setLive(false),
        });
    }

    /** Gives its connection back: a browser has six for all consoles of a server. */
    unfollow() {
        this.stop?.();
        this.stop = null;
        this.setLive(false);
    }

    /** @param {boolean} isLive */
    setLive(isLive) {
        if (this.isLive === isLive) return;
        this.isLive = isLive;
        this.dispatchEvent(new Event("live"));
    }

    /** @param {any} item */
    take(item) {
        if (this.heard.length < indexMax) this.heard.push(item);
        if (this.state === "loading") return;
        this.merge(item);
        this.changedSoon();
    }

    /** @param {any} item */
    merge(item) {
        const list = this.beyond.some(({ id }) => id === item.id) ? this.beyond : this.sessions;
        const index = list.findIndex(({ id }) => id === item.id);
        if (index < 0 && !this.isComplete) return;
        if (index < 0) list.push({ ...item, watchers: 0 });
        else if (list[index].revision < item.revision) list[index] = { ...item, watchers: list[index].watchers };
    }

    /** @param {string} ended */
    forget(ended) {
        this.heard = this.heard.filter(({ id }) => id !== ended);
        this.sessions = this.sessions.filter(({ id }) => id !== ended);
        this.beyond = this.beyond.filter(({ id }) => id !== ended);
        this.changedSoon();
    }

    async load() {
        this.request?.abort();
        const request = (this.request = new AbortController());
        try {
            await this.read(request.signal);
            this.state = "ready";
            this.error = null;
        } catch (error) {
            if (request.signal.aborted) return;
            this.error = error;
            this.state = /** @type {any} */ (error).problem ? "refused" : "offline";
        }
        this.changed();
    }

    /** @param {AbortSignal} signal */
    async read(signal) {
        const isFirst = this.state === "loading";
        this.heard = [];
        /** @type {any[]} */
        const sessions = [];
        /** @type {string | undefined} */
        let cursor;
        do {
            const page = await this.model.client.list({ cursor, limit: pageMax, signal });
            if (signal.aborted) throw new DOMException("replaced", "AbortError");
            sessions.push(...page.sessions);
            cursor = page.next;
            if (isFirst && cursor) {
                this.sessions = [...sessions];
                this.isComplete = false;
                this.state = "ready";
                this.changed();
                await this.sessionOpened();
            }
        } while (cursor !== undefined && sessions.length < indexMax);
        this.sessions = sessions;
        this.isComplete = cursor === undefined;
        // The list may be older than events that arrived while it was read.
        for (const item of this.heard) this.merge(item);
        if (!this.isComplete) await this.readBeyond(signal);
    }

    // A session that the address names comes before the rest of a long list.
    async sessionOpened() {
        const { model } = this;
        if (!model.wanted || model.isReady) return;
        await new Promise((go) => {
            for (const name of ["session", "closed"]) model.on(name, () => go(null));
            setTimeout(go, sessionMilliseconds);
        });
    }

    /** @param {AbortSignal} [signal] */
    async readBeyond(signal) {
        const q = this.filters.text.trim();
        const isId = /^[A-Za-z0-9._~-]+$/.test(q);
        const page = isId ? await this.model.client.list({ q, limit: pageMax, signal }) : { sessions: [] };
        const known = new Set(this.sessions.map((item) => item.id));
        this.beyond = page.sessions.filter((item) => !known.has(item.id));
    }

    async loadApps() {
        // A token that may not read apps lists none.
        this.apps = await this.model.client.apps().then((found) => found.apps, () => []);
        // The list is drawn with them.
        if (this.state !== "loading") this.changed();
    }

    /** @param {import("./address.js").Filters} filters */
    async find(filters) {
        if (JSON.stringify(filters) === JSON.stringify(this.filters)) return;
        this.filters = filters;
        this.changed();
        if (this.isComplete) return;
        await this.readBeyond().catch((error) => (this.error = error));
        this.changed();
    }

    get isFiltered() {
        const { text, app, labels } = this.filters;
        return Boolean(text.trim() || app || labels.length > 0);
    }

    /** The sessions that were found, in the chosen order. */
    get found() {
        const { text, app, labels, sort } = this.filters;
        const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
        const all = this.isFiltered ? [...this.sessions, ...this.beyond] : [...this.sessions];
        const found = all.filter((item) => (!app || item.app === app) && matches(item, terms)
            && labels.every((label) => labelsOf(item).includes(label)));
        const order = orders.get(sort.replace(/^-/, "")) ?? newest;
        const sign = sort.startsWith("-") ? -1 : 1;
        return found.sort((a, b) => sign * order(a, b) || byId(a, b));
    }

    /** `500 sessions`, `12 of 500 sessions`, or `2,000+ sessions` of a server with more. */
    get countWords() {
        const total = this.isComplete ? counted(this.sessions.length, "session")
            : `${grouped(this.sessions.length)}+ sessions`;
        return this.isFiltered ? `${grouped(this.found.length)} of ${total}` : total;
    }
}

/**
 * The row of a session in the list.
 *
 * @param {any} session
 */
function summary({ id, revision, app, labels, selectedTab, visible, updatedAt, expiresAt }) {
    return { id, revision, app, labels, selectedTab, visible, updatedAt, expiresAt };
}

/** @param {any} a @param {any} b */
function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {any} a @param {any} b */
function byId(a, b) {
    return compare(a.id, b.id);
}

/** @param {any} a @param {any} b */
function newest(a, b) {
    return compare(b.updatedAt, a.updatedAt);
}

/**
 * The orders of the list by name; with a `-` before it, an order is turned around.
 *
 * @type {Map<string, (a: any, b: any) => number>}
 */
const orders = new Map(Object.entries({
    changed: newest, id: byId, app: (/** @type {any} */ a, /** @type {any} */ b) => compare(a.app ?? "", b.app ?? ""),
    screen: (/** @type {any} */ a, /** @type {any} */ b) => compare(a.visible.route, b.visible.route),
    revision: (/** @type {any} */ a, /** @type {any} */ b) => b.revision - a.revision,
    watchers: (/** @type {any} */ a, /** @type {any} */ b) => (b.watchers ?? 0) - (a.watchers ?? 0),
}));

/**
 * The labels of a session, as `room:lobby`.
 *
 * @param {any} item
 */
export function labelsOf(item) {
    return Object.entries(item.labels ?? {}).map(([key, value]) => `${key}:${value}`);
}

/**
 * Whether every term occurs in the id, the app, the labels (`room:lobby`), the visible route or its
 * params.
 *
 * @param {any} item @param {string[]} terms In lower case.
 */
export function matches(item, terms) {
    if (terms.length === 0) return true;
    const text = [
        item.id, item.app ?? "free-form", item.visible.route, paramsText(item.visible.params), ...labelsOf(item),
    ].join(" ").toLowerCase();
    return terms.every((term) => text.includes(term));
}

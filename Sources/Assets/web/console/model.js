// The state of the console, and the only place that sends requests to the server.
//
// One session is open at a time and followed by one stream. The views draw this state, and are told
// by name what has changed:
//
//   session   the state that is shown: the newest, or an older one while looking at the past
//   history   the time line
//   status    the connection
//   requests  the curl lines
//   closed    no session is open (any more)
//
// A session may change hundreds of times a second. Every change is received, but drawing, further
// requests and announcements are limited to a rate that a person can follow.
import { announce, notify, notifyError } from "./dom.js";
import { curlLine } from "./curl.js";
import { createClient } from "../navstate.js";

const requestsMax = 30;
const historyPage = 50;
/** More than the server keeps, so there is none to be asked for behind these. */
const historyMax = 50;
/** Entries and sheets whose routes are remembered, for the time line's words. */
const namesMax = 2_000;
const drawMilliseconds = 100;
/** So much longer than it takes to make the elements is waited, so that layout and clicks have room. */
const restFactor = 8;
/** A button that is pressed stays until it is let go; but not for ever, should that be lost. */
const heldMillisecondsMax = 5_000;
const announceMilliseconds = 2_000;
/** What may be told late, and once for many times. */
const drawings = new Set(["session", "history", "requests"]);

export class Model extends EventTarget {
    constructor() {
        super();
        /** @type {any} The newest state. */
        this.session = null;
        /** @type {any} An older state that is looked at. */
        this.past = null;
        /** @type {any[]} Newest first. */
        this.history = [];
        /** @type {number | undefined} */
        this.historyNext = undefined;
        /** @type {any} */
        this.allowed = null;
        /** @type {any} The session's app, as far as it may be read. */
        this.app = null;
        /** @type {any} */
        this.status = { state: "idle" };
        /** @type {string[]} Newest first. */
        this.requests = [];
        /** Routes by the ids of entries and sheets, also of those that are gone. */
        this.names = new Map();
        this.mayControl = true;
        /** @type {import("../navstate.js").Watcher[]} The open streams of the session. */
        this.watchers = [];
        /** Sheets whose answer is waited for. */
        this.questions = new Set();
        /** @type {Set<string>} */
        this.undrawn = new Set();
        this.drawAfter = 0;
        this.heldUntil = 0;
        this.unheard = 0;
        /** Own commands that are under way: what happens meanwhile is most likely theirs. */
        this.ownCount = 0;
        this.isLoadingAllowed = this.wantsAllowed = false;
        this.stop = () => {};
        this.client = this.clientWith(undefined);
    }

    /** @param {string | undefined} token */
    connect(token) {
        this.client = this.clientWith(token);
    }

    /** @param {string | undefined} token */
    clientWith(token) {
        return createClient({
            url: location.origin, token,
            onRequest: (request) => this.sent(request),
        });
    }

    /** @param {string} name @param {() => void} listener */
    on(name, listener) {
        this.addEventListener(name, listener);
    }

    /** @param {string} name */
    emit(name) {
        if (!drawings.has(name)) return this.dispatchEvent(new Event(name));
        if (this.undrawn.size === 0) {
            setTimeout(() => this.draw(), Math.max(0, this.drawAfter - performance.now()));
        }
        this.undrawn.add(name);
    }

    /** Nothing is drawn between a press and its release: what is pressed would be gone by then. */
    hold() {
        this.heldUntil = performance.now() + heldMillisecondsMax;
    }

    release() {
        this.heldUntil = 0;
    }

    draw() {
        const began = performance.now();
        if (began < this.heldUntil) return void setTimeout(() => this.draw(), drawMilliseconds / 2);
        const names = [...this.undrawn];
        this.undrawn.clear();
        for (const name of names) {
            // The session may have been closed in the meantime.
            if (!this.session && name !== "requests") continue;
            this.dispatchEvent(new Event(name));
        }
        const now = performance.now();
        this.drawAfter = now + Math.max(drawMilliseconds, restFactor * (now - began));
    }

    /** @param {import("../navstate.js").SentRequest} request */
    sent(request) {
        if (request.method === "GET" || request.url.includes("dryRun")) return;
        this.requests.unshift(curlLine(request, Boolean(this.client.token)));
        this.requests.length = Math.min(this.requests.length, requestsMax);
        this.emit("requests");
    }

    /** What is drawn. */
    get shown() {
        return this.past ?? this.session;
    }

    /** @returns {string | undefined} */
    get id() {
        return this.session?.id ?? this.wanted;
    }

    // The open session

    /** @param {string} id */
    open(id) {
        this.close();
        this.wanted = id;
        this.follow();
    }

    follow() {
        if (!this.wanted) return;
        this.stop();
        this.stop = this.client.subscribe(this.wanted, {
            onSnapshot: (event) => this.snapshot(event),
            onChange: (event) => this.change(event),
            onWatchers: (event) => {
                this.watchers = event.watchers;
                this.emit("session");
            },
            onEnd: (event) => this.ended(event.type),
            onStatus: (status) => this.setStatus(status),
            onError: (error) => {
                notifyError(error);
                this.close();
            },
        }, { watchers: true });
    }

    /** Lets go of the stream while nobody looks; `follow` takes it up again. */
    pause() {
        this.stop();
        this.setStatus({ state: "idle" });
    }

    close() {
        this.stop();
        this.wanted = undefined;
        this.session = this.past = this.allowed = this.app = null;
        this.history = [];
        this.historyNext = undefined;
        this.names = new Map();
        this.watchers = [];
        this.setStatus({ state: "idle" });
        this.emit("closed");
    }

    /** @param {"deleted" | "expired"} how */
    ended(how) {
        notify(`Session ${this.id} ${how === "expired" ? "expired" : "was deleted"}.`);
        this.close();
        this.emit("ended");
    }

    /** @param {any} status */
    setStatus(status) {
        this.status = { ...status, since: Date.now() };
        this.emit("status");
    }

    /** @param {any} event */
    snapshot(event) {
        if (event.gap) announce("Some changes were missed. This is the current state.");
        this.take(event.session);
        this.loadHistory();
    }

    /** @param {any} event */
    change(event) {
        const { revision, session } = event;
        if (!this.history.some((item) => item.revision === revision)) {
            this.history.unshift({ ...event, at: session.updatedAt });
            this.history.sort((a, b) => b.revision - a.revision);
            if (this.history.length > historyMax) {
                this.history.length = historyMax;
                this.historyNext = undefined;
            }
            this.emit("history");
        }
        const isNews = session.revision > this.session?.revision;
        this.take(session);
        if (isNews && this.ownCount === 0) this.hear(event.command.command);
    }

    // The first is announced at once; after it, the number of those that arrived in the meantime.
    /** @param {string} command */
    hear(command) {
        this.unheard += 1;
        if (this.unheard > 1) return;
        this.sayFromElsewhere(command);
        setTimeout(() => {
            const more = this.unheard - 1;
            this.unheard = 0;
            if (more > 0) this.sayFromElsewhere(more === 1 ? "1 more change" : `${more} more changes`);
        }, announceMilliseconds);
    }

    /** @param {string} what */
    sayFromElsewhere(what) {
        if (!this.session) return;
        announce(`${what} by another client. ${this.titleOf(this.session.visible)} is visible.`);
    }

    // An answer and the event of the same change may come in either order.
    /** @param {any} session */
    take(session) {
        if (session.id !== this.wanted) return;
        if (this.session && this.session.revision >= session.revision
            && this.session.createdAt === session.createdAt) return;
        const isFirst = !this.session;
        this.session = session;
        this.learnNames(session);
        if (isFirst || this.app?.id !== session.app) this.loadApp();
        this.loadAllowed();
        this.emit("session");
    }

    /** @param {any} session */
    learnNames(session) {
        for (const container of [...session.tabs, ...session.sheets]) {
            if (container.route) this.names.set(container.id, container.route);
            for (const entry of container.path) this.names.set(entry.id, entry.route);
        }
        for (const id of this.names.keys()) {
            if (this.names.size <= namesMax) break;
            this.names.delete(id);
        }
    }

    // A token for one session may not read apps; then routes are shown by their names.
    async loadApp() {
        const { app, id } = this.session;
        this.app = null;
        if (!app) return;
        const document = await this.client.app(app).catch(() => null);
        if (this.session?.id !== id || !document) return;
        this.app = { id: app, ...document };
        this.emit("session");
    }

    // One request at a time; after a change in the meantime, one more follows.
    async loadAllowed() {
        this.wantsAllowed = true;
        if (this.isLoadingAllowed) return;
        this.isLoadingAllowed = true;
        while (this.wantsAllowed && this.session) {
            this.wantsAllowed = false;
            const { id } = this.session;
            try {
                const allowed = await this.client.allowed(id);
                if (this.session?.id === id) {
                    this.allowed = allowed;
                    this.emit("session");
                }
            } catch (error) {
                // The stream reports that the session is gone.
                const isGone = /** @type {any} */ (error).code === "session-not-found";
                if (this.session?.id === id && !isGone) notifyError(error);
            }
            if (this.wantsAllowed) await new Promise((go) => setTimeout(go, drawMilliseconds));
        }
        this.isLoadingAllowed = false;
    }

    /** @param {number} [before] */
    async loadHistory(before) {
        const id = this.id;
        if (!id) return;
        try {
            const page = await this.client.history(id, { limit: historyPage, before });
            if (this.id !== id) return;
            const known = new Set(page.history.map((item) => item.revision));
            const others = this.history.filter((item) =>
                !known.has(item.revision) && (before ? true : item.revision > (page.history[0]?.revision ?? 0)));
            this.history = [...others, ...page.history].sort((a, b) => b.revision - a.revision);
            this.historyNext = page.next;
            for (const { command, added } of page.history) {
                if (command.route && added.length === 1) this.names.set(added[0], command.route);
            }
            this.emit("history");
        } catch (error) {
            notifyError(error);
        }
    }

    // Changing it

    /**
     * Runs a command and shows its result.
     *
     * @param {string} name
     * @param {object} [body]
     * @returns {Promise<any>} The answer, or nothing when it was refused.
     */
    async run(name, body = {}) {
        if (!this.session) return;
        try {
            return await this.attempt(name, body);
        } catch (error) {
            notifyError(error);
        }
    }

    /**
     * The same for a caller that shows the refusal itself.
     *
     * @param {string} name
     * @param {object} body
     */
    async attempt(name, body) {
        this.ownCount += 1;
        const answer = await this.client.command(this.session.id, name, body)
            .finally(() => (this.ownCount -= 1));
        if (answer.held) notify(`Held back by the guard ${answer.held}.`);
        else if (!answer.changed) notify(`No effect: ${answer.reason?.replaceAll("-", " ")}.`);
        if (answer.refused) notify(answer.refused.detail, { kind: "problem", title: answer.refused.title });
        this.now();
        if (this.session) this.take(answer.session);
        if (answer.changed) announce(`${name} done. ${this.titleOf(answer.session.visible)} is visible.`);
        return answer;
    }

    /**
     * Waits until a sheet is dismissed, and says what it was dismissed with.
     *
     * @param {string} sheet
     */
    async waitForAnswer(sheet) {
        const { id } = this.session;
        this.questions.add(sheet);
        this.emit("session");
        try {
            for (;;) {
                const state = await this.client.sheet(id, sheet, { seconds: 50 });
                if (state.state === "presented") continue;
                const answer = "result" in state ? JSON.stringify(state.result) : "no answer";
                return notify(`${sheet}: ${answer} (${state.command}).`);
            }
        } finally {
            this.questions.delete(sheet);
            this.emit("session");
        }
    }

    // Looking at the past

    /** @param {number} revision */
    async lookAt(revision) {
        if (revision === this.session?.revision) return this.now();
        try {
            const past = await this.client.get(this.session.id, { revision });
            this.past = past;
            this.learnNames(past);
            announce(`Showing revision ${revision}`);
            this.emit("session");
            this.emit("history");
        } catch (error) {
            notifyError(error);
        }
    }

    now() {
        if (!this.past) return;
        this.past = null;
        announce("Back to the current state");
        this.emit("session");
        this.emit("history");
    }

    /**
     * What the app declares of a route; a name such as `constructor` finds nothing that it does not.
     *
     * @param {string} name
     */
    route(name) {
        const routes = this.app?.routes ?? {};
        return Object.hasOwn(routes, name) ? routes[name] : undefined;
    }

    /**
     * What the app declares of a fact.
     *
     * @param {string} name
     */
    fact(name) {
        const facts = this.app?.facts ?? {};
        return Object.hasOwn(facts, name) ? facts[name] : undefined;
    }

    /**
     * What the app declares of a guard.
     *
     * @param {string} name
     */
    guard(name) {
        const guards = this.app?.guards ?? {};
        return Object.hasOwn(guards, name) ? guards[name] : undefined;
    }

    // Words

    /** @param {string} route */
    routeTitle(route) {
        const known = [...(this.allowed?.push ?? []), ...(this.allowed?.present ?? [])];
        return this.route(route)?.title ?? known.find((item) => item.route === route)?.title
            ?? words(route);
    }

    /** @param {string} id @returns {{ title: string, icon?: string, root?: string }} */
    tab(id) {
        const tab = this.app?.tabs?.find((/** @type {any} */ item) => item.id === id)
            ?? this.allowed?.tabs?.find((/** @type {any} */ item) => item.id === id);
        return { icon: tab?.icon, root: tab?.root, title: tab?.title ?? words(id) };
    }

    /**
     * The title of a tab's root.
     *
     * @param {string} id
     */
    rootTitle(id) {
        const { root, title } = this.tab(id);
        return (root && this.route(root)?.title) || title;
    }

    /** @param {any} visible */
    titleOf(visible) {
        return visible.entry ? this.routeTitle(visible.route) : this.rootTitle(visible.container);
    }
}

/**
 * `contactDetail` as `Contact detail`.
 *
 * @param {string} name
 */
export function words(name) {
    const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._~-]+/g, " ").toLowerCase();
    return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

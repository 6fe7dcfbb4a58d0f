// A session of a server whose commands are shown at once, by the server's own rules, and which works
// without a connection. `client.session(id, { rules: true })` loads this module.
//
// 1. `state` is what to show: the state that the server has confirmed, with the pending commands
//    carried out. If the server's answer is the state that is shown already, nothing is called.
// 2. One command is sent at a time, in their order. The rules may refuse one that the server does not:
//    it may know a newer state. Only without a connection the rules decide.
// 3. While a command has no answer, states from the stream wait, because they may contain it.
// 4. If the server cannot be reached, commands are collected. The first one is sent again with the
//    same Idempotency-Key when the stream is back, and then the others.
// 5. A command that was shown and that the server refuses or answers otherwise, or that has no answer
//    when the session ends, is a conflict: `onConflict` has it. Commands about what it would have
//    added are dropped with it.
// 6. Ids are predicted, too. If another client changed the session first, the pending
//    commands get the right ones.
// 7. Without the document of the app there is no prediction: commands are shown when they are
//    answered. A token for one session does not read it. Undo is predicted for changes seen here.
import { BoundSession, NavstateError, randomUUID } from "./navstate.js";

/** @typedef {import("./navstate.js").Session} Session */
/** @typedef {import("./navstate.js").Answer} Answer */
/** @typedef {import("./navstate.js").ChangeOptions} ChangeOptions */
/** @typedef {import("./navstate.js").RulesSessionOptions} Options */
/** @typedef {import("./navstate-rules.js").LocalSession} LocalSession */
/** @typedef {import("./navstate-rules.js").RulesApp} RulesApp */

/**
 * @typedef {object} Change A command without an answer.
 * @property {string} name
 * @property {any} body
 * @property {ChangeOptions} options
 * @property {string[]} added The ids that it adds, as far as is known.
 * @property {Answer | undefined} predicted
 * @property {boolean} wasShown
 * @property {(answer: Answer) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** How long a request that was not answered waits for the stream before it is sent again. */
const againMilliseconds = 5_000;
const closed = new TypeError("The session was closed.");
/** Members whose values are ids, and those in which there are such members. */
const idMembers = new Set(["in", "sheet", "entry", "id"]);
const outerMembers = new Set(["to", "path", "commands"]);

export class RulesSession extends BoundSession {
    /** @type {Session | undefined} What to show. */
    state;
    /** @type {Session | undefined} The newest state that the server has sent. */
    confirmed;
    /** @type {import("./navstate.js").WatchStatus["state"]} Of the stream. */
    connection = "connecting";
    /** @type {Change[]} */
    #pending = [];
    /** @type {import("./navstate-rules.js").Rules | undefined} */
    #rules;
    /** @type {RulesApp | null} */
    #app = null;
    /** The app's document as text. */
    #document = "";
    /** @type {string | null | undefined} The app that was looked for last; null for none. */
    #wanted;
    #isReading = false;
    /** @type {LocalSession | null} The confirmed state. */
    #base = null;
    /** @type {LocalSession | null} The same with the pending commands, if there are any. */
    #predicted = null;
    /** Whether the confirmed state is another one than was predicted. */
    #isOutdated = false;
    /** @type {{ session: Session, afterGap: boolean } | undefined} */
    #waiting;
    #isSending = false;
    #isLost = false;
    #isStarting = true;
    /** @type {unknown} Why it has ended. */
    #ended;
    /** Wakes a request that waits for a connection. */
    #wake = () => {};
    /** @type {Set<() => void>} */
    #watchers = new Set();
    #stop = () => {};

    /**
     * @param {import("./navstate.js").NavstateClient} client @param {string} id
     * @param {Options} options
     */
    constructor(client, id, options = {}) {
        super(client, id);
        this.options = options;
        if (options.from) {
            this.#accept(options.from, undefined, true);
            this.#replay();
        }
    }

    /**
     * Loads the rules, and waits for the first state unless one is known.
     *
     * @param {import("./navstate.js").NavstateClient} client @param {string} id @param {Options} options
     */
    static async open(client, id, options) {
        const session = new RulesSession(client, id, options);
        // The two modules need each other; a page that holds its files can only load them one after the other.
        const { loadRules } = await import("./navstate-rules.js");
        const using = session.use(await loadRules());
        if (options.from) using.catch(() => {});
        await session.start();
        return session;
    }

    /**
     * From now on, commands are predicted.
     *
     * @param {import("./navstate-rules.js").Rules} rules
     */
    async use(rules) {
        this.#rules = rules;
        const { app, from } = this.options;
        if (app && from?.app !== undefined) this.#useApp(rules.app(app, from.app), JSON.stringify(app));
        if (this.confirmed) await this.#readApp(this.confirmed);
    }

    /** Whether commands are shown before the server has answered. */
    get predicts() {
        return this.#base !== null;
    }

    /** The commands that the server has not answered, in their order. */
    get pending() {
        return this.#pending.map(({ name, body }) => ({ ...body, command: name }));
    }

    get isOffline() {
        return this.#isLost || this.connection === "waiting";
    }

    /**
     * Follows the session. Resolves with its first state; rejects if the server refuses the stream.
     *
     * @returns {Promise<void>}
     */
    start() {
        const { options } = this;
        return new Promise((resolve, reject) => {
            const show = (/** @type {any} */ event) => this.#received(event).then(resolve);
            this.#stop = this.client.subscribe(this.id, {
                onSnapshot: show, onChange: show,
                onWatchers: options.onWatchers, onSignal: options.onSignal,
                onStatus: (status) => this.#heard(status),
                onEnd: (event) => {
                    this.#end(new TypeError(`The session ${this.id} has ended.`));
                    options.onEnd?.(event);
                },
                onError: (error) => {
                    this.#end(error);
                    reject(error);
                    options.onError?.(error);
                },
            }, { as: options.as, signals: options.signals, watchers: options.watchers });
            if (this.state) resolve();
        });
    }

    /** Ends the stream. Commands that have no answer are rejected. */
    close() {
        this.#end(closed);
    }

    // Reading

    /** @returns {Promise<any>} What is shown, also without a connection. */
    async get() {
        return this.state ?? this.client.get(this.id);
    }

    /** What is allowed in the state that is shown, also without a connection. */
    async allowed() {
        return this.#shown?.allowed() ?? this.client.allowed(this.id);
    }

    /** The deep link of the visible screen, or null. */
    async link() {
        return this.#shown ? this.#shown.link() : (await this.client.link(this.id)).url;
    }

    /** Whether a guard of the app holds, or null if that is not known. */
    /** @param {string} guard */
    holds(guard) {
        return this.#shown?.holds(guard) ?? null;
    }

    get #shown() {
        return this.#predicted ?? this.#base;
    }

    /**
     * Yields the state to show now, and then whenever it is another one.
     *
     * @param {{ signal?: AbortSignal }} options @returns {AsyncGenerator<any, void, undefined>}
     */
    async *watch({ signal } = {}) {
        let isNew = true;
        let wake = () => {};
        const changed = () => {
            isNew = true;
            wake();
        };
        this.#watchers.add(changed);
        signal?.addEventListener("abort", changed);
        try {
            while (!this.#ended && !signal?.aborted) {
                if (isNew && this.state) {
                    isNew = false;
                    yield { session: this.state, isPredicted: this.#pending.length > 0 };
                } else {
                    await new Promise((/** @type {(value?: any) => void} */ resolve) => (wake = resolve));
                }
            }
        } finally {
            this.#watchers.delete(changed);
            signal?.removeEventListener("abort", changed);
        }
    }

    // Commands

    /**
     * Shows what a command does, and sends it. Resolves with the server's answer, however long that
     * takes; rejects if it is refused.
     *
     * @param {string} name @param {any} [body] @param {ChangeOptions} [options]
     * @returns {Promise<Answer>}
     */
    async command(name, body = {}, options = {}) {
        if (this.#ended) throw this.#ended;
        if (options.dryRun) return this.client.command(this.id, name, body, options);
        /** @type {Answer | undefined} */
        let predicted;
        try {
            this.#predicted ??= this.#base?.copy() ?? null;
            predicted = this.#predicted?.perform(name, body, options);
        } catch (error) {
            if (this.isOffline) throw error;
        }
        const key = options.idempotencyKey || randomUUID();
        return new Promise((resolve, reject) => {
            this.#pending.push({
                name, body, predicted, wasShown: predicted !== undefined, added: predicted?.added ?? [], resolve, reject,
                options: { ...options, minimal: false, idempotencyKey: key },
            });
            this.#refresh();
            this.#send();
        });
    }

    /**
     * Presents a screen that asks, and waits for the answer.
     *
     * @param {any} body @param {ChangeOptions} [options] @returns {Promise<any>}
     */
    async ask(body, options) {
        const { session, added } = await this.command("present", body, { ...options, strict: true });
        const sheet = session.sheets.find(({ id }) => added.includes(id));
        if (!sheet) throw new TypeError("The command has presented no sheet.");
        for (;;) {
            const { state, button, result } = /** @type {any} */ (
                await this.client.sheet(this.id, sheet.id, { seconds: 50, signal: options?.signal }));
            if (state !== "presented") return button ?? result;
        }
    }

    async #send() {
        if (this.#isSending) return;
        this.#isSending = true;
        while (this.#pending.length > 0) {
            const [change] = this.#pending;
            const { name, body, options } = change;
            try {
                const answer = await this.client.command(this.id, name, body, options);
                this.#isLost = false;
                if (this.#pending[0] === change) await this.#answered(change, answer);
            } catch (error) {
                if (this.#pending[0] !== change) continue;
                if (isDecision(error) || options.signal?.aborted) this.#refused(change, error);
                else await this.#lost();
            }
        }
        this.#isSending = false;
        this.#takeWaiting();
        this.#replay();
    }

    /** Waits for a sign of the server. */
    async #lost() {
        this.#isLost = true;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let timer;
        await new Promise((/** @type {(value?: any) => void} */ resolve) => {
            this.#wake = resolve;
            timer = setTimeout(resolve, againMilliseconds);
        });
        clearTimeout(timer);
    }

    /** @param {Change} change @param {Answer} answer */
    async #answered(change, answer) {
        const before = this.#base && this.confirmed?.revision;
        const wasNewest = this.#waiting === undefined;
        this.#pending.shift();
        this.#takeWaiting(change);
        const agrees = this.#accept(answer.session, change, wasNewest);
        const { added, predicted } = change;
        const isPaired = added.length === answer.added.length;
        const ids = new Map(isPaired ? added.map((id, index) => [id, answer.added[index]]) : []);
        if (this.#isOutdated || this.#pending.length === 0) this.#replay(ids);
        // Nobody else has changed the session, so it is the app that has changed.
        const isOtherApp = !agrees && before && before + 1 === answer.session.revision;
        const isOther = predicted && (isOtherApp || predicted.changed !== answer.changed || predicted.held !== answer.held);
        if (isOther) this.#tell("onConflict", { command: commandOf(change), answer });
        change.resolve(answer);
        if (isOtherApp) await this.#readApp(answer.session);
    }

    /** @param {Change} change @param {unknown} error */
    #refused(change, error) {
        this.#isLost = false;
        const gone = new Set(change.added);
        const isDropped = (/** @type {Change} */ other) => other !== change && names(other.body, gone);
        const dropped = this.#pending.filter((other) => isDropped(other));
        this.#pending = this.#pending.filter((other) => other !== change && !isDropped(other));
        this.#takeWaiting();
        this.#replay();
        // It may be refused by a newer document of the app.
        if (change.predicted && this.confirmed) this.#readApp(this.confirmed);
        for (const one of [change, ...dropped]) this.#reject(one, error);
    }

    // States

    /** @param {import("./navstate.js").WatchStatus} status */
    #heard(status) {
        this.connection = status.state;
        if (status.state === "live") this.#wake();
        this.#tell("onStatus", status);
    }

    /** @param {any} event */
    async #received({ session, gap = false, command }) {
        const counts = gap || this.#isStarting;
        this.#isStarting = false;
        if (this.#isSending) {
            this.#waiting = { session, afterGap: counts || this.#waiting?.afterGap === true };
        } else {
            const { command: name, ...body } = command ?? {};
            this.#accept(session, name && { name, body, options: {} }, counts);
            this.#replay();
        }
        if (this.#wanted !== (session.app ?? null)) return this.#readApp(session);
        // The same app may have been replaced before this change.
        if (session.app !== undefined) this.#readApp(session);
    }

    /** @param {Session} session */
    async #readApp({ app }) {
        const rules = this.#rules;
        if (!rules || (this.#isReading && this.#wanted === app)) return;
        this.#wanted = app ?? null;
        if (app === undefined) return this.#useApp(null, "");
        if (isForSession(this.client.token)) return;
        this.#isReading = true;
        try {
            const document = await this.client.app(app);
            const text = JSON.stringify(document);
            if (this.#wanted === app && text !== this.#document) this.#useApp(rules.app(document, app), text);
        } catch {
            // The token does not read it, there is no connection, or it is for a newer server.
            if (this.#app?.id !== app) this.#wanted = undefined;
        } finally {
            this.#isReading = false;
        }
    }

    /** @param {RulesApp | null} app @param {string} text */
    #useApp(app, text) {
        [this.#app, this.#document] = [app, text];
        if (this.confirmed) this.#rebase(this.confirmed);
        this.#replay();
        this.#tell("onApp");
    }

    /** @param {Change} [change] */
    #takeWaiting(change) {
        const next = this.#waiting;
        this.#waiting = undefined;
        if (next) this.#accept(next.session, change, next.afterGap);
    }

    /**
     * Makes a state the confirmed one. Returns whether the change was predicted to lead to it.
     *
     * @param {Session} session @param {Pick<Change, "name" | "body" | "options">} [change]
     */
    #accept(session, change, afterGap = false) {
        if (!afterGap && this.confirmed && session.revision < this.confirmed.revision) return true;
        if (this.confirmed && isSame(this.confirmed, session)) {
            if (!this.#base) this.#rebase(session);
            this.#confirm(session);
            return true;
        }
        // The rules know the states for undo as long as they have carried out every change.
        const next = (change && this.#base?.copy()) ?? null;
        let agrees = false;
        try {
            const at = Date.parse(session.updatedAt);
            if (change) next?.perform(change.name, change.body, { strict: change.options.strict, at });
            agrees = next !== null && isSame(next.state, session);
        } catch {
            // The changes that others made before it make it impossible here.
        }
        if (agrees) {
            this.#base?.free();
            this.#base = next;
        } else {
            next?.free();
            this.#rebase(session);
        }
        this.#confirm(session);
        return agrees;
    }

    /** @param {Session} session */
    #confirm(session) {
        this.confirmed = session;
        this.#tell("onConfirm", session);
    }

    /** @param {Session} session */
    #rebase(session) {
        this.#isOutdated = true;
        this.#base?.free();
        this.#base = null;
        if (!this.#rules || session.app !== this.#app?.id) return;
        try {
            this.#base = this.#rules.session(this.#app, { continue: session });
        } catch {
            // The state is one of a newer document of the app, or of a newer server.
        }
    }

    /**
     * Carries the pending commands out on the confirmed state.
     *
     * @param {Map<string, string>} [ids] What they name, and its name now.
     */
    #replay(ids = new Map()) {
        this.#isOutdated = false;
        this.#predicted?.free();
        const next = this.#pending.length > 0 ? this.#base?.copy() ?? null : null;
        this.#predicted = next;
        for (const change of this.#pending) {
            change.body = renamed(change.body, ids);
            change.predicted = undefined;
            try {
                change.predicted = next?.perform(change.name, change.body, change.options);
                change.wasShown ||= change.predicted !== undefined;
            } catch {
                // The server decides. What it would add keeps its id until then, since others may name it.
            }
            const { added } = change.predicted ?? change;
            if (added.length === change.added.length) change.added.forEach((old, index) => ids.set(old, added[index]));
            change.added = added;
        }
        this.#refresh();
    }

    /** Says what is to be shown, if that is another state than before. */
    #refresh() {
        const before = this.state;
        this.state = (this.#pending.length > 0 && this.#predicted?.state) || this.confirmed;
        if (!this.state || (before && isSame(before, this.state))) return;
        this.#tell("onShow", this.state, { isPredicted: this.#pending.length > 0 });
        for (const changed of this.#watchers) changed();
    }

    /**
     * A callback that fails stops nothing here.
     *
     * @param {"onShow" | "onConfirm" | "onConflict" | "onStatus" | "onApp"} name @param {any[]} values
     */
    #tell(name, ...values) {
        try {
            /** @type {any} */ (this.options[name])?.(...values);
        } catch (error) {
            queueMicrotask(() => {
                throw error;
            });
        }
    }

    /**
     * Nobody carries the command out, which may have been shown.
     *
     * @param {Change} change @param {unknown} error
     */
    #reject(change, error) {
        const isConflict = change.wasShown && !change.options.signal?.aborted && error !== closed;
        if (isConflict) this.#tell("onConflict", { command: commandOf(change), problem: problemOf(error) });
        change.reject(error);
    }

    /** @param {unknown} error */
    #end(error) {
        this.#stop();
        this.#ended ??= error;
        const pending = this.#pending;
        this.#pending = [];
        this.#wake();
        if (error !== closed) this.#replay();
        for (const change of pending) this.#reject(change, error);
        for (const changed of this.#watchers) changed();
    }
}

/** A token for one session reads no app. */
/** @param {string | undefined} token */
function isForSession(token) {
    return /^n[sv]t_/.test(token ?? "");
}

/** @param {Change} change */
function commandOf({ name, body }) {
    return { ...body, command: name };
}

/** @param {unknown} error */
function problemOf(error) {
    return error instanceof NavstateError ? error.problem : undefined;
}

/** Whether the server has decided: it was reached, and had time. */
/** @param {unknown} error */
function isDecision(error) {
    return error instanceof NavstateError && ![429, 502, 503, 504].includes(error.status);
}

/** Whether both show the same: all but the times. */
/** @param {Session} a @param {Session} b */
function isSame(a, b) {
    return a === b || timeless(a) === timeless(b);
}

/** @param {Session} session */
function timeless({ updatedAt, expiresAt, ...session }) {
    const sheets = session.sheets.map(({ expiresAt: end, ...sheet }) => sheet);
    return JSON.stringify({ ...session, sheets });
}

/**
 * @param {any} value @param {Map<string, string>} ids @param {string} [member] The one whose value it
 *   is; nothing for a body. @returns {any}
 */
function renamed(value, ids, member) {
    if (ids.size === 0) return value;
    if (typeof value === "string") return idMembers.has(member ?? "") ? ids.get(value) ?? value : value;
    if (typeof value !== "object" || value === null || (member !== undefined && !outerMembers.has(member))) return value;
    if (Array.isArray(value)) return value.map((item) => renamed(item, ids, member));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, ids, key)]));
}

/** Whether a body names one of the ids. */
/** @param {any} body @param {Set<string>} ids */
function names(body, ids) {
    const marked = renamed(body, new Map([...ids].map((id) => [id, ""])));
    return ids.size > 0 && JSON.stringify(marked) !== JSON.stringify(body);
}

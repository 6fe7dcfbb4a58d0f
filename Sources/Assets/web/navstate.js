// A client for a navstate server, for browsers and for Node 20 or newer: one module without
// dependencies or a build step. The server serves it at /navstate.js. (Node before 20.19 takes it
// for a module only if it is named navstate.mjs or package.json has "type": "module".)
//
//     import { createClient } from "http://127.0.0.1:8080/navstate.js";
//     const client = createClient({ url: "http://127.0.0.1:8080", token });
//
//     await client.create({ id: "kiosk-1", app: "chat" });
//     await client.navigate("kiosk-1", { route: "contactList" });
//     for await (const event of client.watch("kiosk-1")) draw(event.session);
//
// 1. A method sends one request and returns the body of the response. Names and bodies are those
//    of /openapi.yaml.
// 2. An error response is thrown as a NavstateError, whose `problem` is what the server sent. Any
//    other error comes from `fetch`: the server was not reached.
// 3. A request that received no response, or a 429, 502, 503 or 504, is retried a few times. That
//    is safe for changes too, because all attempts have the same `Idempotency-Key`.
// 4. `ifMatch: true` protects against changing a state that the caller has not seen: the change is
//    made only if the session is still in the last state that this client returned, as a response
//    or an event.
// 5. `watch` yields every revision once and in order. When the connection is lost, it reconnects
//    and continues after the last event; if that was too long ago, it yields a snapshot with
//    `gap: true`. `watchAll` does the same for many sessions, or all of them, on one connection.
// 6. `session` returns an object with the calls about one session.
// 7. `ask` presents a sheet or a dialog and waits for the answer of the person in front of the
//    screen; `press` gives that answer for a dialog.
//
// There is nothing here for operators (probes, metrics, backup); use curl for these.

// The types are in navstate.d.ts.
/** @typedef {import("./navstate.js").Params} Params */
/** @typedef {import("./navstate.js").Idle} Idle */
/** @typedef {import("./navstate.js").Session} Session */
/** @typedef {import("./navstate.js").Command} Command */
/** @typedef {import("./navstate.js").Answer} Answer */
/** @typedef {import("./navstate.js").CommandResult} CommandResult */
/** @typedef {import("./navstate.js").Step} Step */
/** @typedef {import("./navstate.js").SheetState} SheetState */
/** @typedef {import("./navstate.js").Watcher} Watcher */
/** @typedef {import("./navstate.js").Problem} Problem */
/** @typedef {import("./navstate.js").ChangeOptions} ChangeOptions */
/** @typedef {import("./navstate.js").SessionSummary} SessionSummary */
/** @typedef {import("./navstate.js").SessionFilter} SessionFilter */
/** @typedef {import("./navstate.js").HistoryItem} HistoryItem */
/** @typedef {import("./navstate.js").Allowed} Allowed */
/** @typedef {import("./navstate.js").App} App */
/** @typedef {import("./navstate.js").StoredApp} StoredApp */
/** @typedef {import("./navstate.js").AppReport} AppReport */
/** @typedef {import("./navstate.js").Impact} Impact */
/** @typedef {import("./navstate.js").Resolution} Resolution */
/** @typedef {import("./navstate.js").TokenHeading} TokenHeading */
/** @typedef {import("./navstate.js").EndEvent} EndEvent */
/** @typedef {import("./navstate.js").WatchEvent} WatchEvent */
/** @typedef {import("./navstate.js").WatchAllEvent} WatchAllEvent */
/** @typedef {import("./navstate.js").WatchOptions} WatchOptions */
/** @typedef {import("./navstate.js").SessionWatchOptions} SessionWatchOptions */
/** @typedef {import("./navstate.js").WatchFilter} WatchFilter */
/** @typedef {import("./navstate.js").Callbacks} Callbacks */
/** @typedef {import("./navstate.js").ClientOptions} ClientOptions */

const silenceMillisecondsMax = 35_000;
const backoffMillisecondsMin = 250;
const backoffMillisecondsMax = 15_000;
/** For `ifMatch: true`; a client that drives more sessions than this reads before it writes. */
const seenSessionsMax = 1_000;
const retryStatuses = new Set([429, 502, 503, 504]);

/** An error response of the server. */
export class NavstateError extends Error {
    /**
     * @param {Problem} problem
     * @param {Headers} [headers]
     */
    constructor(problem, headers) {
        super(problem.detail || problem.title);
        this.name = "NavstateError";
        this.problem = problem;
        this.status = problem.status;
        /** The last part of the problem type, such as `session-not-found`. */
        this.code = String(problem.type ?? "").replace(/^.*\//, "");
        this.etag = headers?.get("etag") ?? undefined;
        this.retryAfterSeconds = Number(headers?.get("retry-after")) || 0;
    }
}

/**
 * Creates a client for one server.
 *
 * @param {ClientOptions} [options]
 * @returns {import("./navstate.js").NavstateClient}
 */
export function createClient(options = {}) {
    return new NavstateClient(options);
}

export class NavstateClient {
    /**
     * The last state that was seen of each session.
     *
     * @type {Map<string, { revision: number, createdAt: string, etag: string }>}
     */
    #seen = new Map();

    /** @param {ClientOptions} options */
    constructor(options) {
        this.url = (options.url ?? new URL(import.meta.url).origin).replace(/\/+$/, "");
        this.token = options.token;
        this.retries = options.retries ?? 3;
        this.silenceMilliseconds = options.silenceMilliseconds ?? silenceMillisecondsMax;
        this.onRequest = options.onRequest;
        // Bound, as a browser's fetch refuses to be called as a method of something else.
        this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    }

    /**
     * The calls about one session. In TypeScript, `session<Chat>(id)` has the types of an app.
     * With `rules: true`, a promise of a session that predicts: see rules-session.js.
     *
     * @param {string} id
     * @param {import("./navstate.js").RulesSessionOptions & { rules?: boolean }} options
     * @returns {any}
     */
    session(id, options = {}) {
        if (!options.rules) return new BoundSession(this, id);
        return import("./rules-session.js").then((module) => module.RulesSession.open(this, id, options));
    }

    // Sessions

    /**
     * @param {{ id?: string, app?: string, template?: string, tabs?: string[],
     *   selectedTab?: string, tabBack?: "none" | "first" | "history", facts?: Record<string, any>,
     *   copyOf?: string, revision?: number, ttlSeconds?: number, idle?: Idle,
     *   labels?: Record<string, string> }} [body] `copyOf` begins with the state of another session,
     *   as it is now or at one of its kept revisions.
     * @param {ChangeOptions} [options]
     * @returns {Promise<Session>}
     */
    create(body = {}, options) {
        return this.#change("POST", "/v1/sessions", undefined, body, options);
    }

    /**
     * @param {string} id
     * @param {{ revision?: number, signal?: AbortSignal }} options `revision` reads an older state.
     * @returns {Promise<Session>}
     */
    async get(id, { revision, signal } = {}) {
        const reply = await this.#send("GET", path(id), { query: { revision }, signal });
        if (revision === undefined) this.#saw(id, reply.body, reply.etag);
        return reply.body;
    }

    /**
     * Waits for the session to differ from the last state seen; returns null if the time is up first.
     *
     * @param {string} id
     * @param {{ seconds?: number, signal?: AbortSignal }} options At most 60 seconds.
     * @returns {Promise<Session | null>}
     */
    async waitForChange(id, { seconds = 30, signal } = {}) {
        const etag = this.#seen.get(id)?.etag;
        if (!etag) return this.get(id, { signal });
        const headers = { "If-None-Match": etag, Prefer: `wait=${seconds}` };
        const reply = await this.#send("GET", path(id), { headers, signal });
        if (reply.status === 304) return null;
        this.#saw(id, reply.body, reply.etag);
        return reply.body;
    }

    /**
     * Returns a page of sessions, ordered by id; pass `next` as the `cursor` of the next page.
     *
     * @param {SessionFilter} filter
     * @returns {Promise<{ sessions: SessionSummary[], next?: string }>}
     */
    list({ signal, ...query } = {}) {
        return this.#read("/v1/sessions", query, signal);
    }

    /**
     * Yields all matching sessions; pages are read as needed.
     *
     * @param {SessionFilter} filter
     * @returns {AsyncGenerator<SessionSummary, void, undefined>}
     */
    async *sessions(filter = {}) {
        let { cursor } = filter;
        do {
            const page = await this.list({ ...filter, cursor });
            yield* page.sessions;
            cursor = page.next;
        } while (cursor !== undefined);
    }

    /**
     * @param {string} id
     * @param {ChangeOptions} [options]
     * @returns {Promise<void>}
     */
    async delete(id, options) {
        await this.#change("DELETE", path(id), id, undefined, options);
        if (!options?.dryRun) this.#seen.delete(id);
    }

    /**
     * Merges labels, the time to live and the idle command; null removes a value.
     *
     * @param {string} id
     * @param {{ labels?: Record<string, string | null> | null, ttlSeconds?: number | null,
     *   idle?: Idle | null }} patch
     * @param {ChangeOptions} [options]
     * @returns {Promise<Session>}
     */
    patch(id, patch, options) {
        return this.#change("PATCH", path(id), id, patch, options);
    }

    /**
     * Restores a state that was read before; creates or replaces the session.
     *
     * @param {string} id
     * @param {object} state
     * @param {ChangeOptions & { onlyCreate?: boolean }} [options]
     * @returns {Promise<Session>}
     */
    restore(id, state, options) {
        return this.#change("PUT", path(id), id, state, options);
    }

    /**
     * Returns the history, newest first; pass `next` as `before` of the next page.
     *
     * @param {string} id
     * @param {{ limit?: number, before?: number, signal?: AbortSignal }} page
     * @returns {Promise<{ history: HistoryItem[], next?: number }>}
     */
    history(id, { signal, ...query } = {}) {
        return this.#read(path(id, "history"), query, signal);
    }

    /**
     * Returns the routes that can be pushed and presented now, with the schemas of their params.
     *
     * @param {string} id
     * @param {{ signal?: AbortSignal }} options
     * @returns {Promise<Allowed>}
     */
    allowed(id, { signal } = {}) {
        return this.#read(path(id, "allowed"), {}, signal);
    }

    /**
     * Returns the deep link of the visible screen.
     *
     * @param {string} id
     * @returns {Promise<{ url: string }>}
     */
    link(id) {
        return this.#read(path(id, "link"));
    }

    /**
     * Returns how a user interface gets from one revision to another, one animation at a time.
     *
     * @param {string} id
     * @param {{ from: number, to?: number, signal?: AbortSignal }} range By default to the newest.
     * @returns {Promise<{ from: number, to: number, steps: Step[] }>}
     */
    steps(id, { signal, ...query }) {
        return this.#read(path(id, "steps"), query, signal);
    }

    // Questions

    /**
     * Returns whether a sheet is presented, and otherwise what it was dismissed with. With `seconds`,
     * waits until it is dismissed.
     *
     * @param {string} id
     * @param {string} sheet
     * @param {{ seconds?: number, signal?: AbortSignal }} options At most 60 seconds.
     * @returns {Promise<SheetState>}
     */
    async sheet(id, sheet, { seconds, signal } = {}) {
        const target = path(id, `sheets/${encodeURIComponent(sheet)}`);
        const headers = waiting(seconds);
        return (await this.#send("GET", target, { headers, signal })).body;
    }

    /**
     * Presents a sheet or a dialog and waits until it is gone, however long that takes. Without a
     * `result` or a `button` in what is returned, the person did not answer. A guard may hold the
     * sheet back; that is an error here.
     *
     * @param {string} id
     * @param {Parameters<NavstateClient["present"]>[1]} body
     * @param {ChangeOptions} [options]
     * @returns {Promise<Exclude<SheetState, { state: "presented" }>>}
     */
    async ask(id, body, options) {
        const { session, added } = await this.present(id, body, { ...options, strict: true, minimal: false });
        const shown = session.sheets.map((sheet) => sheet.id);
        const sheet = added.find((entry) => shown.includes(entry));
        if (sheet === undefined) throw new TypeError("The command has presented no sheet.");
        for (;;) {
            const state = await this.sheet(id, sheet, { seconds: 50, signal: options?.signal });
            if (state.state !== "presented") return state;
        }
    }

    /**
     * Presses a button of a dialog. As the dialog is named, a press that comes late answers no other.
     *
     * @param {string} id
     * @param {string} dialog The id of the dialog.
     * @param {string} button
     * @param {ChangeOptions} [options]
     * @returns {Promise<Answer>}
     */
    press(id, dialog, button, options) {
        return this.command(id, "dismiss", { sheet: dialog, button }, options);
    }

    /**
     * Sends a signal to everybody who watches the session with `signals`. It is no change; it is sent
     * once and not retried.
     *
     * @param {string} id
     * @param {{ name: string, data?: any }} body
     * @param {{ signal?: AbortSignal }} options
     * @returns {Promise<{ delivered: number }>}
     */
    async signal(id, body, { signal } = {}) {
        return (await this.#send("POST", path(id, "signal"), { body, signal, retries: 0 })).body;
    }

    // Who is watching

    /**
     * Returns the open streams of a session, oldest first. With `shown`, waits until every watcher
     * with a name has shown that revision or a later one, or is gone.
     *
     * @param {string} id
     * @param {{ shown?: number, seconds?: number, signal?: AbortSignal }} options At most 60 seconds.
     * @returns {Promise<{ watchers: Watcher[] }>}
     */
    async watchers(id, { shown, seconds, signal } = {}) {
        const request = { query: { shown }, headers: waiting(seconds), signal };
        return (await this.#send("GET", path(id, "watchers"), request)).body;
    }

    /**
     * Reports what a display shows now. It must be watching the session under that name.
     *
     * @param {string} id
     * @param {{ as: string, revision: number }} body
     * @param {{ signal?: AbortSignal }} options
     * @returns {Promise<void>}
     */
    async shown(id, body, { signal } = {}) {
        await this.#send("POST", path(id, "shown"), { body, signal });
    }

    // Tokens for one session

    /**
     * Creates a token for this session only. It is shown only once, so the request is not
     * retried.
     *
     * @param {string} id
     * @param {{ scope: "control" | "read", name?: string, ttlSeconds?: number, commands?: string[],
     *   routes?: string[] }} body With `commands` or `routes`, the token may send and show these only.
     * @returns {Promise<TokenHeading & { token: string }>}
     */
    async createToken(id, body) {
        const reply = await this.#send("POST", path(id, "tokens"), { body, retries: 0 });
        return reply.body;
    }

    /**
     * @param {string} id
     * @returns {Promise<{ tokens: TokenHeading[] }>}
     */
    tokens(id) {
        return this.#read(path(id, "tokens"));
    }

    /**
     * Revokes a token; its streams end.
     *
     * @param {string} id
     * @param {string} tokenId The id of the token, not the token itself.
     * @returns {Promise<void>}
     */
    async revokeToken(id, tokenId) {
        await this.#send("DELETE", path(id, `tokens/${encodeURIComponent(tokenId)}`), {});
    }

    // Apps

    /** @returns {Promise<{ apps: { id: string, title?: string }[] }>} */
    apps() {
        return this.#read("/v1/apps");
    }

    /**
     * @param {string} app
     * @returns {Promise<App>}
     */
    async app(app) {
        // A page reads it often, and it rarely changes: the browser asks whether it has.
        return (await this.#send("GET", appPath(app), { cache: "no-cache" })).body;
    }

    /**
     * Creates or replaces an app. An invalid one is refused; the problem has all `errors`.
     *
     * @param {string} app
     * @param {App} document
     * @returns {Promise<StoredApp>}
     */
    async putApp(app, document) {
        return (await this.#send("PUT", appPath(app), { body: document })).body;
    }

    /**
     * Checks an app as `putApp` does, without storing it. The report has what the app would do to
     * a page of its sessions.
     *
     * @param {string} app
     * @param {App} document
     * @param {{ limit?: number, cursor?: string }} page
     * @returns {Promise<AppReport>}
     */
    async checkApp(app, document, { limit, cursor } = {}) {
        const request = { body: document, query: { dryRun: true, limit, cursor } };
        return (await this.#send("PUT", appPath(app), request)).body;
    }

    /**
     * Returns how the sessions of an app will change when they are used next, as far as they have not
     * been brought to the app as it is now; pass `next` as the `cursor` of the next page.
     *
     * @param {string} app
     * @param {{ limit?: number, cursor?: string, signal?: AbortSignal }} page
     * @returns {Promise<Impact>}
     */
    impact(app, { signal, ...query } = {}) {
        return this.#read(`${appPath(app)}/impact`, query, signal);
    }

    /**
     * Deletes an app; refused with `app-in-use` while sessions are bound to it.
     *
     * @param {string} app
     * @returns {Promise<void>}
     */
    async deleteApp(app) {
        await this.#send("DELETE", appPath(app), {});
    }

    /**
     * Resolves a deep link of an app.
     *
     * @param {string} app
     * @param {string} url
     * @returns {Promise<Resolution>}
     */
    resolve(app, url) {
        return this.#read(`${appPath(app)}/resolve`, { url });
    }

    // Commands

    // Begin of what Sources/Assets/generate.py makes of openapi.yaml.

    /**
     * Push a screen.
     *
     * Pushes onto the path of the active container (the top sheet, or the selected tab if there is
     * no sheet), or of the container named by `in`; naming a tab also selects it, unless `select`
     * is false.
     *
     * @param {string} id
     * @param {{ route: string, params?: Params, in?: string, mark?: string, mode?: "push" |
     *   "single" | "popTo" | "toFront" | "replace" | "reset", locked?: boolean, select?: boolean,
     *   sheets?: "keep" | "dismiss" | "reject" | "force", force?: boolean }} body
     * @param {ChangeOptions} [options]
     */
    navigate(id, body, options) {
        return this.command(id, "navigate", body, options);
    }

    /**
     * Go back.
     *
     * One step pops the active path. On a sheet whose path is empty it dismisses the sheet. On a
     * tab's root it does what the app's (or the free-form session's) `tabBack` says: nothing,
     * select the first tab, or select the last tab in `tabHistory`, skipping hidden tabs; such a
     * step counts in `count` and not in `popped`, and `selected` is the tab that it ended on. On a
     * dialog a step presses the button with the role `cancel`. A locked entry and a sheet with
     * `dismissible: false` stop it (reasons `entry-locked` and `sheet-locked`), unless `force` is
     * set. If `count` is larger than the number of possible steps, it goes as far as possible.
     *
     * @param {string} id
     * @param {{ count?: number, to?: { entry: string } | { route: string } | { mark: string },
     *   inclusive?: boolean, within?: "any" | "path", force?: boolean }} [body]
     * @param {ChangeOptions} [options]
     */
    back(id, body, options) {
        return this.command(id, "back", body, options);
    }

    /**
     * Go to the root.
     *
     * With the scope `tab`, which is the default, it dismisses all sheets and empties the path of
     * the selected tab. With `path`, it empties only the path of the active container. With `all`,
     * it empties every path, dismisses all sheets, sets all roots back to those that the app
     * declares, and selects the first tab. If a locked screen would be removed, it is 409 unless
     * `force` is set.
     *
     * @param {string} id
     * @param {{ scope?: "tab" | "path" | "all", sheets?: "keep" | "dismiss" | "reject" | "force",
     *   force?: boolean }} [body]
     * @param {ChangeOptions} [options]
     */
    root(id, body, options) {
        return this.command(id, "root", body, options);
    }

    /**
     * Present a sheet, a full-screen cover or a dialog.
     *
     * Presents a sheet, a cover or a dialog on top of everything. If a sheet with the same `tag` is
     * presented, it is replaced, and the sheets above it are dismissed; if it is the same screen in
     * the same style too, it stays and gets the params (`same-entry` if it was on top and had
     * them).
     *
     * @param {string} id
     * @param {{ route?: string, params?: Params, mark?: string, style?: "sheet" |
     *   "fullScreenCover" | "popover" | "inspector" | "alert" | "confirmationDialog", tag?: string,
     *   title?: string, message?: string, buttons?: { id: string, title: string, role?: "cancel" |
     *   "destructive" }[], anchor?: string, detents?: string[], dismissible?: boolean,
     *   ttlSeconds?: number, path?: { route: string, params?: Params, mark?: string }[],
     *   force?: boolean }} body
     * @param {ChangeOptions} [options]
     */
    present(id, body, options) {
        return this.command(id, "present", body, options);
    }

    /**
     * Dismiss sheets.
     *
     * Dismisses the top sheet with its whole path; with `sheet` or `tag`, that sheet and all above
     * it; with `all`, every sheet. Use at most one of them. The paths of the tabs stay. A sheet
     * with `dismissible: false` is 409 `sheet-locked`, and a locked entry on a sheet 409
     * `entry-locked`, unless `force` is set. A `result` belongs to the lowest sheet that is
     * dismissed: if its route declares a schema for it, one that does not fit is 422
     * `invalid-params`.
     *
     * @param {string} id
     * @param {{ sheet?: string, tag?: string, all?: boolean, result?: any, button?: string,
     *   force?: boolean }} [body]
     * @param {ChangeOptions} [options]
     */
    dismiss(id, body, options) {
        return this.command(id, "dismiss", body, options);
    }

    /**
     * Select a tab.
     *
     * All paths are kept. Selecting the selected tab pops it to its root, unless `reselect` is
     * `none`. With `root` the path is emptied in any case. `params` replaces the params of the
     * root, and `mark` marks it.
     *
     * @param {string} id
     * @param {{ tab: string, reselect?: "popToRoot" | "none", params?: Params, mark?: string,
     *   root?: boolean, sheets?: "keep" | "dismiss" | "reject" | "force", force?: boolean }} body
     * @param {ChangeOptions} [options]
     */
    select(id, body, options) {
        return this.command(id, "select", body, options);
    }

    /**
     * Open a deep link.
     *
     * Resolves the URL with the links of the app and navigates there: selects the tab, sets its
     * path, and dismisses all sheets except the one of the link; if one of them is locked, it is
     * 409 unless `force` is set. Entries at the start of the path that stay the same keep their
     * ids, so opening a link twice is `already-there`. A URL that leads nowhere is 404
     * `no-route-for-url`, unless the app declares a `notFound`.
     *
     * @param {string} id
     * @param {{ url: string, mode?: "replace" | "push" | "update", sheets?: "keep" | "dismiss" |
     *   "reject" | "force", tab?: string, force?: boolean }} body
     * @param {ChangeOptions} [options]
     */
    open(id, body, options) {
        return this.command(id, "open", body, options);
    }

    /**
     * Replace a whole path.
     *
     * Entries that are given with an id keep it (404 if the path has no such entry, 422 if its
     * route is different). If no ids are given, the entries at the start that stay the same keep
     * theirs. Each entry has to be allowed on the one beneath it. If a locked entry would be
     * removed, it is 409 `entry-locked` unless `force` is set.
     *
     * @param {string} id
     * @param {{ in: string, path: { id?: string, route: string, params?: Params, mark?: string,
     *   locked?: boolean }[], sheets?: "keep" | "dismiss" | "reject" | "force",
     *   force?: boolean }} body
     * @param {ChangeOptions} [options]
     */
    setPath(id, body, options) {
        return this.command(id, "setPath", body, options);
    }

    /**
     * Change the params of an entry.
     *
     * Changes the params in place, by JSON merge patch (RFC 7396) or with `replace`. Without
     * `entry` it changes the visible screen, which may be the root of a tab; a root has the id of
     * its tab. `locked` locks or unlocks an entry, and `params` may then be absent; a locked sheet
     * has `dismissible: false`.
     *
     * @param {string} id
     * @param {{ entry?: string, params?: Params, locked?: boolean, mode?: "merge" |
     *   "replace" }} body
     * @param {ChangeOptions} [options]
     */
    setParams(id, body, options) {
        return this.command(id, "setParams", body, options);
    }

    /**
     * Set the badge of a tab.
     *
     * A badge is a number or a short text; 0 and null remove it.
     *
     * @param {string} id
     * @param {{ tab: string, badge: number | string | null }} body
     * @param {ChangeOptions} [options]
     */
    setBadge(id, body, options) {
        return this.command(id, "setBadge", body, options);
    }

    /**
     * Reorder, hide and show tabs.
     *
     * `order` names every tab once. `hidden` names the tabs to hide; all others are shown. A hidden
     * tab keeps its path, and a command that selects it shows it again. The selected tab cannot be
     * hidden, nor can the last tab without a guard: 409 `tab-needed`. A session whose order is not
     * that of its app has `ownOrder: true`.
     *
     * @param {string} id
     * @param {{ order?: string[], hidden?: string[] }} body
     * @param {ChangeOptions} [options]
     */
    setTabs(id, body, options) {
        return this.command(id, "setTabs", body, options);
    }

    /**
     * Set facts.
     *
     * Sets some of the facts that the app declares, each as a whole; null restores the default. An
     * unknown fact is 422 `unknown-fact`, a value that does not fit 422 `invalid-params`.
     * Everything under a guard that now fails is removed and listed in `removed`. If the guard of
     * the pending command now holds, the screen that was shown instead is removed and the command
     * is carried out (`resumed`), all in this revision. A change of facts alone is not a step of
     * `undo`.
     *
     * @param {string} id
     * @param {{ facts: Record<string, any> }} body
     * @param {ChangeOptions} [options]
     */
    setFacts(id, body, options) {
        return this.command(id, "setFacts", body, options);
    }

    /**
     * Apply several commands as one.
     *
     * All of the commands are applied or none, as one revision and one event. An error has the
     * `index` of the command, and its pointers begin with `/commands/i`. `batch`, `undo` and `redo`
     * are not allowed in a batch.
     *
     * @param {string} id
     * @param {{ commands: Command[] }} body
     * @param {ChangeOptions} [options]
     */
    batch(id, body, options) {
        return this.command(id, "batch", body, options);
    }

    /**
     * Undo changes.
     *
     * Returns to the state before the last change, or before the last `count` changes, as far as
     * possible (at least 32). It restores tabs, paths, sheets, selection and badges, and is itself
     * a new revision.
     *
     * @param {string} id
     * @param {{ count?: number }} [body]
     * @param {ChangeOptions} [options]
     */
    undo(id, body, options) {
        return this.command(id, "undo", body, options);
    }

    /**
     * Redo changes.
     *
     * Reverts an undo, as far as possible. After any other change there is nothing to redo.
     *
     * @param {string} id
     * @param {{ count?: number }} [body]
     * @param {ChangeOptions} [options]
     */
    redo(id, body, options) {
        return this.command(id, "redo", body, options);
    }

    // End of it.

    /**
     * Runs any command by name.
     *
     * @param {string} id
     * @param {string} name
     * @param {object} [body]
     * @param {ChangeOptions} [options]
     * @returns {Promise<Answer>}
     */
    command(id, name, body = {}, options) {
        return this.#change("POST", path(id, name), id, body, options);
    }

    /**
     * Runs one command on each session that matches everything given. A refusal in one session is in
     * its row of the results; the others are not affected.
     *
     * @param {{ command: Command, app?: string, labels?: Record<string, string>, sessions?: string[],
     *   visible?: string, idle?: number }} body
     * @param {Omit<ChangeOptions, "ifMatch">} [options]
     * @returns {Promise<{ results: CommandResult[] }>}
     */
    commandAll(body, options) {
        return this.#change("POST", "/v1/commands", undefined, body, options);
    }

    // Live

    /**
     * Yields every revision of a session from now on, or after the event `after`; ends with
     * `deleted` or `expired`. Leaving the loop closes the stream; so does aborting `signal`.
     *
     * @param {string} id
     * @param {WatchOptions & SessionWatchOptions} options
     * @returns {AsyncGenerator<WatchEvent, void, undefined>}
     */
    async *watch(id, { as, steps, watchers, signals, ...options } = {}) {
        const follower = new Follower(options);
        const query = {
            as, steps: steps || undefined, watchers: watchers || undefined, signals: signals || undefined,
        };
        const target = path(id, "events") + queryString(query);
        try {
            for await (const event of this.#follow(() => target, follower)) {
                if (event.type === "hello") continue;
                yield event;
                if (isEnd(event)) return;
            }
        } catch (thrown) {
            if (!follower.wasLive || !isGone(thrown)) throw thrown;
            yield { type: "deleted", id: "", sessionId: id };
        }
    }

    /**
     * Watches many sessions on one connection: either named ones, each beginning with a snapshot,
     * until all of them have ended; or all that match the filter, beginning with a `hello`, without
     * end. If the server requires tokens, named sessions need the scope `read`, and all sessions
     * the scope `admin`.
     *
     * @param {WatchFilter & WatchOptions} options
     * @returns {AsyncGenerator<WatchAllEvent, void, undefined>}
     */
    async *watchAll({ sessions, app, label, signals, ...options } = {}) {
        const names = new Set(sessions);
        const follower = new Follower(options);
        const query = { app, label, signals: signals || undefined };
        const target = () => "/v1/events" + queryString({ session: [...names], ...query });
        while (!sessions || names.size > 0) {
            try {
                for await (const event of this.#follow(target, follower)) {
                    if (isEnd(event)) names.delete(event.sessionId);
                    else if (sessions && "session" in event) names.add(event.session.id);
                    yield event;
                    if (sessions && names.size === 0) return;
                }
                return;
            } catch (thrown) {
                // A session that has ended in the meantime must not end the stream of the others.
                const gone = follower.wasLive && sessions && isGone(thrown)
                    ? await this.#gone(names, options.signal) : [];
                if (gone.length === 0) throw thrown;
                for (const id of gone) {
                    names.delete(id);
                    yield { type: "deleted", id: "", sessionId: id };
                }
            }
        }
    }

    /**
     * `watch` with callbacks; returns a function that stops watching.
     *
     * @param {string} id
     * @param {Callbacks} callbacks
     * @param {{ after?: string | number } & SessionWatchOptions} options
     * @returns {() => void}
     */
    subscribe(id, callbacks, options = {}) {
        return tell(callbacks, (own) => this.watch(id, { ...options, ...own }));
    }

    /**
     * `watchAll` with callbacks; returns a function that stops watching.
     *
     * @param {Callbacks} callbacks
     * @param {WatchFilter & { after?: string | number }} filter
     * @returns {() => void}
     */
    subscribeAll(callbacks, filter = {}) {
        return tell(callbacks, (options) => this.watchAll({ ...options, ...filter }));
    }

    // The events of one connection after another, until `signal` or a refusal ends it.
    /**
     * @param {() => string} target @param {Follower} follower
     * @returns {AsyncGenerator<WatchAllEvent, void, undefined>}
     */
    async *#follow(target, follower) {
        const { signal, onStatus } = follower.options;
        for (let attempt = 0; !signal?.aborted; attempt += 1) {
            let error;
            onStatus?.({ state: "connecting", attempt });
            try {
                for await (const frame of this.#stream(target(), follower.last, signal)) {
                    if (frame === opened) {
                        follower.wasLive = true;
                        onStatus?.({ state: "live", attempt });
                        continue;
                    }
                    // Only received bytes show that a connection works: after one that is
                    // accepted and closed at once, the client must not reconnect at full speed.
                    attempt = 0;
                    if (frame === alive) continue;
                    follower.retryMilliseconds =
                        frame.retryMilliseconds ?? follower.retryMilliseconds;
                    const event = watchEvent(frame);
                    if (!event) continue;
                    follower.last = frame.id || follower.last;
                    if ("session" in event) {
                        this.#saw(event.session.id, event.session, event.etag, event.type === "change");
                    }
                    if (isEnd(event)) this.#seen.delete(event.sessionId);
                    yield event;
                }
            } catch (thrown) {
                if (signal?.aborted) return;
                if (isFinal(thrown)) throw thrown;
                error = thrown;
            }
            const milliseconds = backoff(attempt, follower.retryMilliseconds, error);
            onStatus?.({ state: "waiting", attempt: attempt + 1, milliseconds, error });
            await sleep(milliseconds, signal, true);
        }
    }

    /** @param {Set<string>} ids @param {AbortSignal} [signal] */
    async #gone(ids, signal) {
        const found = await Promise.all([...ids].map(async (id) => {
            try {
                await this.get(id, { signal });
                return [];
            } catch (error) {
                if (isGone(error)) return [id];
                throw error;
            }
        }));
        return found.flat();
    }

    // One connection of a stream: `opened`, then its frames, and `alive` for bytes that complete no
    // frame, until it ends or times out.
    /**
     * @param {string} target @param {string | undefined} after @param {AbortSignal} [signal]
     * @returns {AsyncGenerator<any, void, undefined>}
     */
    async *#stream(target, after, signal) {
        const connection = new AbortController();
        const end = () => connection.abort();
        signal?.addEventListener("abort", end);
        let timer = setTimeout(end, this.silenceMilliseconds);
        if (signal?.aborted) end();
        try {
            const headers = { ...this.#authorization(), Accept: "text/event-stream" };
            const url = withQuery(this.url + target, queryString({ after }));
            const fetch = this.fetch;
            const response = await fetch(url, {
                headers, signal: connection.signal, cache: "no-store",
            });
            if (!response.ok) throw await refusal(response);
            if (!response.body || !isType(response, "text/event-stream")) {
                throw new TypeError(`${url} is not an event stream`);
            }
            yield opened;
            const parser = new EventStreamParser();
            const reader = response.body.getReader();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) return;
                clearTimeout(timer);
                timer = setTimeout(end, this.silenceMilliseconds);
                const frames = parser.push(value);
                if (frames.length > 0) yield* frames;
                else yield alive;
            }
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", end);
            end();
        }
    }

    // Requests

    /**
     * @param {string} path
     * @param {Record<string, any>} [query]
     * @param {AbortSignal} [signal]
     */
    async #read(path, query, signal) {
        return (await this.#send("GET", path, { query, signal })).body;
    }

    /**
     * @param {string} method
     * @param {string} path
     * @param {string | undefined} id
     * @param {object | undefined} body
     * @param {ChangeOptions & { onlyCreate?: boolean }} [options]
     */
    async #change(method, path, id, body, options = {}) {
        const { idempotencyKey: key = randomUUID(), dryRun, signal } = options;
        const prefer = [options.strict && "handling=strict", options.minimal && "return=minimal"];
        /** @type {Record<string, string>} */
        const headers = {};
        if (key) headers["Idempotency-Key"] = key;
        if (prefer.some(Boolean)) headers.Prefer = prefer.filter(Boolean).join(", ");
        if (options.onlyCreate) headers["If-None-Match"] = "*";
        if (typeof options.ifMatch === "string") headers["If-Match"] = options.ifMatch;
        const request = {
            body, headers, signal, query: { dryRun: dryRun || undefined },
            retries: key || dryRun ? this.retries : 0,
        };
        const reply =
            options.ifMatch === true && id !== undefined
                ? await this.#guarded(method, path, id, request)
                : await this.#send(method, path, request);
        if (!dryRun) {
            const session = reply.body?.session ?? reply.body;
            if (session?.id) this.#saw(id ?? session.id, session, reply.etag);
        }
        return reply.body;
    }

    // With the ETag of the last state that was seen.
    /** @param {string} method @param {string} path @param {string} id @param {any} request */
    async #guarded(method, path, id, request) {
        if (!this.#seen.has(id)) await this.get(id, { signal: request.signal });
        const headers = { ...request.headers, "If-Match": this.#seen.get(id)?.etag ?? '"unknown"' };
        return this.#send(method, path, { ...request, headers });
    }

    /**
     * @param {string} id @param {Session} session @param {string} [etag]
     * @param {boolean} [isChange] Whether it is the event of a change, which may arrive after the
     *   response of a later one. Any other state counts: the session may have been created again, or
     *   the store restored.
     */
    #saw(id, session, etag, isChange) {
        if (!session?.revision || !etag) return;
        const seen = this.#seen.get(id);
        const { revision, createdAt } = session;
        if (isChange && seen?.createdAt === createdAt && seen.revision > revision) return;
        this.#seen.delete(id);
        this.#seen.set(id, { revision, createdAt, etag });
        if (this.#seen.size > seenSessionsMax) {
            for (const oldest of this.#seen.keys()) {
                this.#seen.delete(oldest);
                return;
            }
        }
    }

    /**
     * @param {string} method
     * @param {string} path
     * @param {{ query?: Record<string, any>, headers?: Record<string, string>, body?: object,
     *   signal?: AbortSignal, retries?: number, cache?: RequestCache }} request
     * @returns {Promise<{ status: number, etag?: string, body: any }>}
     */
    async #send(method, path, {
        query = {}, headers = {}, body, signal, retries = this.retries, cache = "no-store",
    }) {
        const url = this.url + path + queryString(query);
        const text = body === undefined ? undefined : JSON.stringify(body);
        if (text !== undefined) headers = { ...headers, "Content-Type": "application/json" };
        this.onRequest?.({ method, url, headers, body: text });
        const init = {
            method, body: text, signal, cache, headers: { ...this.#authorization(), ...headers },
        };
        for (let attempt = 0; ; attempt += 1) {
            try {
                const fetch = this.fetch;
                const response = await fetch(url, init);
                if (!response.ok && response.status !== 304) throw await refusal(response);
                const answer = await response.text();
                return {
                    status: response.status, etag: response.headers.get("etag") ?? undefined,
                    body: answer ? JSON.parse(answer) : undefined,
                };
            } catch (error) {
                // If a repeated DELETE finds nothing, the first one has deleted it.
                if (attempt > 0 && method === "DELETE" && isGone(error)) {
                    return { status: 404, body: undefined };
                }
                if (attempt >= retries || signal?.aborted || isFinal(error)) throw error;
                await sleep(backoff(attempt, backoffMillisecondsMin, error), signal);
            }
        }
    }

    /** @returns {Record<string, string>} */
    #authorization() {
        return this.token ? { Authorization: `Bearer ${this.token}` } : {};
    }
}

/** The calls of a client about one session. */
export class BoundSession {
    /** @param {NavstateClient} client @param {string} id */
    constructor(client, id) {
        this.client = client;
        this.id = id;
    }

    get() {
        return this.client.get(this.id);
    }

    /** @param {string} name @param {object} [body] @param {ChangeOptions} [options] */
    command(name, body, options) {
        return this.client.command(this.id, name, body, options);
    }

    /** @param {Params} body @param {ChangeOptions} [options] */
    async ask(body, options) {
        const { button, result } = /** @type {any} */ (
            await this.client.ask(this.id, body, options));
        return button ?? result;
    }

    /** @param {Record<string, any>} facts @param {ChangeOptions} [options] */
    setFacts(facts, options) {
        return this.command("setFacts", { facts }, options);
    }

    /** @param {WatchOptions & SessionWatchOptions} [options] */
    async *watch(options) {
        for await (const event of this.client.watch(this.id, options)) {
            if ("session" in event) yield event;
        }
    }
}

for (const name of [
    "navigate", "present", "select", "back", "root", "dismiss", "open", "setPath", "undo", "redo",
]) {
    Object.defineProperty(BoundSession.prototype, name, {
        /**
         * @this {BoundSession}
         * @param {object} [body] @param {ChangeOptions} [options]
         */
        value(body, options) {
            return this.command(name, body, options);
        },
    });
}

const opened = Symbol("opened");
const alive = Symbol("alive");

/** How far a stream has come, over all its connections. */
class Follower {
    wasLive = false;
    retryMilliseconds = backoffMillisecondsMin;

    /** @param {WatchOptions} options */
    constructor(options) {
        this.options = options;
        /** The id of the last event. */
        this.last = options.after === undefined ? undefined : String(options.after);
    }
}

/**
 * @param {{ id: string, event: string, data: string }} frame
 * @returns {WatchAllEvent | undefined}
 */
function watchEvent({ id, event, data }) {
    switch (event) {
    case "hello": case "snapshot": case "change": return { ...JSON.parse(data), type: event, id };
    case "watchers": return { ...JSON.parse(data), type: event, id };
    case "signal": {
        const { session: sessionId, ...signal } = JSON.parse(data);
        return { ...signal, type: event, id: "", sessionId };
    }
    case "deleted": case "expired": return { type: event, id, sessionId: JSON.parse(data).id };
    default: return undefined;
    }
}

/** @param {WatchAllEvent} event @returns {event is EndEvent} */
function isEnd(event) {
    return event.type === "deleted" || event.type === "expired";
}

/** @type {Record<Exclude<WatchAllEvent, EndEvent>["type"], keyof Callbacks>} */
const callbackNames = {
    hello: "onHello", snapshot: "onSnapshot", change: "onChange", watchers: "onWatchers",
    signal: "onSignal",
};

/**
 * @param {Callbacks} callbacks
 * @param {(options: WatchOptions) => AsyncGenerator<WatchAllEvent, void, undefined>} watch
 */
function tell(callbacks, watch) {
    const stop = new AbortController();
    // A callback that throws must not end the subscription.
    const call = (/** @type {keyof Callbacks} */ name, /** @type {any} */ value) => {
        try {
            callbacks[name]?.(value);
        } catch (error) {
            queueMicrotask(() => {
                throw error;
            });
        }
    };
    const run = async () => {
        const onStatus = (/** @type {any} */ status) => call("onStatus", status);
        for await (const event of watch({ signal: stop.signal, onStatus })) {
            if (stop.signal.aborted) return;
            call(isEnd(event) ? "onEnd" : callbackNames[event.type], event);
        }
    };
    run().catch((error) => {
        if (!stop.signal.aborted) call("onError", error);
    });
    return () => stop.abort();
}

/**
 * Reads `text/event-stream` as it arrives (HTML Living Standard, 9.2.6), cut anywhere.
 */
export class EventStreamParser {
    #decoder = new TextDecoder();
    #rest = "";
    #id = "";
    #event = "";
    /** @type {string[]} */
    #data = [];
    /** @type {number | undefined} */
    #retry;

    /**
     * The frames that are complete now. One without data is returned only for its `retry`.
     *
     * @param {Uint8Array} bytes
     */
    push(bytes) {
        const frames = [];
        const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
        // A CR at the very end may be half of a CRLF, so it waits for what follows.
        const lines = text.split(/\r\n|\n|\r(?!$)/);
        this.#rest = lines.pop() ?? "";
        for (const line of lines) {
            if (line !== "") this.#field(line);
            else if (this.#data.length > 0 || this.#retry !== undefined) frames.push(this.#frame());
            else this.#event = "";
        }
        return frames;
    }

    #frame() {
        const frame = {
            id: this.#id, event: this.#data.length > 0 ? this.#event || "message" : "",
            data: this.#data.join("\n"), retryMilliseconds: this.#retry,
        };
        this.#event = "";
        this.#data = [];
        this.#retry = undefined;
        return frame;
    }

    /** @param {string} line */
    #field(line) {
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "data") this.#data.push(value);
        else if (name === "event") this.#event = value;
        else if (name === "id" && !value.includes("\0")) this.#id = value;
        else if (name === "retry" && /^\d+$/.test(value)) this.#retry = Number(value);
    }
}

/** @param {string} id @param {string} [rest] */
function path(id, rest) {
    return `/v1/sessions/${encodeURIComponent(id)}${rest ? `/${rest}` : ""}`;
}

/**
 * @param {number} [seconds]
 * @returns {Record<string, string>}
 */
function waiting(seconds) {
    return seconds === undefined ? {} : { Prefer: `wait=${seconds}` };
}

/** @param {string} app */
function appPath(app) {
    return `/v1/apps/${encodeURIComponent(app)}`;
}

/** @param {string} url @param {string} query Empty, or with its `?`. */
function withQuery(url, query) {
    return url + (url.includes("?") ? query.replace("?", "&") : query);
}

/** @param {Record<string, any>} query */
function queryString(query) {
    const items = Object.entries(query)
        .flatMap(([name, value]) => [value].flat().map((item) => [name, item]))
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return items.length > 0 ? `?${items.join("&")}` : "";
}

/** @param {Response} response */
async function refusal(response) {
    const fallback = {
        type: "about:blank", title: response.statusText || "Request failed",
        status: response.status, detail: `The server returned status ${response.status}.`,
    };
    const isProblem = isType(response, "application/problem+json");
    // A proxy may respond with a page of its own, or with a part of one.
    const problem = isProblem ? await response.json().catch(() => fallback) : fallback;
    return new NavstateError({ ...fallback, ...problem }, response.headers);
}

/** @param {Response} response @param {string} type */
function isType(response, type) {
    return (response.headers.get("content-type") ?? "").toLowerCase().startsWith(type);
}

// Only a problem document counts: the 404 of a misconfigured proxy says nothing about a session.
/** @param {unknown} error */
function isGone(error) {
    return error instanceof NavstateError && /not-found$/.test(error.code);
}

/**
 * Whether repeating the request cannot help.
 *
 * @param {unknown} error
 */
function isFinal(error) {
    if (error instanceof NavstateError) return !retryStatuses.has(error.status);
    return error instanceof SyntaxError;
}

/**
 * Doubles with each attempt, between 0.25 and 15 s, with a random part, so that clients that were
 * disconnected together do not reconnect together. A longer time that the server asks for is used.
 *
 * @param {number} attempt @param {number} leastMilliseconds @param {unknown} error
 */
function backoff(attempt, leastMilliseconds, error) {
    const asked = error instanceof NavstateError ? error.retryAfterSeconds * 1000 : 0;
    const full = Math.min(
        backoffMillisecondsMax, 2 * leastMilliseconds * 2 ** Math.min(attempt, 16),
    );
    const spread = full / 2 + Math.random() * (full / 2);
    return Math.max(
        backoffMillisecondsMin, Math.min(backoffMillisecondsMax, Math.max(asked, spread)),
    );
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @param {boolean} [untilOnline] Ends early when the browser says that the network is back.
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal, untilOnline) {
    return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        /** @type {[Partial<EventTarget> | undefined, string][]} */
        const wakers = [[signal, "abort"], [untilOnline ? globalThis : undefined, "online"]];
        const done = () => {
            clearTimeout(timer);
            for (const [target, name] of wakers) target?.removeEventListener?.(name, done);
            resolve();
        };
        const timer = setTimeout(done, milliseconds);
        for (const [target, name] of wakers) target?.addEventListener?.(name, done);
    });
}

/** Also works without `crypto.randomUUID`, which is missing on pages loaded over plain HTTP. */
export function randomUUID() {
    if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

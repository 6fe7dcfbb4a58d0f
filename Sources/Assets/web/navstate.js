// The client of a navstate server, for browsers and for Node 20 or newer: one module, no
// dependencies, no build step. The server itself serves it at /navstate.js.
//
//     import { createClient } from "http://127.0.0.1:8080/navstate.js";
//     const client = createClient({ url: "http://127.0.0.1:8080", token });
//
//     await client.create({ id: "kiosk-1", app: "chat" });
//     await client.navigate("kiosk-1", { route: "contactList" });
//     for await (const event of client.watch("kiosk-1")) draw(event.session);
//
// 1. A method is one request, and answers with the body that came back. Names, bodies and answers
//    are those of /openapi.yaml.
// 2. A refusal is thrown as a NavstateError, whose `problem` is the server's. What is thrown
//    otherwise is `fetch`'s own error: no server was reached.
// 3. A request that got no answer, or a 429, 502, 503 or 504, is sent again a few times. That is
//    safe for changes too, since each carries an `Idempotency-Key` that the repetitions share.
// 4. `ifMatch: true` guards a change against what the caller has not seen: it goes through only if
//    the session is still in the state that this client gave out last, by an answer or an event.
// 5. `watch` hands out every revision once and in order. When the connection is lost it comes back
//    and goes on after the last event; if that is too long ago, a snapshot says `gap: true`.
//    `watchAll` does the same for many sessions or all of them on one connection.
//
// What is for operators (probes, metrics, the backup) is not here: that is what curl is for.

/** @typedef {Record<string, any>} Params */
/** @typedef {{ id: string, route: string, params: Params }} Entry */
/** @typedef {{ id: string, badge?: number | string, path: Entry[] }} Tab */
/**
 * @typedef {Entry & { style: "sheet" | "fullScreenCover", tag?: string, detents?: string[],
 *   dismissible?: false, presentedBy: string, path: Entry[] }} Sheet
 */
/**
 * @typedef {object} Session
 * @property {string} id
 * @property {number} revision
 * @property {string} [app]
 * @property {Record<string, string>} [labels]
 * @property {number} [ttlSeconds]
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string} [expiresAt]
 * @property {string} selectedTab
 * @property {Tab[]} tabs
 * @property {Sheet[]} sheets
 * @property {{ container: string, entry?: string, route: string, params: Params,
 *   tabBarHidden: boolean }} visible
 * @property {boolean} canGoBack
 * @property {boolean} canUndo
 * @property {boolean} canRedo
 */
/** @typedef {{ command: string } & Record<string, any>} Command */
/**
 * @typedef {{ changed: boolean, reason?: string, added: string[], removed: string[],
 *   session: Session, revision?: number, popped?: number, undone?: number, redone?: number,
 *   results?: object[] }} Answer
 */
/**
 * @typedef {{ type: string, title: string, status: number, detail: string, instance?: string,
 *   errors?: { pointer: string, detail: string }[], session?: Session } & Record<string, any>
 *   } Problem
 */
/**
 * @typedef {object} ChangeOptions
 * @property {string | true} [ifMatch] An ETag, or true for the last state that was seen.
 * @property {string | false} [idempotencyKey] Made when left out; false sends none and never retries.
 * @property {boolean} [dryRun] The full answer, with nothing changed.
 * @property {boolean} [strict] "Nothing to do" is a 409 instead of `changed: false`.
 * @property {boolean} [minimal] The answer has `revision` instead of `session`.
 * @property {AbortSignal} [signal]
 */
/**
 * @typedef {{ id: string, revision: number, app?: string, labels?: Record<string, string>,
 *   selectedTab: string, visible: Session["visible"], updatedAt: string, expiresAt?: string,
 *   watchers: number }} SessionSummary
 */
/**
 * @typedef {{ q?: string, app?: string, label?: string | string[], limit?: number, cursor?: string,
 *   signal?: AbortSignal }} SessionFilter `q` is the id's beginning, a label is `key:value`, `limit`
 *   the size of a page.
 */
/**
 * @typedef {{ revision: number, at: string, command: Command, added: string[], removed: string[],
 *   dropped?: Dropped[] }} HistoryItem
 */
/** @typedef {{ id: string, route: string, why: string }} Dropped By the command `reconcile`. */
/**
 * @typedef {{ route: string, title?: string, params?: any, styles?: Sheet["style"][] }} AllowedRoute
 *   `params` is their schema.
 */
/**
 * @typedef {{ push?: AllowedRoute[], present?: AllowedRoute[], canGoBack: boolean,
 *   tabs: { id: string, title?: string, icon?: string, root?: string }[] }} Allowed Without `push`
 *   and `present` any route may be named.
 */
/** @typedef {{ tabs: { id: string }[] } & Record<string, any>} App The declared graph. */
/** @typedef {{ pointer?: string, parameter?: string, detail: string }} Fault */
/** @typedef {{ app: App, warnings: Fault[] }} StoredApp */
/** @typedef {{ valid: boolean, errors: Fault[], warnings: Fault[] }} AppReport */
/**
 * @typedef {{ tab: string, path?: { route: string, params: Params }[], pattern: string,
 *   present?: { route: string, params: Params, style: Sheet["style"] } & Record<string, any> }
 *   } Resolution Without `path` the tab's path stays.
 */
/** @typedef {{ id: string, scope: "control" | "read", expiresAt?: string }} TokenHeading */
/**
 * @typedef {{ type: "snapshot", id: string, revision: number, session: Session, gap?: boolean }
 *   } SnapshotEvent
 */
/**
 * @typedef {{ type: "change", id: string, revision: number, session: Session, command: Command,
 *   added: string[], removed: string[], dropped?: Dropped[] }} ChangeEvent
 */
/**
 * @typedef {{ type: "deleted" | "expired", id: string, sessionId: string }} EndEvent `id` is empty
 *   if the session was found gone when the connection came back.
 */
/**
 * @typedef {{ type: "hello", id: string, gap?: boolean }} HelloEvent Begins a stream of all. With a
 *   `gap` changes were missed, and whoever keeps a list reads it again.
 */
/** @typedef {SnapshotEvent | ChangeEvent | EndEvent} WatchEvent */
/** @typedef {HelloEvent | WatchEvent} WatchAllEvent */
/**
 * @typedef {{ state: "connecting" | "live" | "waiting", attempt: number, milliseconds?: number,
 *   error?: unknown }} WatchStatus `waiting` is for the next attempt, so many milliseconds long.
 */
/**
 * @typedef {{ after?: string | number, signal?: AbortSignal,
 *   onStatus?: (status: WatchStatus) => void }} WatchOptions `after` is an event's id.
 */
/**
 * @typedef {{ sessions?: string[], app?: string, label?: string | string[] }} WatchFilter Sessions by
 *   name, or all that fit; a label is `key:value`.
 */
/**
 * @typedef {{ onHello?: (event: HelloEvent) => void, onSnapshot?: (event: SnapshotEvent) => void,
 *   onChange?: (event: ChangeEvent) => void, onEnd?: (event: EndEvent) => void,
 *   onStatus?: (status: WatchStatus) => void, onError?: (error: unknown) => void }} Callbacks
 *   `onError` is the end, too.
 */
/**
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body?: string }
 *   } SentRequest
 */
/**
 * @typedef {object} ClientOptions
 * @property {string} [url] Of the server; where this module came from, if left out.
 * @property {string} [token]
 * @property {number} [retries] How often a request is sent again at most; 3 if left out.
 * @property {typeof globalThis.fetch} [fetch]
 * @property {number} [silenceMilliseconds] A stream that is silent for so long is dead; 35,000 if
 *   left out, as a heartbeat comes every 15 s and one may be late.
 * @property {(request: SentRequest) => void} [onRequest] Told of every request but the streams.
 */

const silenceMillisecondsMax = 35_000;
const backoffMillisecondsMin = 250;
const backoffMillisecondsMax = 15_000;
/** For `ifMatch: true`; a client that drives more sessions than this reads before it writes. */
const seenSessionsMax = 1_000;
const retryStatuses = new Set([429, 502, 503, 504]);

/** A refusal, as the server worded it. */
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
        /** The last word of the problem's type, such as `session-not-found`. */
        this.code = String(problem.type ?? "").replace(/^.*\//, "");
        this.etag = headers?.get("etag") ?? undefined;
        this.retryAfterSeconds = Number(headers?.get("retry-after")) || 0;
    }
}

/**
 * A client of one server.
 *
 * @param {ClientOptions} [options]
 */
export function createClient(options = {}) {
    return new NavstateClient(options);
}

export class NavstateClient {
    /**
     * What was seen last of each session.
     *
     * @type {Map<string, { revision: number, etag?: string }>}
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

    // Sessions

    /**
     * @param {{ id?: string, app?: string, tabs?: string[], selectedTab?: string,
     *   ttlSeconds?: number, labels?: Record<string, string> }} [body]
     * @param {ChangeOptions} [options]
     * @returns {Promise<Session>}
     */
    create(body = {}, options) {
        return this.#change("POST", "/v1/sessions", undefined, body, options);
    }

    /**
     * @param {string} id
     * @param {{ revision?: number, signal?: AbortSignal }} options An older `revision`.
     * @returns {Promise<Session>}
     */
    async get(id, { revision, signal } = {}) {
        const reply = await this.#send("GET", path(id), { query: { revision }, signal });
        if (revision === undefined) this.#saw(id, reply.body, reply.etag);
        return reply.body;
    }

    /**
     * Waits for a state other than the one that was seen last; null when the wait ends first.
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
     * A page of sessions, in the order of their ids; `next` is the `cursor` of the one after.
     *
     * @param {SessionFilter} filter
     * @returns {Promise<{ sessions: SessionSummary[], next?: string }>}
     */
    list({ signal, ...query } = {}) {
        return this.#read("/v1/sessions", query, signal);
    }

    /**
     * All sessions that fit, one after another; pages are read as they are needed.
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
     * Merges labels and ttl; null removes.
     *
     * @param {string} id
     * @param {{ labels?: Record<string, string | null> | null, ttlSeconds?: number | null }} patch
     * @param {ChangeOptions} [options]
     * @returns {Promise<Session>}
     */
    patch(id, patch, options) {
        return this.#change("PATCH", path(id), id, patch, options);
    }

    /**
     * Puts back a state that was read before, creating the session or replacing it.
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
     * What happened, newest first; `next` is the `before` of the page after.
     *
     * @param {string} id
     * @param {{ limit?: number, before?: number, signal?: AbortSignal }} page
     * @returns {Promise<{ history: HistoryItem[], next?: number }>}
     */
    history(id, { signal, ...query } = {}) {
        return this.#read(path(id, "history"), query, signal);
    }

    /**
     * The routes that may be pushed and presented now, with their params' schemas.
     *
     * @param {string} id
     * @param {{ signal?: AbortSignal }} options
     * @returns {Promise<Allowed>}
     */
    allowed(id, { signal } = {}) {
        return this.#read(path(id, "allowed"), {}, signal);
    }

    /**
     * The deep link of what is visible.
     *
     * @param {string} id
     * @returns {Promise<{ url: string }>}
     */
    link(id) {
        return this.#read(path(id, "link"));
    }

    // Tokens for one session

    /**
     * Makes a token for this session alone. It is shown once, so a lost answer is not asked for
     * again.
     *
     * @param {string} id
     * @param {{ scope: "control" | "read", ttlSeconds?: number }} body
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
     * Makes a token void; the streams that it began end.
     *
     * @param {string} id
     * @param {string} tokenId The token's id, not the token.
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
    app(app) {
        return this.#read(appPath(app));
    }

    /**
     * Creates or replaces an app. One that does not hold together is refused with all `errors`.
     *
     * @param {string} app
     * @param {App} document
     * @returns {Promise<StoredApp>}
     */
    async putApp(app, document) {
        return (await this.#send("PUT", appPath(app), { body: document })).body;
    }

    /**
     * What `putApp` would say, without storing anything.
     *
     * @param {string} app
     * @param {App} document
     * @returns {Promise<AppReport>}
     */
    async checkApp(app, document) {
        const request = { body: document, query: { dryRun: true } };
        return (await this.#send("PUT", appPath(app), request)).body;
    }

    /**
     * Refused as `app-in-use` while sessions are bound to it.
     *
     * @param {string} app
     * @returns {Promise<void>}
     */
    async deleteApp(app) {
        await this.#send("DELETE", appPath(app), {});
    }

    /**
     * Where a deep link of an app leads.
     *
     * @param {string} app
     * @param {string} url
     * @returns {Promise<Resolution>}
     */
    resolve(app, url) {
        return this.#read(`${appPath(app)}/resolve`, { url });
    }

    // Commands

    /**
     * @param {string} id
     * @param {{ route: string, params?: Params, in?: string, mode?: "push" | "single" | "popTo" |
     *   "toFront" | "replace" | "reset", sheets?: "keep" | "dismiss" | "reject" }} body
     * @param {ChangeOptions} [options]
     */
    navigate(id, body, options) {
        return this.command(id, "navigate", body, options);
    }

    /**
     * @param {string} id
     * @param {{ count?: number, to?: { entry: string } | { route: string }, inclusive?: boolean,
     *   within?: "any" | "path" }} [body]
     * @param {ChangeOptions} [options]
     */
    back(id, body, options) {
        return this.command(id, "back", body, options);
    }

    /**
     * @param {string} id
     * @param {{ scope?: "tab" | "path" | "all" }} [body]
     * @param {ChangeOptions} [options]
     */
    root(id, body, options) {
        return this.command(id, "root", body, options);
    }

    /**
     * @param {string} id
     * @param {{ route: string, params?: Params, style?: "sheet" | "fullScreenCover", tag?: string,
     *   detents?: string[], dismissible?: boolean, path?: { route: string, params?: Params }[] }
     *   } body
     * @param {ChangeOptions} [options]
     */
    present(id, body, options) {
        return this.command(id, "present", body, options);
    }

    /**
     * @param {string} id
     * @param {{ sheet?: string, tag?: string, all?: boolean, result?: any, force?: boolean }} [body]
     * @param {ChangeOptions} [options]
     */
    dismiss(id, body, options) {
        return this.command(id, "dismiss", body, options);
    }

    /**
     * @param {string} id
     * @param {{ tab: string, reselect?: "popToRoot" | "none",
     *   sheets?: "keep" | "dismiss" | "reject" }} body
     * @param {ChangeOptions} [options]
     */
    select(id, body, options) {
        return this.command(id, "select", body, options);
    }

    /**
     * @param {string} id
     * @param {{ url: string, sheets?: "keep" | "dismiss" | "reject" }} body
     * @param {ChangeOptions} [options]
     */
    open(id, body, options) {
        return this.command(id, "open", body, options);
    }

    /**
     * @param {string} id
     * @param {{ in: string, path: { route: string, params?: Params, id?: string }[] }} body
     * @param {ChangeOptions} [options]
     */
    setPath(id, body, options) {
        return this.command(id, "setPath", body, options);
    }

    /**
     * @param {string} id
     * @param {{ entry?: string, params: Params, mode?: "merge" | "replace" }} body
     * @param {ChangeOptions} [options]
     */
    setParams(id, body, options) {
        return this.command(id, "setParams", body, options);
    }

    /**
     * @param {string} id
     * @param {{ tab: string, badge: number | string | null }} body
     * @param {ChangeOptions} [options]
     */
    setBadge(id, body, options) {
        return this.command(id, "setBadge", body, options);
    }

    /**
     * @param {string} id
     * @param {{ commands: Command[] }} body
     * @param {ChangeOptions} [options]
     */
    batch(id, body, options) {
        return this.command(id, "batch", body, options);
    }

    /**
     * @param {string} id
     * @param {{ count?: number }} [body]
     * @param {ChangeOptions} [options]
     */
    undo(id, body, options) {
        return this.command(id, "undo", body, options);
    }

    /**
     * @param {string} id
     * @param {{ count?: number }} [body]
     * @param {ChangeOptions} [options]
     */
    redo(id, body, options) {
        return this.command(id, "redo", body, options);
    }

    /**
     * Any command by its name.
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

    // Live

    /**
     * Every revision of a session from now on, or after the event `after`; ends with `deleted` or
     * `expired`. Leaving the loop ends the stream; so does `signal`, also while nothing comes.
     *
     * @param {string} id
     * @param {WatchOptions} options
     * @returns {AsyncGenerator<WatchEvent, void, undefined>}
     */
    async *watch(id, options = {}) {
        const follower = new Follower(options);
        try {
            for await (const event of this.#follow(() => path(id, "events"), follower)) {
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
     * The same for many sessions on one connection: those that are named, each with its snapshot
     * first, until all of them have ended; or, without names, all that fit the filter, with a
     * `hello` first and no end. Where the server asks for tokens, named sessions take one of scope `read`,
     * all of them one of scope `admin`.
     *
     * @param {WatchFilter & WatchOptions} options
     * @returns {AsyncGenerator<WatchAllEvent, void, undefined>}
     */
    async *watchAll({ sessions, app, label, ...options } = {}) {
        const names = new Set(sessions);
        const follower = new Follower(options);
        const target = () => "/v1/events" + queryString({ session: [...names], app, label });
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
                // One that has gone in the meantime must not take the others along.
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
     * `watch` with callbacks; answers a function that ends it.
     *
     * @param {string} id
     * @param {Callbacks} callbacks
     * @param {{ after?: string | number }} options
     * @returns {() => void}
     */
    subscribe(id, callbacks, { after } = {}) {
        return tell(callbacks, (options) => this.watch(id, { ...options, after }));
    }

    /**
     * `watchAll` with callbacks; answers a function that ends it.
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
                    // Only what arrives proves a connection good; one that is accepted and
                    // closed at once must not bring the client back at full speed.
                    attempt = 0;
                    if (frame === alive) continue;
                    follower.retryMilliseconds =
                        frame.retryMilliseconds ?? follower.retryMilliseconds;
                    const event = watchEvent(frame);
                    if (!event) continue;
                    follower.last = frame.id || follower.last;
                    if ("session" in event) this.#saw(event.session.id, event.session);
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

    // One connection of a stream: `opened`, then its frames, and `alive` where bytes came that
    // made none, until it ends or falls silent.
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
                throw new TypeError(`${url} is not a stream of events`);
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

    // With the ETag of what was seen last. Events carry no ETag, so after one the last known is
    // stale; the refusal then tells the current one, which is good if it belongs to the revision
    // that was seen.
    /** @param {string} method @param {string} path @param {string} id @param {any} request */
    async #guarded(method, path, id, request) {
        if (!this.#seen.has(id)) await this.get(id, { signal: request.signal });
        const seen = this.#seen.get(id);
        /** @param {string | undefined} etag */
        const send = (etag) => {
            const headers = { ...request.headers, "If-Match": etag ?? '"unknown"' };
            return this.#send(method, path, { ...request, headers });
        };
        try {
            return await send(seen?.etag);
        } catch (error) {
            if (!(error instanceof NavstateError) || error.status !== 412) throw error;
            const current = error.problem.session;
            if (seen?.etag || !error.etag || current?.revision !== seen?.revision) throw error;
            return send(error.etag);
        }
    }

    /** @param {string} id @param {Session} session @param {string} [etag] */
    #saw(id, session, etag) {
        if (!session?.revision) return;
        const seen = this.#seen.get(id);
        // An answer may be overtaken by the event of a later change.
        if (seen && seen.revision > session.revision && !etag) return;
        if (seen?.revision === session.revision && !etag) return;
        this.#seen.delete(id);
        this.#seen.set(id, { revision: session.revision, etag });
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
     *   signal?: AbortSignal, retries?: number }} request
     * @returns {Promise<{ status: number, etag?: string, body: any }>}
     */
    async #send(method, path, { query = {}, headers = {}, body, signal, retries = this.retries }) {
        const url = this.url + path + queryString(query);
        const text = body === undefined ? undefined : JSON.stringify(body);
        if (text !== undefined) headers = { ...headers, "Content-Type": "application/json" };
        this.onRequest?.({ method, url, headers, body: text });
        const init = {
            method, body: text, signal, cache: /** @type {RequestCache} */ ("no-store"),
            headers: { ...this.#authorization(), ...headers },
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
                // What a repeated DELETE does not find is what the first one deleted.
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
    case "deleted": case "expired": return { type: event, id, sessionId: JSON.parse(data).id };
    default: return undefined;
    }
}

/** @param {WatchAllEvent} event @returns {event is EndEvent} */
function isEnd(event) {
    return event.type === "deleted" || event.type === "expired";
}

/**
 * @param {Callbacks} callbacks
 * @param {(options: WatchOptions) => AsyncGenerator<WatchAllEvent, void, undefined>} watch
 */
function tell(callbacks, watch) {
    const stop = new AbortController();
    const run = async () => {
        const events = watch({ signal: stop.signal, onStatus: callbacks.onStatus });
        for await (const event of events) {
            if (stop.signal.aborted) return;
            if (event.type === "hello") callbacks.onHello?.(event);
            else if (event.type === "snapshot") callbacks.onSnapshot?.(event);
            else if (event.type === "change") callbacks.onChange?.(event);
            else callbacks.onEnd?.(event);
        }
    };
    run().catch((error) => {
        if (!stop.signal.aborted) callbacks.onError?.(error);
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
     * The frames that are whole now. One without data is only handed out for its `retry`.
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
        type: "about:blank", title: response.statusText || "The request failed",
        status: response.status, detail: `the server answered ${response.status}`,
    };
    const isProblem = isType(response, "application/problem+json");
    // A proxy on the way may answer with a page of its own, or with half of one.
    const problem = isProblem ? await response.json().catch(() => fallback) : fallback;
    return new NavstateError({ ...fallback, ...problem }, response.headers);
}

/** @param {Response} response @param {string} type */
function isType(response, type) {
    return (response.headers.get("content-type") ?? "").toLowerCase().startsWith(type);
}

// In the server's own words: the 404 of a proxy that has lost its way says nothing of a session.
/** @param {unknown} error */
function isGone(error) {
    return error instanceof NavstateError && /not-found$/.test(error.code);
}

/**
 * Whether sending the same again cannot help.
 *
 * @param {unknown} error
 */
function isFinal(error) {
    if (error instanceof NavstateError) return !retryStatuses.has(error.status);
    return error instanceof SyntaxError;
}

/**
 * Doubles with each attempt, between 0.25 and 15 s, and is spread so that clients that were cut off
 * together do not come back together. What the server asks for counts more.
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

/** Also where `crypto.randomUUID` is missing: on pages that came over plain HTTP. */
function randomUUID() {
    if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

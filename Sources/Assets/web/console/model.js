// The open session, and the only place that sends requests about it.
//
// One session is open at a time and followed by one stream. The views draw this state, and are told
// by name what has changed:
//
//   session   the state that is shown: the newest, or an older one while looking at the past
//   history   the timeline
//   status    the connection
//   requests  the curl lines
//   closed    no session is open (any more)
import { announce, notify, notifyError } from "./dom.js";
import { curlLine } from "./curl.js";
import { History } from "./history.js";
import { attemptOrOfferForce } from "./lock.js";
import { exactState } from "./requests.js";
import { isForSession, mayChange } from "./rights.js";
import { createClient } from "../navstate.js";
import { SessionView } from "./view.js";

const requestsMax = 30;
const pauseMilliseconds = 100;
const announceMilliseconds = 2_000;

export class Model extends SessionView {
    constructor() {
        super();
        /** @type {string | undefined} The id of the session that is open or being opened. */
        this.wanted = undefined;
        /** @type {any} Why the wanted session could not be opened. */
        this.failure = null;
        /** @type {any} */
        this.status = { state: "idle" };
        /** Whether everything is there that the first drawing shows; until then nothing is drawn. */
        this.isReady = false;
        this.mayReadApps = true;
        /** @type {string[]} Newest first. */
        this.requests = [];
        this.history = new History(this);
        /** @type {import("../navstate.js").Watcher[]} The open streams of the session. */
        this.watchers = [];
        /** Sheets whose answer is waited for. */
        this.questions = new Set();
        /** @type {import("./recorder.js").Recorder | null} Takes down what is done, while it runs. */
        this.recorder = null;
        this.unheard = 0;
        /** Own commands that are under way: what happens meanwhile is most likely theirs. */
        this.ownCount = 0;
        this.wantsAllowed = false;
        /** @type {Promise<void> | null} */
        this.readingAllowed = null;
        this.stop = () => {};
        this.client = this.clientWith(undefined);
    }

    /** @param {string} name */
    isWanted(name) {
        // The session may have been closed in the meantime.
        return this.isReady || name === "requests";
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

    /** @param {import("../navstate.js").SentRequest} request */
    sent(request) {
        if (request.method === "GET" || request.url.includes("dryRun")) return;
        this.requests.unshift(curlLine(request, Boolean(this.client.token)));
        this.requests.length = Math.min(this.requests.length, requestsMax);
        this.emit("requests");
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
        this.emit("closed");
        this.follow();
    }

    follow() {
        if (!this.wanted) return;
        this.stop();
        this.failure = null;
        this.stop = this.client.subscribe(this.wanted, {
            onSnapshot: (event) => this.snapshot(event),
            onChange: (event) => this.change(event),
            onWatchers: (event) => {
                this.watchers = event.watchers;
                this.emit("session");
            },
            onSignal: ({ name, data, by }) => notify([
                `Signal ${name}`, data === undefined ? "" : JSON.stringify(data), by ? `by ${by}` : "",
            ].filter(Boolean).join(" ")),
            onEnd: (event) => this.ended(event.type),
            onStatus: (status) => this.setStatus(status),
            onError: (error) => this.fail(error),
        }, { watchers: true, signals: true });
    }

    /** Lets go of the stream while nobody looks; `follow` takes it up again. */
    pause() {
        this.stop();
        this.setStatus({ state: "idle" });
    }

    close() {
        this.stop();
        this.wanted = undefined;
        this.failure = null;
        this.isReady = false;
        this.session = null;
        this.past = null;
        this.allowed = null;
        this.app = null;
        this.history.clear();
        this.names = new Map();
        this.watchers = [];
        this.setStatus({ state: "idle" });
        this.emit("closed");
    }

    /** @param {any} error */
    fail(error) {
        const { wanted } = this;
        this.close();
        this.wanted = wanted;
        this.failure = error;
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
        const isOnline = status.state === "live" || status.state === "idle";
        const isNews = isOnline !== this.isOnline;
        this.isOnline = isOnline;
        this.emit("status");
        if (isNews && this.session) this.emit("session");
    }

    /** @param {any} event */
    snapshot(event) {
        if (event.gap) announce("Some changes were missed. This is the current state.");
        const known = this.session;
        // After a restore from a backup the revision may be lower than before.
        this.take(event.session, event.gap || event.session.revision < known?.revision);
        if (known) this.history.load();
    }

    /** @param {any} event */
    change(event) {
        const known = this.session;
        const isNews = event.session.revision > known?.revision;
        this.take(event.session);
        this.history.add(event);
        if (known && known.createdAt !== event.session.createdAt) this.history.load();
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
    /** @param {any} session @param {boolean} [isApart] Whether it does not follow what is known. */
    take(session, isApart = false) {
        const known = this.session;
        if (session.id !== this.wanted) return;
        if (known && (isApart || known.createdAt !== session.createdAt)) this.forget();
        else if (known?.revision >= session.revision) return;
        this.session = session;
        this.learnNames(session);
        if (!known) return this.begin();
        this.loadAllowed();
        this.emit("session");
    }

    // The history and the names belong to a deleted session of the same id, or to changes that a
    // restore of the server has undone.
    forget() {
        this.history.clear();
        this.past = null;
        this.names = new Map();
    }

    // All that the first drawing shows is requested at once, and drawn once. Without the app routes
    // are shown by their names.
    async begin() {
        const { client, session: { id } } = this;
        const tries = this.mayControl && isForSession(client.token);
        /** @type {any[]} */
        const [may] = await Promise.all([
            tries ? mayChange(() => client.undo(id, {}, { dryRun: true })) : undefined,
            this.loadAllowed(), this.history.load(),
        ]);
        if (this.session?.id !== id) return;
        if (may === false) this.mayControl = false;
        this.isReady = true;
        this.emit("session");
        this.emit("history");
    }

    // One request at a time; after a change in the meantime, one more follows.
    loadAllowed() {
        this.wantsAllowed = true;
        this.readingAllowed ??= this.readAllowed();
        return this.readingAllowed;
    }

    async readAllowed() {
        this.wantsAllowed = false;
        const { app, id } = this.session;
        /** @type {any} */
        const known = this.app;
        try {
            // The app may have been replaced since the last change.
            const [allowed, document] = await Promise.all([
                this.client.allowed(id),
                app && this.mayReadApps ? this.client.app(app).catch(() => known) : null,
            ]);
            if (this.session?.id === id) {
                this.allowed = allowed;
                this.app = document ? { ...document, id: app } : null;
                this.emit("session");
            }
        } catch (error) {
            // The stream reports that the session is gone, and that the server is away.
            const { code, problem } = /** @type {any} */ (error);
            if (this.session?.id === id && problem && code !== "session-not-found") notifyError(error);
        }
        const again = async () => {
            await new Promise((go) => setTimeout(go, pauseMilliseconds));
            this.readingAllowed = null;
            if (this.session) await this.loadAllowed();
        };
        this.readingAllowed = this.wantsAllowed ? again() : null;
    }

    /**
     * The session as it was at a revision, with its numbers as they are written.
     *
     * @param {number} revision
     */
    exactState(revision) {
        return exactState(this.client, this.session.id, revision);
    }

    // Changing it

    /**
     * @param {string} name
     * @param {object} [body]
     * @returns {Promise<any>}
     */
    async run(name, body = {}) {
        if (!this.session) return;
        return attemptOrOfferForce(this, name, body);
    }

    /**
     * The same for a caller that shows the refusal itself.
     *
     * @param {string} name
     * @param {object} body
     */
    async attempt(name, body) {
        // Before it is sent: somebody may look at the past again before the answer is there.
        this.history.now();
        this.ownCount += 1;
        const answer = await this.client.command(this.session.id, name, body)
            .catch((error) => {
                // It may be refused by a newer document of the app.
                if (this.session) this.loadAllowed();
                throw error;
            })
            .finally(() => (this.ownCount -= 1));
        this.recorder?.add(name, body, answer);
        // The yellow bar over the phone says what is held back.
        if (!answer.changed && !answer.held) notify(`No effect: ${answer.reason?.replaceAll("-", " ")}.`);
        if (answer.refused) notify(answer.refused.detail, { kind: "problem", title: answer.refused.title });
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
                const answer = state.button ?? ("result" in state ? JSON.stringify(state.result) : "no answer");
                return notify(`${sheet}: ${answer} (${state.command}).`);
            }
        } finally {
            this.questions.delete(sheet);
            this.emit("session");
        }
    }
}

// The history of the open session: its changes, and the states that it had.
import { announce, notify, notifyError } from "./dom.js";
import { exactHistory } from "./requests.js";
import { stored } from "./script.js";

const page = 50;
/** As many states before the newest one are kept by the server. */
const statesKept = 32;
/** More than the server keeps, so that nothing older needs to be asked for. */
const changesMax = 50;

export class History {
    /** @param {import("./model.js").Model} model */
    constructor(model) {
        this.model = model;
        /** @type {any[]} Newest first. */
        this.changes = [];
        /** @type {number | undefined} Where the next page begins. */
        this.next = undefined;
        this.isLoaded = false;
        /** @type {Map<number, any>} States that have been looked at. */
        this.states = new Map();
        /** The revision that was asked for last; a slow answer to an older question is not shown. */
        this.asked = 0;
    }

    clear() {
        this.changes = [];
        this.next = undefined;
        this.isLoaded = false;
        this.states = new Map();
        this.asked = 0;
    }

    /** The oldest revision that can be looked at, as far as is known. */
    get oldest() {
        const newest = this.model.session?.revision ?? 1;
        return Math.max(this.changes.at(-1)?.revision ?? newest, newest - statesKept);
    }

    /** @param {any} event */
    add(event) {
        const { revision, session } = event;
        if (this.changes.some((item) => item.revision === revision)) return;
        this.changes.unshift({ ...event, at: session.updatedAt });
        this.changes.sort((a, b) => b.revision - a.revision);
        if (this.changes.length > changesMax) {
            this.changes.length = changesMax;
            this.next = undefined;
        }
        this.model.emit("history");
    }

    /** @param {number} [before] */
    async load(before) {
        const { model: { id }, states } = this;
        if (!id) return;
        try {
            const found = await this.model.client.history(id, { limit: page, before });
            // It was cleared in the meantime.
            if (this.states !== states) return;
            const known = new Set(found.history.map((item) => item.revision));
            const newest = found.history[0]?.revision ?? 0;
            const others = this.changes.filter((item) =>
                !known.has(item.revision) && (before !== undefined || item.revision > newest));
            this.changes = [...others, ...found.history].sort((a, b) => b.revision - a.revision);
            this.next = found.next;
            this.isLoaded = true;
            for (const { command, added } of found.history) {
                if (!command.route || added.length !== 1 || this.model.names.has(added[0])) continue;
                this.model.names.set(added[0], /** @type {any} */ (command));
            }
            this.model.emit("history");
            this.model.emit("session");
        } catch (error) {
            if (/** @type {any} */ (error).problem) notifyError(error);
        }
    }

    /**
     * The newest changes, or those before a revision, with their numbers as they are written.
     *
     * @param {{ limit?: number, before?: number }} page
     */
    exactChanges({ limit = changesMax, before } = {}) {
        const { client, session } = this.model;
        return exactHistory(client, session.id, { limit, before });
    }

    /**
     * The state of the session at a revision.
     *
     * @param {number} revision
     */
    async state(revision) {
        const { model } = this;
        if (revision === model.session.revision) return model.session;
        const known = this.states.get(revision);
        if (known) return known;
        const { states } = this;
        const state = await model.client.get(model.session.id, { revision });
        states.set(revision, state);
        return state;
    }

    /**
     * Shows an older state, without changing anything.
     *
     * @param {number} revision
     */
    async lookAt(revision) {
        const { model } = this;
        if (!model.session) return;
        this.asked = revision;
        if (revision >= model.session.revision) return this.now();
        try {
            const past = await this.state(revision);
            if (this.asked !== revision || past.id !== model.session?.id) return;
            model.past = past;
            model.learnNames(past);
            announce(`Showing revision ${revision}`);
            model.emit("session");
            model.emit("history");
        } catch (error) {
            notifyError(error);
        }
    }

    now() {
        this.asked = 0;
        if (!this.model.past) return;
        this.model.past = null;
        announce("Back to the current state");
        this.model.emit("session");
        this.model.emit("history");
    }

    /** Makes the state that is looked at the current one, as a new revision. Labels stay as they are. */
    async restore() {
        const { past, session, client } = this.model;
        if (!past || !session) return;
        try {
            const exact = await this.model.exactState(past.revision);
            const { labels, ttlSeconds, ...state } = stored(exact);
            const kept = {
                ...state, ...(session.labels ? { labels: session.labels } : {}),
                ...(session.ttlSeconds ? { ttlSeconds: session.ttlSeconds } : {}),
            };
            const restored = await client.restore(session.id, kept);
            this.model.recorder?.addRestore(restored);
            this.now();
            this.model.take(restored);
            notify(`Revision ${past.revision} restored as revision ${restored.revision}.`);
        } catch (error) {
            notifyError(error);
        }
    }
}

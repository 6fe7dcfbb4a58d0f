// The session of the playground: like the console's open session, but its rules run in the page and no
// server knows of it.
import { announce, notify, notifyError } from "../console/dom.js";
import { attemptOrOfferForce } from "../console/lock.js";
import { SessionView } from "../console/view.js";
import { Engine, TooLong } from "./engine.js";
import { stepsMax } from "./link.js";

/** @typedef {import("./link.js").Step} Step */

const secondMilliseconds = 1_000;

/**
 * A step as the thread of the rules and a link take it: without numbers as they are written (`exact.js`).
 *
 * @param {Step} step @returns {Step}
 */
function plain(step) {
    return JSON.parse(JSON.stringify(step));
}

export class PlayModel extends SessionView {
    constructor() {
        super();
        this.engine = new Engine();
        this.text = "";
        /** @type {Step[]} The commands since the start. */
        this.steps = [];
        /** @type {{ step: Step, answer: any }[]} Those that the document does not refuse, with their answers. */
        this.done = [];
        this.isReady = false;
        // The members that the views of the console read of an open session.
        this.id = "playground";
        /** @type {any[]} */
        this.watchers = [];
        this.client = {
            token: undefined,
            resolve: async () => null,
            open: (/** @type {string} */ _id, /** @type {object} */ body) => this.tried("open", body),
            command: (/** @type {string} */ _id, /** @type {string} */ name, /** @type {object} */ body) => this.tried(name, body),
            link: async () => {
                const url = await this.ask("link", []);
                if (url === null) throw new Error("No link of the app leads to this screen.");
                return { url };
            },
        };
        setInterval(() => this.advance(), secondMilliseconds);
    }

    // For the views of the console. Here the numbers are those of JavaScript.
    async exactState() {
        return this.session;
    }

    isWanted() {
        return this.isReady;
    }

    /**
     * Asks the engine. After a timeout, a new engine takes its place, which does not have the session.
     * The session is begun again with all commands, or with none if that takes too long as well.
     *
     * @param {string} name @param {any[]} args
     */
    async ask(name, args) {
        try {
            return await this.engine.ask(name, args);
        } catch (error) {
            if (error instanceof TooLong && this.isReady) {
                const begin = (/** @type {Step[]} */ steps) => this.engine.ask("begin", [this.text, steps]);
                const found = await begin(this.steps).catch(() => begin([]));
                this.done = found.done;
                this.take(found);
            }
            throw error;
        }
    }

    /**
     * Begins with a document, and carries the commands out again. Those that it refuses are kept for
     * the next one, which may have mended it.
     *
     * @param {string} text @param {Step[]} steps
     * @returns {Promise<{ faults: any[], warnings?: any[] }>} With faults, the former document stays.
     */
    async begin(text, steps = this.steps) {
        const found = await this.ask("begin", [text, steps]);
        if (found.faults.length > 0) return found;
        const document = JSON.parse(text);
        this.text = text;
        this.app = document;
        this.steps = steps;
        this.done = found.done;
        this.isReady = true;
        this.take(found);
        this.emit("app");
        return found;
    }

    /** @param {{ session: any, allowed: any }} found */
    take({ session, allowed }) {
        this.session = session;
        this.allowed = allowed;
        this.learnNames(session);
        this.emit("session");
    }

    /** @param {string} name @param {object} body */
    async tried(name, body) {
        const { answer } = await this.ask("perform", [plain({ command: name, ...body }), true]);
        return answer;
    }

    /** @param {string} name @param {any} [body] */
    async attempt(name, body = {}) {
        const step = plain({ command: name, ...body });
        const found = await this.ask("perform", [step, false]);
        const { answer } = found;
        if (this.steps.length < stepsMax) {
            this.steps = [...this.steps, step];
            this.done = [...this.done, { step, answer }];
        }
        this.take(found);
        if (!answer.changed && !answer.held) notify(`No effect: ${answer.reason?.replaceAll("-", " ")}.`);
        if (answer.changed) announce(`${name} done. ${this.titleOf(answer.session.visible)} is visible.`);
        return answer;
    }

    /** @param {string} name @param {any} [body] */
    async run(name, body = {}) {
        if (!this.session) return;
        return attemptOrOfferForce(this, name, body);
    }

    startOver() {
        return this.begin(this.text, []).catch(notifyError);
    }

    async advance() {
        const waits = this.app?.idle || this.session?.idle || this.session?.sheets.some((/** @type {any} */ sheet) => sheet.expiresAt);
        if (!waits || document.hidden) return;
        const found = await this.ask("advance", []).catch(() => null);
        if (found) this.take(found);
    }
}

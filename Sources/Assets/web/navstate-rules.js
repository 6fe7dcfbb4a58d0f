// The rules of the server in a browser or in Node: apps are checked, and sessions created, changed
// and read, without a server. It is the server's own code, as WebAssembly. The server serves it at
// /navstate-rules.js, beside /navstate.js, which it imports, and /rules.wasm, which it loads.
//
//     import { loadRules } from "http://127.0.0.1:8080/navstate-rules.js";
//     const rules = await loadRules();
//     const app = rules.app(document);                     // throws InvalidApp
//     const session = rules.session(app);
//     session.perform("navigate", { route: "order" });     // throws NavstateError
//     draw(session.state);
//
// 1. Everything but `loadRules` is synchronous, and takes and returns what the API does. `perform`
//    is POST …/{command}, `restore` PUT, `update` PATCH, `allowed` and `link` are GET.
// 2. Time stands still between changes: a sheet or a session expires when `advance` says so. It lies
//    in the years 1970 to 9999: an earlier number counts as their first moment, as NaN does, and a
//    later one as their last.
// 3. What is not referenced any more is forgotten. `free` does that at once.
// 4. A page needs `script-src 'wasm-unsafe-eval'` if it has a Content-Security-Policy.
//
// `client.session(id, { rules: true })` is a session of a server whose commands are shown before the
// server has answered: see `RulesSession`.
import { NavstateError } from "./navstate.js";
import { RulesSession } from "./rules-session.js";

export { RulesSession };

/** @typedef {import("./navstate-rules.js").AppFault} AppFault */
/** @typedef {import("./navstate-rules.js").RulesSource} RulesSource */
/** @typedef {import("./navstate.js").Session} Session */
/** @typedef {import("./navstate.js").Answer} Answer */

/** The faults of an app's document. */
export class InvalidApp extends Error {
    /** @param {AppFault[]} faults @param {AppFault[]} [warnings] */
    constructor(faults, warnings = []) {
        super(faults.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join("\n"));
        this.name = "InvalidApp";
        this.faults = faults;
        this.warnings = warnings;
    }
}

/** @type {Promise<Rules> | undefined} */
let loaded;

/**
 * Loads the rules, once.
 *
 * @param {RulesSource} [source] Bytes, a response or a URL; by default the file beside this module.
 * @returns {Promise<Rules>}
 */
export function loadRules(source) {
    if (source !== undefined) return load(source);
    loaded ??= load(new URL("rules.wasm", import.meta.url)).catch((error) => {
        loaded = undefined;
        throw error;
    });
    return loaded;
}

/** @param {RulesSource} source */
async function load(source) {
    const decoder = new TextDecoder();
    /** @type {any} */
    let exports;
    const number = (/** @type {number} */ address, /** @type {number} */ length) =>
        Number(decoder.decode(new Uint8Array(exports.memory.buffer, address >>> 0, length)));
    const bytes = await plain(await bytesOf(source));
    const { instance } = await WebAssembly.instantiate(bytes, { navstate: { number } });
    ({ exports } = instance);
    return new Rules(new Module(exports));
}

/** @param {RulesSource} source @returns {Promise<Uint8Array>} */
async function bytesOf(source) {
    if (source instanceof URL && source.protocol === "file:") {
        // Node. On the disk, the module is compressed.
        const { readFile } = await import(/* @vite-ignore */ "" + "node:fs/promises");
        return readFile(source.pathname.endsWith(".wasm") ? new URL(`${source}.gz`) : source);
    }
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) {
        return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    }
    const response = source instanceof Response ? source : await fetch(/** @type {any} */ (source));
    if (!response.ok) throw new TypeError(`${response.url} is not there: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
}

/** @param {Uint8Array} bytes */
async function plain(bytes) {
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new /** @type {any} */ (globalThis).DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The exported functions, with texts in place of addresses. */
class Module {
    #encoder = new TextEncoder();
    #decoder = new TextDecoder();
    /** Forgets what is not referenced any more. */
    registry = new FinalizationRegistry((/** @type {() => void} */ release) => release());

    /** @param {any} exports */
    constructor(exports) {
        this.exports = exports;
    }

    /**
     * Writes the two texts of a call. Returns where the second one begins and ends.
     *
     * @param {string} first @param {string} second @returns {[number, number]}
     */
    give(first, second) {
        const [a, b] = [this.#encoder.encode(first), this.#encoder.encode(second)];
        const length = a.length + b.length;
        const address = this.exports.rules_input_address(length) >>> 0;
        const room = new Uint8Array(this.exports.memory.buffer, address, length);
        room.set(a);
        room.set(b, a.length);
        return [a.length, length];
    }

    /** The text that the last call has returned. */
    text() {
        const { memory, rules_answer_address: address, rules_answer_length: length } = this.exports;
        return this.#decoder.decode(new Uint8Array(memory.buffer, address() >>> 0, length()));
    }
}

/** @param {unknown} value Text or a value, which becomes JSON. */
function json(value) {
    return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** @param {string} text */
function refusal(text) {
    return new NavstateError(JSON.parse(text));
}

/** The rules. */
export class Rules {
    #module;

    /** @param {Module} module */
    constructor(module) {
        this.#module = module;
    }

    /** The size of the memory of the rules, which never shrinks. */
    get memoryBytes() {
        return this.#module.exports.memory.buffer.byteLength;
    }

    /**
     * Reads and checks the document of an app, as PUT /v1/apps/{app} does.
     *
     * @param {string | object} document With a text, faults know their lines.
     * @param {string} [id] If the document has none.
     */
    app(document, id = "") {
        const module = this.#module;
        const number = module.exports.rules_app(...module.give(id, json(document)));
        const answer = JSON.parse(module.text());
        if (number === 0) throw new InvalidApp(answer.faults, answer.warnings);
        return new RulesApp(module, number, answer);
    }

    /**
     * Makes a session: a new one by the body of a creation, one with a state that was read before,
     * or one that continues a session that a server has sent.
     *
     * @param {RulesApp | null} [app]
     * @param {{ create?: string | object, restore?: string | object, continue?: string | object,
     *   id?: string, strict?: boolean, at?: number }} [begin]
     */
    session(app = null, begin = {}) {
        const module = this.#module;
        const [kind, body] =
            begin.continue !== undefined ? [3, begin.continue]
            : begin.restore !== undefined ? [2, begin.restore]
            : [begin.strict ? 1 : 0, begin.create];
        const texts = module.give(begin.id ?? "local", json(body));
        const number = module.exports.rules_session(app?.number ?? 0, kind, ...texts, begin.at ?? Date.now());
        if (number === 0) throw refusal(module.text());
        return new LocalSession(module, number, app, module.text());
    }
}

/** The document of an app that has been read and checked. */
export class RulesApp {
    #module;

    /**
     * @param {Module} module @param {number} number
     * @param {{ id: string, title?: string, warnings: AppFault[] }} answer
     */
    constructor(module, number, { id, title, warnings }) {
        this.#module = module;
        this.number = number;
        this.id = id;
        this.title = title;
        this.warnings = warnings;
        module.registry.register(this, () => module.exports.rules_release(number, 1), this);
    }

    /** Whether the app has a place for a URL: a link that matches it, or `notFound`. */
    /** @param {string} url */
    opens(url) {
        const [, length] = this.#module.give("", url);
        return this.#module.exports.rules_read(this.number, 6, 0, length) === 1;
    }

    /**
     * Finds the screens that users can reach, and the faults of the app. It takes seconds for large
     * apps; a worker keeps the page alive.
     *
     * @param {{ depth?: number, to?: string, params?: string | object, statesMax?: number }} options
     * @returns {import("./navstate-rules.js").Exploration}
     */
    explore({ depth = 5, to = "", params, statesMax = 200_000 } = {}) {
        const texts = this.#module.give(to, params === undefined ? "" : json(params));
        this.#module.exports.rules_explore(this.number, depth, statesMax, ...texts);
        return JSON.parse(this.#module.text());
    }

    free() {
        this.#module.registry.unregister(this);
        this.#module.exports.rules_release(this.number, 1);
        this.number = 0;
    }
}

/** A session in this process. */
export class LocalSession {
    #module;
    #number;
    /** @type {string | undefined} */
    #text;
    /** @type {Session | undefined} */
    #state;

    /** @param {Module} module @param {number} number @param {RulesApp | null} app @param {string} text */
    constructor(module, number, app, text) {
        this.#module = module;
        this.#number = number;
        this.#text = text;
        /** What the last change, `allowed` or `stepsTo` has returned, or its problem, as text. */
        this.answerText = "";
        /** Kept, so that it is not forgotten before the session. */
        this.app = app;
        module.registry.register(this, () => module.exports.rules_release(number, 0), this);
    }

    /** The session as GET returns it. */
    get text() {
        this.#text ??= this.#read(0) ?? "";
        return this.#text;
    }

    /** The session as a value, which is not to be changed. */
    get state() {
        this.#state ??= /** @type {Session} */ (JSON.parse(this.text));
        return this.#state;
    }

    /**
     * Carries out a command.
     *
     * @param {string} command @param {string | object} [body]
     * @param {{ strict?: boolean, at?: number }} options
     * @returns {Answer}
     */
    perform(command, body, { strict, at } = {}) {
        return /** @type {any} */ (this.#change(strict ? 1 : 0, command, body, at));
    }

    /**
     * Replaces the state and the settings.
     *
     * @param {string | object} body @param {{ at?: number }} options @returns {Session}
     */
    restore(body, { at } = {}) {
        return /** @type {any} */ (this.#change(2, "", body, at));
    }

    /**
     * Changes the labels and the times.
     *
     * @param {string | object} body @param {{ at?: number }} options @returns {Session}
     */
    update(body, { at } = {}) {
        return /** @type {any} */ (this.#change(3, "", body, at));
    }

    /**
     * Moves the time, and carries out the first thing that is due by then, if there is one. To be
     * called until it returns null.
     *
     * @param {number} [at] @returns {Answer | Session | null}
     */
    advance(at) {
        return this.#change(4, "", undefined, at);
    }

    /** @returns {import("./navstate.js").Allowed} */
    allowed() {
        this.answerText = this.#read(1) ?? "{}";
        return JSON.parse(this.answerText);
    }

    /** The URL of a deep link to the visible screen, if the app has one. */
    link() {
        return this.#read(2);
    }

    /** @param {LocalSession} goal @returns {import("./navstate.js").Step[]} */
    stepsTo(goal) {
        this.answerText = this.#read(3, goal.#number) ?? "[]";
        return JSON.parse(this.answerText);
    }

    /** The event of the last change, as the history has it. */
    get event() {
        return JSON.parse(this.#read(4) ?? "null");
    }

    /** Whether a guard of the app holds, or null if there is no such guard. */
    /** @param {string} guard @returns {boolean | null} */
    holds(guard) {
        const [, length] = this.#module.give("", guard);
        return JSON.parse(this.#read(5, 0, length) ?? "null");
    }

    /** A session of its own that begins with this state. */
    copy() {
        const number = this.#module.exports.rules_session(this.#number, 4, 0, 0, 0);
        return new LocalSession(this.#module, number, this.app, this.#module.text());
    }

    free() {
        this.#module.registry.unregister(this);
        this.#module.exports.rules_release(this.#number, 0);
        this.#number = 0;
    }

    /** @param {number} kind @param {string} name @param {unknown} body @param {number} [at] */
    #change(kind, name, body, at = Date.now()) {
        const texts = this.#module.give(name, json(body));
        const done = this.#module.exports.rules_change(this.#number, kind, ...texts, at);
        this.answerText = done === 2 ? "" : this.#module.text();
        if (done === 0) throw refusal(this.answerText);
        this.#text = this.#state = undefined;
        return done === 1 ? JSON.parse(this.answerText) : null;
    }

    /** @param {number} what */
    #read(what, other = 0, length = 0) {
        const isThere = this.#module.exports.rules_read(this.#number, what, other, length) === 1;
        return isThere ? this.#module.text() : null;
    }
}

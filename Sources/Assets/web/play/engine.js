// Asks the rules in their thread, and ends the thread when it takes too long.
import { heldText } from "../console/files.js";

/** More than any document needs that a server would store. */
const millisecondsMax = 5_000;
/** On a slow line. */
const loadMillisecondsMax = 60_000;

export class TooLong extends Error {
    constructor() {
        super("This took too long and was stopped.");
    }
}

export class Engine {
    constructor() {
        /** @type {Worker | null} */
        this.worker = null;
        /** @type {Promise<any>} */
        this.loaded = Promise.resolve();
        /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
        this.waiting = new Map();
        this.count = 0;
    }

    /** @param {string} name @param {any[]} args @param {number} [milliseconds] */
    async ask(name, args, milliseconds = millisecondsMax) {
        if (!this.worker) this.start();
        await this.loaded;
        return this.post(name, args, milliseconds);
    }

    /** @param {string} name @param {any[]} args @param {number} milliseconds */
    post(name, args, milliseconds) {
        const { worker } = this;
        if (!worker) throw new Error("stopped");
        this.count += 1;
        const number = this.count;
        const answer = new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
        worker.postMessage({ number, name, args });
        const timer = setTimeout(() => worker === this.worker && this.stop(new TooLong()), milliseconds);
        return answer.finally(() => clearTimeout(timer));
    }

    /** Ends the thread: what it was asked fails, and the next question begins another one. */
    stop(error = new Error("stopped")) {
        this.worker?.terminate();
        this.worker = null;
        for (const { reject } of this.waiting.values()) reject(error);
        this.waiting.clear();
    }

    start() {
        const worker = newWorker();
        this.worker = worker;
        worker.addEventListener("message", (/** @type {MessageEvent} */ { data: { number, value, error } }) => {
            const found = this.waiting.get(number);
            this.waiting.delete(number);
            if (error) found?.reject(Object.assign(new Error(error.message), error));
            else found?.resolve(value);
        });
        worker.addEventListener("error", (event) => {
            event.preventDefault();
            if (worker === this.worker) this.stop(new Error("The rules could not be loaded."));
        });
        const held = heldText("/rules.wasm");
        const bytes = held === undefined ? [] : [Uint8Array.from(atob(held.trim()), (letter) => letter.charCodeAt(0))];
        this.loaded = this.post("load", bytes, loadMillisecondsMax);
        this.loaded.catch((/** @type {Error} */ error) => worker === this.worker && this.stop(error));
    }
}

/** @returns {Worker} */
function newWorker() {
    const { heldWorker } = /** @type {any} */ (globalThis);
    return heldWorker ? heldWorker("/play/worker.js") : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

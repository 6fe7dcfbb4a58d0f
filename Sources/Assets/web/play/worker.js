// The rules, in a thread of their own: a document that makes them work for long does not stop the
// page, which ends this thread instead.
//
// A message is `{ number, name, args }`; the answer has the same number, and a `value` or an `error`.
import { InvalidApp, loadRules } from "../navstate-rules.js";

/** @type {any} */
let rules = null;
/** @type {any} */
let app = null;
/** @type {any} */
let session = null;

/** @param {{ command: string }} step @param {any} on */
function carryOut({ command, ...body }, on) {
    return on.perform(command, body);
}

function now() {
    return { session: session.state, allowed: session.allowed() };
}

/** @type {Record<string, (...args: any[]) => any>} */
const functions = {
    /** @param {Uint8Array} [bytes] The module, if it is not fetched. */
    async load(bytes) {
        rules = await (bytes ? loadRules(bytes) : loadRules());
    },

    // A session of the document after these commands, without those that are refused.
    /** @param {string} text @param {{ command: string }[]} steps */
    begin(text, steps) {
        let read;
        try {
            read = rules.app(text, standIn(text));
        } catch (error) {
            if (error instanceof InvalidApp) return { faults: /** @type {any} */ (error).faults };
            throw error;
        }
        const made = rules.session(read, { id: "playground" });
        const done = steps.flatMap((step) => {
            try {
                return [{ step, answer: carryOut(step, made) }];
            } catch {
                return [];
            }
        });
        session?.free();
        app?.free();
        [app, session] = [read, made];
        return { faults: [], warnings: app.warnings, done, ...now() };
    },

    /** @param {{ command: string }} step @param {boolean} isDry */
    perform(step, isDry) {
        if (!isDry) return { answer: carryOut(step, session), ...now() };
        const copy = session.copy();
        try {
            return { answer: carryOut(step, copy) };
        } finally {
            copy.free();
        }
    },

    // Changes that are due by now: sheets that go by themselves, and the command of an idle session.
    advance() {
        const answers = [];
        for (let answer = session.advance(Date.now()); answer; answer = session.advance(Date.now())) answers.push(answer);
        return answers.length > 0 ? now() : null;
    },

    link: () => session.link(),

    /** @param {string} text @param {number} depth */
    explore(text, depth) {
        const explored = rules.app(text, standIn(text));
        try {
            return explored.explore({ depth });
        } finally {
            explored.free();
        }
    },
};

// The id of an app whose document has none, which is the name of its file elsewhere.
/** @param {string} text */
function standIn(text) {
    try {
        return "id" in JSON.parse(text) ? "" : "my-app";
    } catch {
        return "";
    }
}

addEventListener("message", async ({ data: { number, name, args } }) => {
    try {
        postMessage({ number, value: await functions[name](...args) });
    } catch (/** @type {any} */ error) {
        postMessage({ number, error: { message: error.message, code: error.code, status: error.status, problem: error.problem } });
    }
});

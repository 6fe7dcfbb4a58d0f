// A recording as a program that repeats it: a shell script of curl lines, or a test for Playwright.
//
// It begins by storing the state in which the recording began under an id of its own. Entries and
// sheets that the recording added get other ids when it is repeated; where a later command names
// one, the program uses the id that the earlier answer brought.
import { quoted } from "./curl.js";
import { isWritten } from "./exact.js";

/**
 * @typedef {{ command: string, body: any, added: string[], state?: any }} Step `state` is the session
 *   after it.
 * @typedef {{ origin: string, session: string, start: any, steps: Step[], withToken: boolean }} Recording
 */

/** Changes that are no commands: the state that they led to is stored instead. */
const changesOfState = new Set(["create", "restore", "update", "reconcile"]);
const derived = ["id", "revision", "createdAt", "updatedAt", "expiresAt", "visible", "canGoBack", "canUndo", "canRedo", "nextEntry"];

/**
 * A state without what the server derives.
 *
 * @param {any} state
 */
export function stored(state) {
    return Object.fromEntries(Object.entries(state).filter(([name]) => !derived.includes(name)));
}

/**
 * Whether a change can only be repeated by storing the state that it led to: it is no command, or
 * it undoes what happened before the recording.
 *
 * @param {string} command
 */
export function needsState(command) {
    return changesOfState.has(command) || command === "undo" || command === "redo";
}

/**
 * The steps, with `restore` in place of those that would do something else when they are repeated.
 *
 * @param {Step[]} steps
 * @returns {Step[]}
 */
function repeatable(steps) {
    let done = 0;
    let undone = 0;
    return steps.map((step) => {
        const { command, body, state } = step;
        const count = body?.count ?? 1;
        if (command === "undo" && done >= count) {
            done -= count;
            undone += count;
            return step;
        }
        if (command === "redo" && undone >= count) {
            done += count;
            undone -= count;
            return step;
        }
        undone = 0;
        if (!needsState(command)) {
            // A change of facts is no step of undo.
            done += command === "setFacts" ? 0 : 1;
            return step;
        }
        done = 0;
        return { command: "restore", body: stored(state), added: [], state };
    });
}

/** Members of a command that name an entry or a sheet. */
const idMembers = new Set(["entry", "sheet", "in", "id"]);
/** Members whose values belong to the app. */
const opaque = new Set(["params", "facts", "result", "url"]);

/** An id that an earlier step brings when the recording is repeated. */
class Reference {
    /** @param {string} id @param {Source} source */
    constructor(id, source) {
        this.id = id;
        this.source = source;
    }
}

/** @param {any} value */
function isAtom(value) {
    return value === null || typeof value !== "object" || isWritten(value);
}

/**
 * A body with references in place of the ids that are known from an earlier step.
 *
 * @param {any} value @param {Map<string, Source>} known @param {Map<string, Source>} uses Collects them.
 * @returns {any}
 */
function linked(value, known, uses) {
    if (Array.isArray(value)) return value.map((item) => linked(item, known, uses));
    if (isAtom(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => {
        if (opaque.has(name)) return [name, item];
        const source = idMembers.has(name) && known.get(item);
        if (!source) return [name, linked(item, known, uses)];
        uses.set(item, source);
        return [name, new Reference(item, source)];
    }));
}

/**
 * A value as JSON, with a reference between each two pieces of text.
 *
 * @param {any} value
 * @param {(name: string) => string} named How the name of a member is written.
 * @param {(string | Reference)[]} written Those before it; the last one is text.
 */
function pieces(value, named = (name) => JSON.stringify(name), written = [""]) {
    const add = (/** @type {string} */ text) => (written[written.length - 1] += text);
    if (value instanceof Reference) {
        written.push(value, "");
    } else if (isAtom(value)) {
        add(JSON.stringify(value));
    } else {
        const isList = Array.isArray(value);
        add(isList ? "[" : "{");
        Object.entries(value).filter(([, item]) => item !== undefined).forEach(([name, item], index) => {
            add(`${index > 0 ? "," : ""}${isList ? "" : `${named(name)}:`}`);
            pieces(item, named, written);
        });
        add(isList ? "]" : "}");
    }
    return written;
}

/**
 * JSON as a word of a POSIX shell, in which references are variables.
 *
 * @param {any} value
 */
function shellWord(value) {
    return pieces(value).map((piece, index, { length }) => {
        if (piece instanceof Reference) return `"$${piece.id}"`;
        // The quotation marks of JSON around a variable.
        return quoted(`${index > 0 ? '"' : ""}${piece}${index + 1 < length ? '"' : ""}`);
    }).join("");
}

/**
 * An expression of JavaScript. Only a computed name `__proto__` makes a member of that name.
 *
 * @param {any} value
 */
function expression(value) {
    const named = (/** @type {string} */ name) => name === "__proto__" ? '["__proto__"]' : JSON.stringify(name);
    return pieces(value, named).map((piece) =>
        piece instanceof Reference ? `step${piece.source.step + 1}.added[${piece.source.index}]` : piece).join("");
}

/**
 * @typedef {{ step: number, index: number }} Source Of an id: the step, and its place in `added`.
 * @typedef {Step & { uses: Map<string, Source>, gives: [string, number][] }} Prepared
 */

/**
 * The steps with the ids that each uses of earlier ones, and gives to later ones.
 *
 * @param {Step[]} recorded
 * @returns {Prepared[]}
 */
function prepared(recorded) {
    const known = new Map();
    const steps = repeatable(recorded).map((step, number) => {
        const uses = new Map();
        const isState = step.command === "restore";
        // A stored state has its own ids.
        if (isState) known.clear();
        const body = isState ? step.body : linked(step.body ?? {}, known, uses);
        step.added.forEach((id, index) => known.set(id, { step: number, index }));
        return { ...step, body, uses, gives: /** @type {[string, number][]} */ ([]) };
    });
    for (const { uses } of steps) {
        for (const [id, { step, index }] of uses) {
            if (!steps[step].gives.some(([given]) => given === id)) steps[step].gives.push([id, index]);
        }
    }
    return steps;
}

/** @param {Recording} recording */
export function shellScript({ origin, session, start, steps, withToken }) {
    const auth = withToken ? ' -H "Authorization: Bearer $NAVSTATE_TOKEN"' : "";
    const lines = [
        "#!/bin/sh", `# Repeats what was done in ${session}. Needs curl and jq.`, "set -eu",
        `url=\${NAVSTATE_URL:-${quoted(origin)}}`, `session=\${1:-${quoted(`${session}-replay`)}}`,
        `send() { curl -fsS${auth} "$@"; }`,
        `send -X PUT --json ${shellWord(stored(start))} "$url/v1/sessions/$session" >/dev/null`,
    ];
    for (const step of prepared(steps)) lines.push(...shellStep(step));
    lines.push(`send "$url/v1/sessions/$session" | jq -c .visible`, "");
    return lines.join("\n");
}

/** @param {Prepared} step */
function shellStep(step) {
    if (step.command === "restore") return [`send -X PUT --json ${shellWord(step.body)} "$url/v1/sessions/$session" >/dev/null`];
    const request = `send --json ${shellWord(step.body)} "$url/v1/sessions/$session/${step.command}"`;
    if (step.gives.length === 0) return [`${request} >/dev/null`];
    return [`answer=$(${request})`,
        ...step.gives.map(([id, index]) => `${id}=$(printf %s "$answer" | jq -r '.added[${index}]')`)];
}

/** @param {Recording} recording */
export function playwrightTest({ origin, session, start, steps, withToken }) {
    const headers = withToken ? ", headers: { Authorization: `Bearer ${process.env.NAVSTATE_TOKEN}` }" : "";
    return [
        'import { expect, test } from "@playwright/test";', "",
        `const url = process.env.NAVSTATE_URL ?? ${JSON.stringify(origin)};`, "",
        `test(${JSON.stringify(`the way through ${session}`)}, async ({ request }) => {`,
        `    const session = ${JSON.stringify(`${session}-test-`)} + Date.now();`,
        "    const send = async (method, path, data) => {",
        `        const response = await request.fetch(\`\${url}/v1/sessions/\${session}\${path}\`, { method, data${headers} });`,
        "        expect(response.ok()).toBe(true);", "        return response.json();", "    };",
        `    await send("PUT", "", ${expression(stored(start))});`,
        ...prepared(steps).flatMap((step, number) => playwrightStep(step, number)),
        "});", "",
    ].join("\n");
}

/** @param {Prepared} step @param {number} number */
function playwrightStep(step, number) {
    const isRestore = step.command === "restore";
    const name = `step${number + 1}`;
    const lines = [`    const ${name} = await send("${isRestore ? "PUT" : "POST"}", "${isRestore ? "" : `/${step.command}`}", ${expression(step.body)});`];
    if (step.state) {
        const answer = isRestore ? name : `${name}.session`;
        const { route, params } = step.state.visible;
        lines.push(`    expect(${answer}.visible).toMatchObject(${expression({ route, params })});`);
    }
    return lines;
}

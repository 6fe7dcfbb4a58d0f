// A recording as a program that repeats it: a shell script of curl lines, or a test for Playwright.
//
// It begins by storing the state in which the recording began under an id of its own. Entries and
// sheets that the recording added get other ids when it is repeated; where a later command names
// one, the program uses the id that the earlier answer brought.
import { quoted } from "./curl.js";

/**
 * @typedef {{ command: string, body: any, added: string[], visible?: { route: string, params: any } }} Step
 *   `command` is `restore` for a state that was stored as a whole.
 * @typedef {{ origin: string, session: string, start: any, steps: Step[], withToken: boolean }} Recording
 */

const notRepeated = new Set(["create", "update", "reconcile"]);
const derived = ["id", "revision", "createdAt", "updatedAt", "expiresAt", "visible", "canGoBack", "canUndo", "canRedo"];

/**
 * A state without what the server derives.
 *
 * @param {any} state
 */
export function stored(state) {
    return Object.fromEntries(Object.entries(state).filter(([name]) => !derived.includes(name)));
}

/**
 * Where each added id that a later step names comes from: the step, and its place in `added`.
 *
 * @param {Step[]} steps
 * @returns {Map<string, { step: number, index: number }>}
 */
function sources(steps) {
    const known = new Map();
    const used = new Map();
    steps.forEach((step, number) => {
        const text = JSON.stringify(step.body ?? {});
        for (const [id, source] of known) if (text.includes(JSON.stringify(id))) used.set(id, source);
        step.added.forEach((id, index) => known.set(id, { step: number, index }));
    });
    return used;
}

/** @param {Recording} recording */
export function shellScript({ origin, session, start, steps, withToken }) {
    const used = sources(steps);
    const auth = withToken ? ' -H "Authorization: Bearer $NAVSTATE_TOKEN"' : "";
    const lines = [
        "#!/bin/sh", `# Repeats what was done in ${session}. Needs curl and jq.`, "set -eu",
        `url=\${NAVSTATE_URL:-${quoted(origin)}}`, `session=\${1:-${quoted(`${session}-replay`)}}`,
        `send() { curl -fsS${auth} "$@"; }`,
        `send -X PUT --json ${quoted(JSON.stringify(stored(start)))} "$url/v1/sessions/$session" >/dev/null`,
    ];
    steps.forEach((step, number) => lines.push(...shellStep(step, number, used)));
    lines.push(`send "$url/v1/sessions/$session" | jq -c .visible`, "");
    return lines.join("\n");
}

/** @param {Step} step @param {number} number @param {Map<string, { step: number, index: number }>} used */
function shellStep(step, number, used) {
    if (notRepeated.has(step.command)) return [`# ${step.command}: not repeated`];
    if (step.command === "restore") return [`# restore: not repeated unless its state is known`].filter(() => !step.body?.tabs)
        .concat(step.body?.tabs ? [`send -X PUT --json ${quoted(JSON.stringify(stored(step.body)))} "$url/v1/sessions/$session" >/dev/null`] : []);
    let body = quoted(JSON.stringify(step.body));
    for (const id of used.keys()) body = body.replaceAll(JSON.stringify(id), `"'"$${id}"'"`);
    const request = `send --json ${body} "$url/v1/sessions/$session/${step.command}"`;
    const wanted = [...used].filter(([, source]) => source.step === number);
    if (wanted.length === 0) return [`${request} >/dev/null`];
    return [`answer=$(${request})`,
        ...wanted.map(([id, { index }]) => `${id}=$(printf %s "$answer" | jq -r '.added[${index}]')`)];
}

/** @param {Recording} recording */
export function playwrightTest({ origin, session, start, steps, withToken }) {
    const used = sources(steps);
    const headers = withToken ? ", headers: { Authorization: `Bearer ${process.env.NAVSTATE_TOKEN}` }" : "";
    return [
        'import { expect, test } from "@playwright/test";', "",
        `const url = process.env.NAVSTATE_URL ?? ${JSON.stringify(origin)};`, "",
        `test(${JSON.stringify(`the way through ${session}`)}, async ({ request }) => {`,
        `    const session = \`${session.replaceAll(/[`$\\]/g, "")}-test-\${Date.now()}\`;`,
        "    const send = async (method, path, data) => {",
        `        const response = await request.fetch(\`\${url}/v1/sessions/\${session}\${path}\`, { method, data${headers} });`,
        "        expect(response.ok()).toBe(true);", "        return response.json();", "    };",
        `    await send("PUT", "", ${JSON.stringify(stored(start))});`,
        ...steps.flatMap((step, number) => playwrightStep(step, number, used)),
        "});", "",
    ].join("\n");
}

/** @param {Step} step @param {number} number @param {Map<string, { step: number, index: number }>} used */
function playwrightStep(step, number, used) {
    if (notRepeated.has(step.command)) return [`    // ${step.command}: not repeated`];
    const isRestore = step.command === "restore";
    let body = JSON.stringify(isRestore ? stored(step.body) : step.body);
    for (const [id, source] of used) {
        body = body.replaceAll(JSON.stringify(id), `step${source.step + 1}.added[${source.index}]`);
    }
    const name = `step${number + 1}`;
    const lines = [`    const ${name} = await send("${isRestore ? "PUT" : "POST"}", "${isRestore ? "" : `/${step.command}`}", ${body});`];
    if (step.visible) {
        const answer = isRestore ? name : `${name}.session`;
        lines.push(`    expect(${answer}.visible).toMatchObject(${JSON.stringify({ route: step.visible.route, params: step.visible.params })});`);
    }
    return lines;
}

// The address of the playground holds the document and the commands, compressed:
//
//     /play#app=…&steps=…
//
// Whoever made a link may have made it to do harm: what is read from one is bounded.

/** A document may be as large on a server. */
const textMax = 1024 * 1024;
const stepsTextMax = 64 * 1024;
export const stepsMax = 200;
/** A longer link is cut by many programs. */
const linkMax = 16_000;

const { CompressionStream, DecompressionStream } = /** @type {any} */ (globalThis);

/** @typedef {{ command: string }} Step A command of the API with the members of its body. */

/** @param {string} text @returns {Promise<string>} */
async function packed(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @param {number} most The most bytes that it may hold. @returns {Promise<string>} */
async function unpacked(text, most) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let [found, size] = ["", 0];
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        size += value.length;
        if (size > most) {
            reader.cancel();
            throw new Error("it holds more than a document may have");
        }
        found += decoder.decode(value, { stream: true });
    }
    return found + decoder.decode();
}

/**
 * @param {string} text @param {Step[]} steps
 * @returns {Promise<string | null>} The fragment of a link to send; null if a link cannot hold as much.
 */
export async function linkTo(text, steps = []) {
    const fragment = await fragmentOf(text, steps);
    return fragment !== null && fragment.length > linkMax ? null : fragment;
}

/**
 * @param {string} text @param {Step[]} steps
 * @returns {Promise<string | null>} The fragment of a link that stays in the browser, of any length;
 *   null if it could not be read.
 */
export async function fragmentOf(text, steps = []) {
    const stepsText = JSON.stringify(steps);
    if (new Blob([text]).size > textMax || new Blob([stepsText]).size > stepsTextMax) return null;
    return `#app=${await packed(text)}${steps.length > 0 ? `&steps=${await packed(stepsText)}` : ""}`;
}

/**
 * @param {string} fragment
 * @returns {Promise<{ text: string, steps: Step[] | null } | null>} Null if it has no document, and for
 *   commands that cannot be read.
 */
export async function readLink(fragment) {
    const values = new URLSearchParams(fragment.slice(1));
    const [app, steps] = [values.get("app"), values.get("steps")];
    if (!app) return null;
    const text = await unpacked(app, textMax);
    return { text, steps: steps ? await unpacked(steps, stepsTextMax).then(stepsIn).catch(() => null) : [] };
}

/** @param {string} text @returns {Step[]} */
function stepsIn(text) {
    const found = JSON.parse(text);
    if (!Array.isArray(found) || !found.every((step) => typeof step?.command === "string")) throw new Error("its commands are no list of commands");
    return found.slice(0, stepsMax);
}

// Requests whose texts matter as they are: of an app for its editor, and of states that are sent
// or written again. navstate.js reads JSON as JavaScript does, which changes large integers.
import { readExactly } from "./exact.js";
import { NavstateError } from "../navstate.js";

/** @typedef {import("../navstate.js").NavstateClient} Client */

/**
 * Sends a request with an unchanged text, as the client does, and returns the text of the response.
 *
 * @param {Client} client @param {string} method @param {string} path
 * @param {{ body?: string, headers?: Record<string, string> }} content
 */
export async function send(client, method, path, { body, headers = {} } = {}) {
    const { token, onRequest, fetch } = /** @type {any} */ (client);
    const url = client.url + path;
    const own = body === undefined ? headers : { ...headers, "Content-Type": "application/json" };
    onRequest?.({ method, url, headers: own, body });
    const response = await fetch(url, {
        method, body, cache: "no-store",
        headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...own },
    });
    const text = await response.text();
    if (!response.ok) throw new NavstateError(problemOf(response, text), response.headers);
    return { text, etag: response.headers.get("etag") ?? "" };
}

/** @param {Response} response @param {string} text @returns {any} */
function problemOf({ status, statusText, headers }, text) {
    // A proxy may respond with a page of its own.
    const type = headers.get("content-type") ?? "";
    if (/^application\/problem\+json/i.test(type)) return JSON.parse(text);
    const detail = `The server returned status ${status}.`;
    return { status, title: statusText || "Request failed", detail };
}

/** @param {string} app */
export function appPath(app) {
    return `/v1/apps/${encodeURIComponent(app)}`;
}

/**
 * A session as it was at a revision, to be sent or written.
 *
 * @param {Client} client @param {string} id @param {number} revision
 */
export async function exactState(client, id, revision) {
    return readExactly((await send(client, "GET", sessionPath(id, `?revision=${revision}`))).text);
}

/**
 * The newest changes of a session, or those before a revision, to be sent or written.
 *
 * @param {Client} client @param {string} id @param {{ limit: number, before?: number }} page
 * @returns {Promise<any[]>}
 */
export async function exactHistory(client, id, { limit, before }) {
    const path = sessionPath(id, `/history?limit=${limit}`);
    const query = before === undefined ? "" : `&before=${before}`;
    return readExactly((await send(client, "GET", path + query)).text).history;
}

/** @param {string} id @param {string} rest */
function sessionPath(id, rest) {
    return `/v1/sessions/${encodeURIComponent(id)}${rest}`;
}

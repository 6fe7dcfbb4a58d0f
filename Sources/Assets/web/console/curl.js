// The curl line of a request, as it can be pasted into a shell.

/**
 * @param {{ method: string, url: string, body?: string }} request
 * @param {boolean} withToken The token itself stays out: lines are pasted into chats and tickets.
 */
export function curlLine({ method, url, body }, withToken) {
    const parts = ["curl"];
    const hasBody = body !== undefined && body !== "{}";
    if (!(method === "POST" && hasBody) && method !== "GET") parts.push("-X", method);
    if (withToken) parts.push("-H", '"Authorization: Bearer $NAVSTATE_TOKEN"');
    if (hasBody) parts.push("--json", quoted(body));
    parts.push(/^[\w:/.~%-]+$/.test(url) ? url : quoted(url));
    return parts.join(" ");
}

/**
 * For a POSIX shell.
 *
 * @param {string} text
 */
export function quoted(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

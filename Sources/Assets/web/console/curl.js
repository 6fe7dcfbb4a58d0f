// The curl line of a request, as it can be pasted into a shell.

/**
 * @param {{ method: string, url: string, body?: string }} request
 * @param {boolean} withToken The token itself stays out: lines are pasted into chats and tickets.
 * @param {string[]} options More words for curl, quoted where that is necessary.
 */
export function curlLine({ method, url, body }, withToken, options = []) {
    const parts = ["curl", ...options];
    const hasBody = body !== undefined && body !== "{}";
    if (!(method === "POST" && hasBody) && method !== "GET") parts.push("-X", method);
    if (withToken) parts.push("-H", '"Authorization: Bearer $NAVSTATE_TOKEN"');
    if (hasBody) parts.push("--json", word(body));
    parts.push(word(url));
    return parts.join(" ");
}

/**
 * A word of a POSIX shell, in quotation marks only if it needs them.
 *
 * @param {string} text
 */
function word(text) {
    return /^[\w:/.~%@-]+$/.test(text) ? text : quoted(text);
}

/**
 * For a POSIX shell.
 *
 * @param {string} text
 */
export function quoted(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

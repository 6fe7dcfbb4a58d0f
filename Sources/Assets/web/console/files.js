// The files that a page reads besides its modules: from the server, or from the page itself where it
// holds all that it needs.

/** @param {string} path @returns {string | undefined} The text of a file that the page holds. */
export function heldText(path) {
    return document.querySelector(`script[data-file="${path}"]`)?.textContent ?? undefined;
}

/** @param {string} path @returns {Promise<string>} */
export async function fileText(path) {
    const held = heldText(path);
    if (held !== undefined) return held;
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path} could not be read.`);
    return response.text();
}

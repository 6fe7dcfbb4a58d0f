// The last state of a display in this browser tab: a tab that the browser has put to sleep and
// loads again shows it at once.

/** @param {string} server @param {string} id */
function key(server, id) {
    return `display ${server} ${id}`;
}

/** @param {string} server @param {string} id @param {any} state */
export function remember(server, id, state) {
    try {
        sessionStorage.setItem(key(server, id), JSON.stringify(state));
    } catch {
        // There is no room, or the page has no storage: then nothing is shown until the server responds.
        forget(server, id);
    }
}

/** @param {string} server @param {string} id @returns {any} */
export function remembered(server, id) {
    try {
        return JSON.parse(sessionStorage.getItem(key(server, id)) ?? "null");
    } catch {
        return null;
    }
}

/** @param {string} server @param {string} id */
export function forget(server, id) {
    try {
        sessionStorage.removeItem(key(server, id));
    } catch {
        // The page has no storage.
    }
}

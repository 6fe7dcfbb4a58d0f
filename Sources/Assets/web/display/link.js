// What the address says, and what the display remembers of it.
//
//     /display#session=kiosk-1&token=…&view=1
//
// `session` names the session. A token is taken out of the address at once and kept for this tab
// and this session alone, so that it is neither in the history nor in a link that is copied later.
// With `view` nothing can be tapped. What was shown last is kept as well: a tab that the browser
// has put to sleep and loads again shows it at once.

/** @typedef {{ id: string | null, token: string | undefined, isView: boolean, as: string }} Link */

/** @returns {Link} */
export function readLink() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const id = fragment.get("session");
    const token = fragment.get("token");
    if (token !== null) {
        sessionStorage.setItem(tokenKey(id), token);
        fragment.delete("token");
        history.replaceState(null, "", `#${fragment}`);
    }
    return {
        id, token: sessionStorage.getItem(tokenKey(id)) ?? undefined, isView: fragment.has("view"),
        as: fragment.get("as") ?? "display",
    };
}

/** @param {string | null} id */
function tokenKey(id) {
    return `display-token ${id}`;
}

/** @param {string} id */
function stateKey(id) {
    return `display-state ${id}`;
}

/** @param {string} id @param {any} state */
export function remember(id, state) {
    try {
        sessionStorage.setItem(stateKey(id), JSON.stringify(state));
    } catch {
        // There is no room: then nothing is shown until the server responds.
        sessionStorage.removeItem(stateKey(id));
    }
}

/** @param {string} id @returns {any} */
export function remembered(id) {
    try {
        return JSON.parse(sessionStorage.getItem(stateKey(id)) ?? "null");
    } catch {
        return null;
    }
}

/** @param {string} id */
export function forget(id) {
    sessionStorage.removeItem(stateKey(id));
}

/**
 * Keeps the screen on as long as the page is visible, where the browser can. It can only on pages
 * from HTTPS or from this machine.
 */
export function stayAwake() {
    const { wakeLock } = /** @type {any} */ (navigator);
    const request = () => {
        if (!document.hidden) wakeLock?.request("screen").catch(() => {});
    };
    document.addEventListener("visibilitychange", request);
    request();
}

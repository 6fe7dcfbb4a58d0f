// The page /display: one session as a full screen, for phones, kiosks and links that somebody was
// given.
//
//     /display#session=kiosk-1&token=…&view=1
//
// `session` names the session. A token is taken out of the address at once and kept for this tab
// and this session alone, so that it is neither in the history nor in a link that is copied later.
// With `view` nothing can be tapped.
import { NavstateDisplay } from "../navstate-display.js";

const display = new NavstateDisplay();

addEventListener("hashchange", () => location.reload());
display.addEventListener("show", (/** @type {any} */ { detail }) => (document.title = detail.title || "Display"));
stayAwake();
for (const [name, value] of Object.entries(readLink())) {
    if (value !== undefined) display.setAttribute(name, value);
}
document.querySelector("main")?.append(display);

function readLink() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const id = fragment.get("session");
    const token = fragment.get("token");
    const key = `display-token ${id}`;
    if (token !== null) {
        sessionStorage.setItem(key, token);
        fragment.delete("token");
        history.replaceState(null, "", `#${fragment}`);
    }
    return {
        token: sessionStorage.getItem(key) ?? undefined, as: fragment.get("as") ?? undefined,
        view: fragment.has("view") ? "" : undefined, session: id ?? undefined,
    };
}

/**
 * Keeps the screen on as long as the page is visible, where the browser can. It can only on pages
 * from HTTPS or from this machine.
 */
function stayAwake() {
    const { wakeLock } = /** @type {any} */ (navigator);
    const request = () => {
        if (!document.hidden) wakeLock?.request("screen").catch(() => {});
    };
    document.addEventListener("visibilitychange", request);
    request();
}

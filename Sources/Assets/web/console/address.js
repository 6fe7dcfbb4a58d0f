// The address names the page: `#session=kiosk-1`, `#wall=lobby` or `#apps=shop`. A shared one may
// hold a token, which is taken out of it at once and kept for this browser tab alone.

/** @typedef {import("./model.js").Model} Model */
/** @typedef {"sessions" | "wall" | "apps"} Page */

export function fragment() {
    return new URLSearchParams(location.hash.slice(1));
}

/** @returns {Page} */
export function pageOf(/** @type {URLSearchParams} */ values) {
    return values.has("wall") ? "wall" : values.has("apps") ? "apps" : "sessions";
}

/**
 * Takes the token out of the address. Answers whether the console is for a single session.
 *
 * @param {Model} model
 */
export function readAddress(model) {
    const values = fragment();
    const token = values.get("token");
    if (token) {
        sessionStorage.setItem("token", token);
        sessionStorage.setItem("single", values.get("session") ?? "");
        values.delete("token");
        history.replaceState(null, "", `#${values}`);
    }
    model.connect(sessionStorage.getItem("token") ?? undefined);
    model.mayControl = !values.has("view");
    const single = sessionStorage.getItem("single");
    // A token for one session reads no apps.
    model.mayReadApps = !(single && single === values.get("session"));
    return values.has("view") || Boolean(single && single === values.get("session"));
}

// The address names the page, the open session, and what the list is filtered by:
// `#session=kiosk-1&q=lobby&app=shop&label=room:hall&sort=-id`, `#wall=lobby` or `#apps=shop`. A shared
// one may hold a token, which is taken out of it at once and kept for this browser tab alone.

/** @typedef {import("./model.js").Model} Model */
/** @typedef {"sessions" | "wall" | "apps"} Page */
/** @typedef {{ text: string, app: string, labels: string[], sort: string }} Filters */

export function fragment() {
    return new URLSearchParams(location.hash.slice(1));
}

/** @returns {Page} */
export function pageOf(/** @type {URLSearchParams} */ values) {
    return values.has("wall") ? "wall" : values.has("apps") ? "apps" : "sessions";
}

/** @returns {Filters} */
export function filtersOf(values = fragment()) {
    return {
        text: values.get("q") ?? values.get("wall") ?? "", app: values.get("app") ?? "",
        labels: values.getAll("label"), sort: values.get("sort") ?? "changed",
    };
}

/**
 * The address of a page, with filters.
 *
 * @param {{ session?: string, wall?: string }} target @param {Filters} filters
 */
export function address(target, { text, app, labels, sort } = filtersOf()) {
    const values = new URLSearchParams(target.session ? { session: target.session } : {});
    if (target.wall !== undefined) values.set("wall", text);
    else if (text) values.set("q", text);
    if (app) values.set("app", app);
    for (const label of labels) values.append("label", label);
    if (sort !== "changed") values.set("sort", sort);
    return `#${values}`;
}

/**
 * Changes some of the filters in the address. The page is not told of it.
 *
 * @param {Partial<Filters>} changes
 */
export function setFilters(changes) {
    const values = fragment();
    const filters = { ...filtersOf(values), ...changes };
    const target = { session: values.get("session") ?? undefined, wall: values.has("wall") ? "" : undefined };
    history.replaceState(null, "", address(target, filters));
    return filters;
}

/** The token: for this browser tab, or remembered on this computer. */
export function keptToken() {
    return sessionStorage.getItem("token") ?? localStorage.getItem("token") ?? undefined;
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
    }
    // An empty one, too: an address with a token is one that has not been read yet.
    if (values.has("token")) {
        values.delete("token");
        history.replaceState(null, "", `#${values}`);
    }
    model.connect(keptToken());
    model.mayControl = !values.has("view");
    const single = sessionStorage.getItem("single");
    // A token for one session reads no apps.
    model.mayReadApps = !(single && single === values.get("session"));
    return values.has("view") || Boolean(single && single === values.get("session"));
}

// Notes on the screens of an app's graph: the guards that hold them back, the links that lead to them,
// and the results that their sheets bring.

/** @typedef {{ kind: "guard" | "link" | "result", text: string }} Note */

const linksMax = 2;

/**
 * @param {any} app @param {string} key Of a node, such as `tab home` or `route login`.
 * @returns {Note[]}
 */
export function notesOn(app, key) {
    const [kind, name] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
    const tab = kind === "tab" ? app.tabs.find((/** @type {any} */ item) => item.id === name) : undefined;
    const route = app.routes?.[tab ? tab.root?.route ?? tab.root ?? tab.id : name];
    const guards = [tab?.guard ?? route?.guard ?? []].flat();
    const links = (app.links ?? []).filter((/** @type {any} */ link) => goalOf(app, link).includes(key));
    const shown = links.slice(0, linksMax).map((/** @type {any} */ { pattern }) => ({ kind: "link", text: pattern }));
    const rest = links.length - shown.length;
    return [...guards.map((guard) => ({ kind: "guard", text: guardText(app, guard) })), ...shown,
        ...(rest > 0 ? [{ kind: "link", text: `${rest} more` }] : []),
        ...(!tab && route?.result !== undefined ? [{ kind: "result", text: resultText(route.result) }] : [])];
}

/** @param {any} app @param {any} link @returns {string[]} The nodes of the screens that it leads to. */
function goalOf(app, link) {
    if (link.redirect !== undefined) return [];
    const last = link.present?.path?.at(-1) ?? link.present ?? link.path?.at(-1);
    if (last) return [`route ${last.route ?? last}`];
    return [link.tabs ?? link.tab ?? app.tabs[0].id].flat().map((/** @type {string} */ tab) => `tab ${tab}`);
}

/** @param {any} app @param {string} name */
function guardText(app, name) {
    const { instead } = app.guards?.[name] ?? {};
    const goal = instead?.route ?? instead?.tab ?? instead?.url;
    return goal ? `${name}, else ${goal}` : name;
}

/** @param {any} schema */
function resultText({ type, enum: some, properties }) {
    const words = some ? some.map((/** @type {any} */ value) => JSON.stringify(value)).join(" | ")
        : properties ? `{${Object.keys(properties).join(", ")}}` : [type ?? "any"].flat().join(" | ");
    return `result ${words}`;
}

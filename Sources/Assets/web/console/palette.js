// Ctrl K: finds a session, an app or an action by a few letters (WAI-ARIA Authoring Practices:
// a combobox with a list).
import { h, replace } from "./dom.js";
import { matches } from "./directory.js";
import { paramsText } from "./words.js";

/** @typedef {import("./directory.js").Directory} Directory */
/** @typedef {{ title: string, detail: string, run: () => void }} Item */

const itemsMax = 12;

/** @param {Directory} directory @param {(id: string) => void} choose @param {Item[]} actions */
export function openPalette(directory, choose, actions) {
    if (document.querySelector("dialog[open]")) return;
    const list = h("ul", { role: "listbox", id: "palette-list", "aria-label": "Found" });
    const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
        "aria-autocomplete": "list", "aria-label": "Find a session, an app or an action", autocomplete: "off", spellcheck: "false",
        placeholder: "Find a session, an app or an action …" });
    const dialog = h("dialog", { class: "palette", "aria-label": "Find" }, input, list);
    const opener = document.activeElement;
    /** @type {Item[]} */
    let items = [];
    let at = 0;
    const run = (/** @type {number} */ index) => {
        dialog.close();
        items[index]?.run();
    };
    const draw = () => {
        replace(list, ...items.map((item, index) => h("li", { role: "option", id: `palette-${index}`,
            "aria-selected": String(index === at), onclick: () => run(index) },
        h("span", { text: item.title }), h("span", { class: "dim", text: item.detail }))),
        items.length === 0 ? h("li", { class: "dim none", role: "option", "aria-selected": "false", "aria-disabled": "true", text: "Nothing found" }) : null);
        if (items.length > 0) input.setAttribute("aria-activedescendant", `palette-${at}`);
        else input.removeAttribute("aria-activedescendant");
        list.children[at]?.scrollIntoView({ block: "nearest" });
    };
    const find = () => {
        at = 0;
        items = found(directory, choose, actions, input.value);
        draw();
    };
    input.addEventListener("input", find);
    input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter") run(at);
        else if (event.key === "ArrowDown") at = Math.min(at + 1, items.length - 1);
        else if (event.key === "ArrowUp") at = Math.max(at - 1, 0);
        else return;
        event.preventDefault();
        draw();
    });
    dialog.addEventListener("close", () => {
        dialog.remove();
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    });
    dialog.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
    find();
}

/**
 * @param {Directory} directory @param {(id: string) => void} choose @param {Item[]} actions
 * @param {string} text
 * @returns {Item[]}
 */
function found(directory, choose, actions, text) {
    const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (/** @type {string} */ title) => terms.every((term) => title.toLowerCase().includes(term));
    const sessions = directory.sessions.filter((item) => matches(item, terms))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0)).slice(0, itemsMax)
        .map((item) => ({ title: item.id, run: () => choose(item.id),
            detail: [item.app ?? "free-form", "·", item.visible.route, paramsText(item.visible.params)].join(" ") }));
    const apps = directory.apps.map((app) => ({ title: app.title ?? app.id, detail: "App",
        run: () => (location.hash = `#${new URLSearchParams({ apps: app.id })}`) }));
    const rest = [...actions, ...apps].filter((item) => fits(`${item.title} ${item.detail}`));
    // Without a word the actions are in reach below some sessions.
    return [...(terms.length === 0 ? sessions.slice(0, itemsMax / 2) : sessions), ...rest].slice(0, 2 * itemsMax);
}

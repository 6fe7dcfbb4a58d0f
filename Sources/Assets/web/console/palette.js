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
    new Palette((text) => found(directory, choose, actions, text)).open();
}

class Palette {
    /** @param {(text: string) => Item[]} find */
    constructor(find) {
        this.find = find;
        /** @type {Item[]} */
        this.items = [];
        this.at = 0;
        this.list = h("ul", { role: "listbox", id: "palette-list", "aria-label": "Found" });
        this.input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
            "aria-autocomplete": "list", "aria-label": "Find a session, an app or an action", autocomplete: "off", spellcheck: "false",
            placeholder: "Find a session, an app or an action …", oninput: () => this.typed(),
            onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event) });
        this.dialog = h("dialog", { class: "palette", "aria-label": "Find" }, this.input, this.list);
    }

    open() {
        const opener = document.activeElement;
        this.dialog.addEventListener("close", () => {
            this.dialog.remove();
            if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
        });
        this.dialog.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => event.target === this.dialog && this.dialog.close());
        document.body.append(this.dialog);
        this.dialog.showModal();
        this.typed();
    }

    typed() {
        this.at = 0;
        this.items = this.find(this.input.value);
        this.draw();
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        if (event.key === "Enter") this.run(this.at);
        else if (event.key === "ArrowDown") this.at = Math.min(this.at + 1, this.items.length - 1);
        else if (event.key === "ArrowUp") this.at = Math.max(this.at - 1, 0);
        else return;
        event.preventDefault();
        this.draw();
    }

    /** @param {number} index */
    run(index) {
        this.dialog.close();
        this.items[index]?.run();
    }

    draw() {
        const { items, at, list } = this;
        replace(list, ...items.map((item, index) => h("li", { role: "option", id: `palette-${index}`,
            "aria-selected": String(index === at), onclick: () => this.run(index) },
        h("span", { text: item.title }), h("span", { class: "dim", text: item.detail }))),
        items.length === 0 ? h("li", { class: "dim none", role: "option", "aria-selected": "false", "aria-disabled": "true", text: "Nothing found" }) : null);
        if (items.length > 0) this.input.setAttribute("aria-activedescendant", `palette-${at}`);
        else this.input.removeAttribute("aria-activedescendant");
        list.children[at]?.scrollIntoView({ block: "nearest" });
    }
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

// Ctrl K: every action of what is open, sessions and apps by a few letters (WAI-ARIA Authoring
// Practices: a combobox with a list). The actions are the controls that are on the page now, so none
// is missing here and none is offered that is switched off there.
import { h, replace } from "./dom.js";
import { showArea } from "./areas.js";
import { matches } from "./directory.js";
import { keysOf } from "./keys.js";
import { paramsText } from "./words.js";

/** @typedef {import("./directory.js").Directory} Directory */
/** @typedef {{ group: string, title: string, detail?: string, keys?: string, run: () => void }} Item */

const sessionsMax = 12;
const itemsMax = 60;
/** Where actions are, those on what is open first. */
const places = ["#stage", "#details", ".app-body", ".many-bar:not(.idle)", ".pane-head", ".links"];
/** Controls that repeat for each row of a list, and those of the phones on the wall. */
const repeated = /^(event|copy-(?!script)|code|page|sort|select|label|filter)/;

/** @param {Directory} directory @param {(id: string) => void} choose */
export function openPalette(directory, choose) {
    if (document.querySelector("dialog[open]")) return;
    // As they are before the dialog is there.
    const actions = shownActions();
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
        const rows = items.map((item, index) => h("li", { role: "option", id: `palette-${index}`,
            "aria-selected": String(index === at), "data-group": items[index - 1]?.group === item.group ? undefined : item.group,
            onclick: () => this.run(index) },
        h("span", { text: item.title, title: item.title }), item.detail ? h("span", { class: "dim", text: item.detail }) : null,
        item.keys ? h("span", { class: "palette-keys" }, ...item.keys.split(" ").map((key) => h("kbd", { text: key }))) : null));
        replace(list, ...rows, items.length === 0 ? h("li", { class: "dim none", role: "option", "aria-selected": "false", "aria-disabled": "true", text: "Nothing found" }) : null);
        if (items.length > 0) this.input.setAttribute("aria-activedescendant", `palette-${at}`);
        else this.input.removeAttribute("aria-activedescendant");
        list.children[at]?.scrollIntoView({ block: "nearest" });
    }
}

/** @returns {Item[]} */
function shownActions() {
    const known = new Set();
    const items = [];
    const controls = places.flatMap((place) => [...document.querySelectorAll(`${place} :is(button, [role=switch])`)]);
    for (const control of /** @type {HTMLElement[]} */ (controls)) {
        const { key = "" } = control.dataset;
        // A panel's tab counts also where another area is shown.
        const isThere = control.getAttribute("role") === "tab" ? !control.hidden : isVisible(control);
        if (!isThere || control.matches(":disabled") || control.closest("[inert]") || repeated.test(key) || control.id === "find") continue;
        const title = titleOf(control);
        if (!title || known.has(title)) continue;
        known.add(title);
        items.push({ group: "Actions", title, keys: keysOf(key || control.id), run: () => press(control, key) });
    }
    return items;
}

/** @param {Element} control */
function isVisible(control) {
    return control.getClientRects().length > 0;
}

/** @param {HTMLElement} control */
function titleOf(control) {
    const [label] = /** @type {any} */ (control).labels ?? [];
    return control.getAttribute("aria-label") ?? (label?.textContent || control.textContent)?.trim() ?? "";
}

/**
 * It may have been drawn again meanwhile.
 *
 * @param {HTMLElement} control @param {string} key
 */
function press(control, key) {
    const now = control.isConnected || !key ? control : document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    const area = now?.closest("#stage, #details")?.id;
    if (area) showArea(area);
    if (!(now instanceof HTMLElement)) return;
    now.focus();
    now.click();
}

/**
 * @param {Directory} directory @param {(id: string) => void} choose @param {Item[]} actions
 * @param {string} text
 * @returns {Item[]}
 */
function found(directory, choose, actions, text) {
    const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (/** @type {Item} */ item) => terms.every((term) => `${item.title} ${item.detail ?? ""}`.toLowerCase().includes(term));
    const go = (/** @type {string} */ hash) => () => (location.hash = hash);
    const sessions = directory.sessions.filter((item) => matches(item, terms))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0)).slice(0, sessionsMax)
        .map((item) => ({ group: "Sessions", title: item.id, run: () => choose(item.id),
            detail: [item.app ?? "free-form", "·", item.visible.route, paramsText(item.visible.params)].join(" ") }));
    const apps = directory.apps.map((app) => ({ group: "Apps", title: app.title ?? app.id, detail: "App",
        run: go(`#${new URLSearchParams({ apps: app.id })}`) }));
    const pages = [{ title: "Sessions", hash: "#" }, { title: "Wall", hash: "#wall=" }, { title: "Apps", hash: "#apps=" }]
        .map(({ title, hash }) => ({ group: "Pages", title, detail: "Page", run: go(hash) }));
    return [...actions.filter(fits), ...sessions, ...apps.filter(fits), ...pages.filter(fits)].slice(0, itemsMax);
}

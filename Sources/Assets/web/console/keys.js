// The console's keys. In a field, a dialog or a control that uses the arrows, keys mean what they
// mean there.
import { h, openDialog } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
export const command = isMac ? "⌘" : "Ctrl";

/**
 * The keys with their words, and the control that does the same, by its `data-key` or its id.
 *
 * @type {[string, string, string?][]}
 */
const table = [
    [`${command} K`, "Find a session, an app or an action", "find"], ["/", "Search sessions"],
    ["J", "Next session"], ["K", "Previous session"], ["N", "New session", "new-session"],
    [`${command} Z`, "Undo", "tool-undo"], [`${command} Shift Z`, "Redo", "tool-redo"],
    ["Backspace", "Back, as on the phone", "back"], ["←", "Earlier revision", "past-earlier"], ["→", "Later revision", "past-later"],
    ["Escape", "Back to now", "past-now"], ["Space", "Play or pause the history, on its button"],
    ["?", "The list of keys", "keys"],
];

/** @param {string} control */
export function keysOf(control) {
    return table.find(([, , name]) => name === control)?.[0];
}

export function showKeys() {
    openDialog("Keyboard", h("dl", { class: "key-list" }, ...table.flatMap(([keys, words]) => [
        h("dt", {}, ...keys.split(" ").map((key) => h("kbd", { text: key }))), h("dd", { text: words }),
    ])));
}

/**
 * @param {Model} model @param {{ find: () => void, step: (by: number) => void }} actions
 */
export function listenForKeys(model, { find, step }) {
    addEventListener("keydown", (event) => {
        const isCommand = isMac ? event.metaKey : event.ctrlKey;
        if (isCommand && event.key.toLowerCase() === "k") {
            event.preventDefault();
            return find();
        }
        const target = /** @type {HTMLElement} */ (event.target);
        if (document.querySelector("dialog[open]") || event.altKey || types(target)) return;
        if (anywhere(event, isCommand, step)) return event.preventDefault();
        if (!model.session || usesArrows(target)) return;
        if (act(model, event, isCommand)) event.preventDefault();
    });
}

/** @param {HTMLElement} target */
function types(target) {
    return Boolean(target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]"));
}

/** @param {HTMLElement} target */
function usesArrows(target) {
    return Boolean(target.closest("input, [role=tablist], [role=textbox], summary, [tabindex='0']"));
}

/** @param {KeyboardEvent} event @param {boolean} isCommand @param {(by: number) => void} step */
function anywhere(event, isCommand, step) {
    if (isCommand || event.ctrlKey || event.metaKey) return false;
    const key = event.key.toLowerCase();
    if (key === "?") showKeys();
    else if (key === "/") shownControl("input[type=search]")?.focus();
    else if (key === "n") shownControl("#new-session")?.click();
    else if (key === "j") step(1);
    else if (key === "k") step(-1);
    else return false;
    return true;
}

/** @param {string} selector @returns {HTMLElement | undefined} */
function shownControl(selector) {
    return /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`main ${selector}`)]).find((control) => control.getClientRects().length > 0);
}

/** @param {Model} model @param {KeyboardEvent} event @param {boolean} isCommand */
function act(model, event, isCommand) {
    const { history, session, isStill } = model;
    const key = event.key.toLowerCase();
    if (isCommand && (key === "z" || key === "y")) {
        const name = key === "y" || event.shiftKey ? "redo" : "undo";
        if (!isStill && model.may(name) && (name === "undo" ? session.canUndo : session.canRedo)) model.run(name);
        return true;
    }
    if (isCommand || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const revision = model.shown.revision;
    if (key === "backspace") {
        if (!isStill && model.may("back") && session.canGoBack) model.run("back");
    } else if (key === "arrowleft") {
        if (revision > history.oldest) history.lookAt(revision - 1);
    } else if (key === "arrowright") {
        if (model.past) history.lookAt(revision + 1);
    } else if (key === "escape" && model.past) history.now();
    else return false;
    return true;
}

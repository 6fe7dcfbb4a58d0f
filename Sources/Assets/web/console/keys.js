// The console's keys. In a field, a dialog or a control that uses the arrows, keys mean what they
// mean there.
import { h, openDialog } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
export const command = isMac ? "⌘" : "Ctrl";

/** @type {[string, string][]} */
const help = [
    [`${command} K`, "Find a session, an app or an action"], [`${command} Z`, "Undo"],
    [`${command} Shift Z`, "Redo"], ["Backspace", "Back, as on the phone"],
    ["← →", "Earlier and later revisions"], ["Space", "Play or pause the history, on its button"], ["Escape", "Back to now"],
];

export function showKeys() {
    openDialog("Keyboard", h("dl", { class: "key-list" }, ...help.flatMap(([keys, words]) => [
        h("dt", {}, ...keys.split(" ").map((key) => h("kbd", { text: key }))), h("dd", { text: words }),
    ])));
}

/** @param {Model} model @param {{ find: () => void }} actions */
export function listenForKeys(model, { find }) {
    addEventListener("keydown", (event) => {
        const isCommand = isMac ? event.metaKey : event.ctrlKey;
        if (isCommand && event.key.toLowerCase() === "k") {
            event.preventDefault();
            return find();
        }
        const target = /** @type {HTMLElement} */ (event.target);
        if (!model.session || document.querySelector("dialog[open]") || usesKeys(target) || event.altKey) return;
        if (act(model, event, isCommand)) event.preventDefault();
    });
}

/** @param {HTMLElement} target */
function usesKeys(target) {
    return Boolean(target.closest("input, textarea, select, [contenteditable], [role=tablist], [role=textbox], summary, [tabindex='0']"));
}

/** @param {Model} model @param {KeyboardEvent} event @param {boolean} isCommand */
function act(model, event, isCommand) {
    const { history, session, isStill } = model;
    const key = event.key.toLowerCase();
    if (isCommand && (key === "z" || key === "y")) {
        const name = key === "y" || event.shiftKey ? "redo" : "undo";
        if (!isStill && (name === "undo" ? session.canUndo : session.canRedo)) model.run(name);
        return true;
    }
    if (isCommand || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const revision = model.shown.revision;
    if (key === "backspace") {
        if (!isStill && session.canGoBack) model.run("back");
    } else if (key === "arrowleft") {
        if (revision > history.oldest) history.lookAt(revision - 1);
    } else if (key === "arrowright") {
        if (model.past) history.lookAt(revision + 1);
    } else if (key === "escape" && model.past) history.now();
    else return false;
    return true;
}

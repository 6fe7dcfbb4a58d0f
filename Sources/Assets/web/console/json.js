// The state as JSON.
import { copyButton, h, replace } from "./dom.js";
import { mayDiffer } from "./exact.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model @param {HTMLElement} panel */
export function showJSON(model, panel) {
    const draw = async () => {
        if (!model.isReady) return replace(panel);
        if (panel.hidden) return;
        const { shown } = model;
        if (!mayDiffer(shown)) return show(shown.revision, shown);
        try {
            const exact = await model.exactState(shown.revision);
            if (model.shown === shown) show(shown.revision, exact);
        } catch (error) {
            if (model.shown !== shown) return;
            replace(panel, h("p", { class: "form-error", text: /** @type {Error} */ (error).message }));
        }
    };
    const show = (/** @type {number} */ revision, /** @type {any} */ state) => {
        const text = JSON.stringify(state, null, 2);
        replace(panel,
            h("div", { class: "panel-bar" }, h("span", { class: "dim", text: `Revision ${revision}` }),
                copyButton("JSON", () => text)),
            h(
                "pre",
                { class: "json", tabindex: "0", "aria-label": "State as JSON", role: "region" },
                ...highlighted(text),
            ));
    };
    for (const name of ["session", "closed"]) model.on(name, draw);
    panel.addEventListener("show", draw);
}

/** Longer text is not colored, because that would be slow. */
const coloredMax = 100_000;

/**
 * JSON with its members and values colored.
 *
 * @param {string} text
 */
export function highlighted(text) {
    if (text.length > coloredMax) return [text];
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g)) {
        parts.push(text.slice(at, match.index));
        const kind = match[2] ? "key" : match[1] ? "string" : "atom";
        parts.push(h("span", { class: `json-${kind}`, text: match[1] ?? match[0] }), match[2] ?? "");
        at = (match.index ?? 0) + match[0].length;
    }
    return [...parts, text.slice(at)];
}

// Editing in place: labels, badges, params. The form stays the same element while the
// rest is drawn again around it, so a change by another client does not take away what is typed.
import { h } from "./dom.js";

/** @typedef {import("./view.js").SessionView} View */

/** @type {{ key: string, element: HTMLElement } | null} The one form that is open. */
let open = null;

/**
 * The open form, if it is the one for `key`.
 *
 * @param {string} key
 */
export function editor(key) {
    return open?.key === key ? open.element : null;
}

/**
 * Opens a form in the place that draws `editor(key)`.
 *
 * @param {View} view
 * @param {string} key
 * @param {{ label: string, body: Node[], save: () => Promise<any>, saveText?: string }} form `save`
 *   throws what is to be shown.
 */
export function edit(view, key, { label, body, save, saveText = "Save" }) {
    const error = h("p", { class: "form-error", role: "alert" });
    const close = () => {
        open = null;
        redraw(view);
    };
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        try {
            await save();
            close();
        } catch (thrown) {
            error.textContent = /** @type {Error} */ (thrown).message;
        }
    };
    const element = h("form", { class: "editor", "aria-label": label, onsubmit: submit,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            close();
        } },
    ...body, error, h("div", { class: "editor-foot" },
        h("button", { type: "button", class: "small", text: "Cancel", data: { key: `${key}-cancel` }, onclick: close }),
        h("button", { type: "submit", class: "small primary", text: saveText, data: { key: `${key}-save` } })));
    // The focus is found again by these keys, also in fields that are added later.
    let count = 0;
    element.addEventListener("focusin", (/** @type {FocusEvent} */ { target }) => {
        if (target instanceof HTMLElement) target.dataset.key ??= `${key}-field-${count++}`;
    });
    open = { key, element };
    redraw(view);
    element.querySelector("input, select, textarea")?.focus();
}

// At once: what is typed next must not go astray.
/** @param {View} view */
function redraw(view) {
    view.tell(["session"]);
}

export function closeEditor() {
    open = null;
}

/**
 * A small button with a word, for opening a form.
 *
 * @param {string} text @param {string} label @param {string} key @param {() => void} act
 */
export function editButton(text, label, key, act) {
    return h("button", { type: "button", class: "edit-button", text, "aria-label": label, data: { key }, onclick: act });
}

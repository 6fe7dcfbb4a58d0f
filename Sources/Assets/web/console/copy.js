// The dialog that creates a session with the current state of this one, or with an older one.
import { h, notify, notifyError, openDialog } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model @param {(id: string) => void} choose */
export function askToCopy(model, choose) {
    const { id, revision } = model.shown;
    const isPast = Boolean(model.past);
    const error = h("p", { class: "form-error", role: "alert" });
    const input = h("input", { type: "text", id: "copy-id", autocomplete: "off", spellcheck: "false",
        placeholder: "leave empty for a random id" });
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const name = input.value.trim();
        try {
            const copy = await model.client.create({
                copyOf: id, ...(isPast ? { revision } : {}), ...(name ? { id: name } : {}),
            });
            dialog.close();
            notify(`Session ${copy.id} created.`);
            choose(copy.id);
        } catch (thrown) {
            if (!(/** @type {any} */ (thrown).problem)) return notifyError(thrown);
            error.textContent = /** @type {any} */ (thrown).message;
        }
    };
    const dialog = openDialog(isPast ? `Copy ${id} at revision ${revision}` : `Copy ${id}`,
        h("form", { class: "dialog-form", onsubmit: submit },
            h("p", { class: "dim", text: "The copy begins with the same tabs, sheets and facts. Its history, labels and links are its own." }),
            h("div", { class: "field" }, h("label", { for: "copy-id", text: "Id" }), input), error,
            h("footer", { class: "dialog-foot" },
                h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }),
                h("button", { type: "submit", class: "primary", text: "Copy" }))));
    input.focus();
}

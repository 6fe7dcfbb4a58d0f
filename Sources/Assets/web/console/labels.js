// A session's labels, which are edited in place.
import { h } from "./dom.js";
import { edit, editButton, editor } from "./editing.js";
import { chips } from "./table.js";

/** @typedef {import("./model.js").Model} Model */

const key = "labels";

/** @param {Model} model */
export function labels(model) {
    const form = editor(key);
    if (form && !model.isStill) return form;
    const items = Object.entries(model.session.labels ?? {});
    // A token that is limited to commands changes no labels.
    const mayEdit = !model.isStill && !model.allowed?.commands;
    if (items.length === 0 && !mayEdit) return null;
    const list = items.length === 0 ? null : chips(model.session, model.session.id);
    const button = mayEdit ? editButton(items.length > 0 ? "Edit" : "Add labels", "Edit labels", "edit-labels",
        () => startEditing(model)) : null;
    return h("div", { class: "label-line" }, list, button);
}

/** @param {Model} model */
function startEditing(model) {
    const { id } = model.session;
    const before = Object.entries(model.session.labels ?? {});
    const rows = h("div", { class: "label-rows" });
    const add = (name = "", value = "") => {
        const row = h("div", { class: "label-row" },
            h("input", { type: "text", value: name, placeholder: "Name", "aria-label": "Label name", autocomplete: "off" }),
            h("input", { type: "text", value, placeholder: "Value", "aria-label": "Label value", autocomplete: "off" }),
            h("button", { type: "button", class: "icon-button", "aria-label": "Remove label", text: "✕", onclick: () => row.remove() }));
        rows.append(row);
        return row;
    };
    for (const [name, value] of before) add(name, value);
    if (before.length === 0) add();
    const more = h("button", { type: "button", class: "small", text: "Add a label", onclick: () => add().querySelector("input")?.focus() });
    const save = async () => {
        const after = new Map([...rows.children].map((row) => {
            const [name, value] = row.querySelectorAll("input");
            return [name.value.trim(), value.value];
        }));
        after.delete("");
        const gone = before.filter(([name]) => !after.has(name)).map(([name]) => [name, null]);
        if (JSON.stringify(before) === JSON.stringify([...after])) return;
        const patched = await model.client.patch(id, { labels: Object.fromEntries([...gone, ...after]) });
        model.take(patched);
    };
    edit(model, key, { label: "Labels", body: [rows, more], save });
}

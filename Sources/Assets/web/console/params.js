// The params of an entry, as a list and, edited in place, as a form made from its route's schema.
import { h } from "./dom.js";
import { edit, editButton, editor } from "./editing.js";
import { mayDiffer } from "./exact.js";
import { freeForm, refusal, schemaForm } from "./form.js";

/** @typedef {import("./view.js").SessionView} View */

/** @param {string} title @param {...(Node | null)} body */
export function group(title, ...body) {
    return h(
        "section", { class: "group", "aria-label": title },
        h("p", { class: "group-title", text: title }), ...body,
    );
}

/** @param {View} view @param {any} entry @param {boolean} isOnTop */
export function paramsGroup(view, entry, isOnTop) {
    const form = isOnTop && !view.isStill ? editor(`params-${entry.id}`) : null;
    if (form) return group("Params", form);
    const isEmpty = Object.keys(entry.params).length === 0;
    // Without an app, or without access to it, any params may be given.
    const mayHave = schemaOf(view, entry) !== undefined || !view.session.app;
    const mayEdit = isOnTop && !view.isStill && view.allowed && view.may("setParams") && (mayHave || !isEmpty);
    if (isEmpty && !mayEdit) return null;
    return group("Params", isEmpty ? null : paramsList(entry.params),
        mayEdit ? editButton(isEmpty ? "Add params" : "Edit", "Edit params", `edit-params-${entry.id}`,
            () => startEditing(view, entry)) : null);
}

/**
 * The schema of the params of an entry. That of a root is known without the app.
 *
 * @param {View} view @param {any} entry
 */
function schemaOf(view, entry) {
    return view.route(entry.route)?.params
        ?? view.allowed?.tabs?.find((/** @type {any} */ tab) => tab.id === entry.id)?.params;
}

/** @param {View} view @param {any} entry */
function startEditing(view, entry) {
    const schema = schemaOf(view, entry);
    const form = schema?.properties ? schemaForm(schema, view.app?.$defs ?? {}, entry.params) : freeForm(entry.params);
    // Members that the schema allows without naming them have no field.
    const extra = schema?.properties ? Object.fromEntries(Object.entries(entry.params)
        .filter(([name]) => !Object.hasOwn(schema.properties, name))) : {};
    const save = async () => {
        if (mayDiffer(entry.params)) throw new Error("The form would change a large integer. Use the command setParams.");
        try {
            await view.attempt("setParams", { entry: entry.id, params: { ...extra, ...form.read() }, mode: "replace" });
        } catch (error) {
            throw new Error(refusal(form, error));
        }
    };
    edit(view, `params-${entry.id}`, { label: "Params", body: [form.element], save });
}

/** @param {Record<string, any>} params @returns {HTMLElement} */
export function paramsList(params) {
    const rows = Object.entries(params).flatMap(([name, value]) => {
        const isNested = value !== null && typeof value === "object" && Object.keys(value).length > 0;
        return [
            h("dt", { text: name }),
            h("dd", {}, isNested
                ? paramsList(value)
                : h("span", { class: `value ${value === null ? "null" : typeof value}`,
                    text: typeof value === "string" ? value : JSON.stringify(value) })),
        ];
    });
    return h("dl", { class: "params" }, ...rows);
}

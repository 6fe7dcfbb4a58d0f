// The dialogs for "push", "present" and "any command": a form, the further members of the command,
// and the refusal, if there is one.
import { h, openDialog } from "./dom.js";
import { freeForm, refusal, schemaForm } from "./form.js";
import { isLock } from "./lock.js";

/** @typedef {import("./view.js").SessionView} Model */

const dialogStyles = new Set(["alert", "confirmationDialog"]);
const styles = ["sheet", "fullScreenCover", "popover", "inspector", "alert", "confirmationDialog"];
const modes = ["push", "single", "popTo", "toFront", "replace", "reset"];

/** @param {any} schema */
function takesParams(schema) {
    return Boolean(
        schema && (Object.keys(schema.properties ?? {}).length > 0 || !isClosed(schema)),
    );
}

/** @param {any} schema */
function isClosed(schema) {
    return schema === false || schema.additionalProperties === false;
}

/**
 * Pushes a route that is allowed here, asking for its params if it has some.
 *
 * @param {Model} model
 * @param {any} item
 */
export function askAndNavigate(model, item) {
    if (!takesParams(item.params)) return model.run("navigate", { route: item.route });
    const mode = model.route(item.route)?.mode ?? "push";
    const select = choice("Mode", modes, mode);
    ask(model, `Push ${model.routeTitle(item.route)}`, "navigate", item, [select.element], () =>
        select.value() === mode ? {} : { mode: select.value() });
}

/** @param {Model} model @param {any} item */
export function askAndPresent(model, item) {
    const own = item.styles ?? ["sheet"];
    if (!takesParams(item.params) && own.length === 1) return model.run("present", { route: item.route });
    const select = own.length > 1 ? choice("Style", own, own[0]) : null;
    ask(model, `Present ${model.routeTitle(item.route)}`, "present", item, [select?.element], () =>
        select ? { style: select.value() } : {});
}

/**
 * For a session without an app, where any route may be named.
 *
 * @param {Model} model
 * @param {"navigate" | "present"} name
 */
export function askAnyRoute(model, name) {
    const input = h(
        "input", { type: "text", autocomplete: "off", required: true, id: "any-route" },
    );
    const field = h(
        "div", { class: "field" }, h("label", { for: "any-route", text: "Route" }), input,
    );
    if (name === "present") return askAnyStyle(model, input, field);
    const mode = choice("Mode", modes, "push");
    ask(model, "Push a route", name, {}, [field, mode.element], () => ({
        route: input.value.trim(), ...(mode.value() === "push" ? {} : { mode: mode.value() }),
    }), true);
}

/** @param {Model} model @param {any} route @param {HTMLElement} field */
function askAnyStyle(model, route, field) {
    const texts = dialogTexts();
    const style = choice("Style", styles, "sheet", (chosen) => {
        const isDialog = dialogStyles.has(chosen);
        texts.element.hidden = !isDialog;
        // Without one, the route of a dialog is the name of its style.
        route.required = !isDialog;
        for (const input of texts.required) input.required = isDialog;
    });
    ask(model, "Present a route", "present", {}, [style.element, field, texts.element], () => ({
        ...(route.value.trim() ? { route: route.value.trim() } : {}),
        ...(style.value() === "sheet" ? {} : { style: style.value() }),
        ...(dialogStyles.has(style.value()) ? texts.read() : {}),
    }), true);
}

/** The texts of a dialog: its title, its message, and a line for each button. */
function dialogTexts() {
    const title = h("input", { type: "text", id: "dialog-texts-title", autocomplete: "off", maxlength: "256" });
    const message = h("textarea", { id: "dialog-texts-message", rows: "2", maxlength: "4096" });
    const buttons = h("textarea", { id: "dialog-texts-buttons", rows: "3", class: "code", spellcheck: "false",
        placeholder: "delete: Delete (destructive)\nkeep: Keep (cancel)", "aria-describedby": "dialog-texts-hint" });
    const line = (/** @type {string} */ id, /** @type {string} */ text, /** @type {HTMLElement} */ control) =>
        h("div", { class: "field" }, h("label", { for: id, text }), control);
    const element = h("div", { class: "dialog-texts", hidden: true }, line(title.id, "Title", title), line(message.id, "Message", message),
        line(buttons.id, "Buttons", buttons), h("p", { id: "dialog-texts-hint", class: "dim",
            text: "A button a line: its id, its title, and cancel or destructive in brackets. Without any there is OK." }));
    const read = () => ({
        title: title.value, ...(message.value ? { message: message.value } : {}),
        ...(buttons.value.trim() ? { buttons: buttons.value.trim().split("\n").map(buttonOf) } : {}),
    });
    return { element, read, required: [title] };
}

/**
 * `delete: Delete (destructive)` as a button. Without a colon the id is made of the title.
 *
 * @param {string} line
 */
export function buttonOf(line) {
    const role = /\s*\((cancel|destructive)\)$/.exec(line.trim());
    const text = role ? line.trim().slice(0, role.index) : line.trim();
    const named = /^([^:\s]+):\s*(.+)$/.exec(text);
    const id = named?.[1] ?? text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    return { id, title: named?.[2] ?? text, ...(role ? { role: role[1] } : {}) };
}

/**
 * @param {string} label @param {string[]} values @param {string} start
 * @param {(value: string) => void} [changed]
 */
function choice(label, values, start, changed) {
    const id = `choice-${label.toLowerCase()}`;
    const select = h("select", { id, onchange: () => changed?.(select.value) },
        ...values.map((value) => h("option", { value, text: value, selected: value === start })));
    const element = h("div", { class: "field" }, h("label", { for: id, text: label }), select);
    return { element, value: () => select.value };
}

/**
 * @param {Model} model @param {string} title @param {string} command @param {any} item
 * @param {(Node | undefined)[]} extras @param {() => object} read
 */
function ask(model, title, command, item, extras, read, isFree = false) {
    const isSchema = !isFree && item.params?.properties;
    const takes = isFree || takesParams(item.params);
    const form = isSchema ? schemaForm(item.params, model.app?.$defs ?? {}) : freeForm();
    const error = h("p", { class: "form-error", role: "alert" });
    /** Shown after a refusal because of a lock; then it is sent once more. */
    const force = h("button", { type: "submit", class: "danger", text: "Force", value: "force", hidden: true });
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const isForced = event.submitter === force;
        force.hidden = true;
        try {
            const params = takes ? form.read() : {};
            const body = { ...(item.route ? { route: item.route } : {}), ...read(),
                ...(Object.keys(params).length > 0 ? { params } : {}), ...(isForced ? { force: true } : {}) };
            await model.attempt(command, body);
            dialog.close();
        } catch (thrown) {
            error.textContent = refusal(form, thrown);
            force.hidden = !isLock(thrown);
            dialog.querySelector("[aria-invalid]")?.focus();
        }
    };
    const fields = takes ? [form.element] : [];
    const place = isFree ? [...extras, ...fields] : [...fields, ...extras];
    const dialog = openDialog(title,
        h("form", { class: "dialog-form", onsubmit: submit }, ...place.map((node) => node ?? null), error,
            h("footer", { class: "dialog-foot" },
                h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }), force,
                h("button", { type: "submit", class: "primary", text: command === "navigate" ? "Push" : "Present" }))));
    dialog.querySelector("form input, form select, form textarea")?.focus();
}

// The dialogs for "push", "present" and "any command": a form, the further members of the command,
// and the refusal, if there is one.
import { h, openDialog } from "./dom.js";
import { freeForm, refusal, schemaForm } from "./form.js";

/** @typedef {import("./view.js").SessionView} Model */

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
    const styles = item.styles ?? ["sheet"];
    if (!takesParams(item.params) && styles.length === 1) return model.run("present", { route: item.route });
    const select = styles.length > 1 ? choice("Style", styles, styles[0]) : null;
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
    const options = name === "navigate" ? choice("Mode", modes, "push") : choice(
        "Style", ["sheet", "fullScreenCover"], "sheet",
    );
    const member = name === "navigate" ? "mode" : "style";
    const title = name === "navigate" ? "Push a route" : "Present a route";
    ask(model, title, name, {}, [field, options.element], () => ({
        route: input.value.trim(),
        ...(["push", "sheet"].includes(options.value()) ? {} : { [member]: options.value() }),
    }), true);
}

/** @param {string} label @param {string[]} values @param {string} start */
function choice(label, values, start) {
    const id = `choice-${label.toLowerCase()}`;
    const select = h("select", { id },
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
    const form = isSchema ? schemaForm(item.params, model.app?.$defs ?? {}) : freeForm();
    const error = h("p", { class: "form-error", role: "alert" });
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        try {
            const params = form.read();
            const body = { ...(item.route ? { route: item.route } : {}), ...read(),
                ...(Object.keys(params).length > 0 ? { params } : {}) };
            await model.attempt(command, body);
            dialog.close();
        } catch (thrown) {
            error.textContent = refusal(form, thrown);
            dialog.querySelector("[aria-invalid]")?.focus();
        }
    };
    const place = isFree ? [...extras, form.element] : [form.element, ...extras];
    const dialog = openDialog(title,
        h("form", { class: "dialog-form", onsubmit: submit }, ...place.map((node) => node ?? null), error,
            h("footer", { class: "dialog-foot" },
                h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }),
                h("button", { type: "submit", class: "primary", text: command === "navigate" ? "Push" : "Present" }))));
    dialog.querySelector("form input, form select, form textarea")?.focus();
}

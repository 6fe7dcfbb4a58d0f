// New sessions: the dialog, and the two ways to begin on a server that has none.
import { h, notify, notifyError, openDialog } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */
/** @typedef {(id: string) => void} Choose */

/** @param {string} label @param {any} control @param {string} [hint] */
function field(label, control, hint) {
    return h("div", { class: "field" }, h("label", { for: control.id, text: label }), control,
        hint ? h("span", { class: "dim hint", text: hint }) : null);
}

/** @param {string} id @param {string} [value] */
function textInput(id, value, placeholder = "") {
    return h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", value, placeholder });
}

/** @param {Model} model @param {string} app */
async function templatesOf(model, app) {
    if (!app) return [];
    // A token that may not read apps creates sessions without a template.
    const document = await model.client.app(app).catch(() => null);
    return Object.entries(document?.templates ?? {}).map(([name, template]) =>
        h("option", { value: name, text: /** @type {any} */ (template).title ?? name }));
}

/**
 * The fields for the app, and for what depends on it: tabs without one, templates with one.
 *
 * @param {Model} model @param {Directory} directory
 */
function beginning(model, directory) {
    const app = h("select", { id: "new-app" }, h("option", { value: "", text: "None (free-form)" }),
        ...directory.apps.map((item, index) =>
            h("option", { value: item.id, text: item.title ?? item.id, selected: index === 0 })));
    const tabs = textInput("new-tabs", "main");
    const tabsField = field("Tabs", tabs, "Separated by commas. Any route can be pushed.");
    const template = h("select", { id: "new-template" });
    const templateField = field("Begin with", template);
    const toggle = async () => {
        tabsField.hidden = app.value !== "";
        templateField.hidden = true;
        const { value } = app;
        const templates = await templatesOf(model, value);
        if (app.value !== value) return;
        template.replaceChildren(h("option", { value: "", text: "The first tab" }), ...templates);
        templateField.hidden = templates.length === 0;
    };
    app.addEventListener("change", toggle);
    toggle();
    const appHint = directory.apps.length > 0 ? undefined : "This server has no apps yet. Add one on the Apps page.";
    const read = () => {
        if (!app.value) return { tabs: tabs.value.split(",").map((/** @type {string} */ name) => name.trim()).filter(Boolean) };
        return { app: app.value, ...(templateField.hidden || !template.value ? {} : { template: template.value }) };
    };
    return { app, fields: [field("App", app, appHint), templateField, tabsField], read };
}

/** @param {Model} model @param {Directory} directory @param {Choose} choose @param {string} [wantedId] */
export function askForSession(model, directory, choose, wantedId) {
    const error = h("p", { class: "form-error", role: "alert" });
    const id = textInput("new-id", wantedId, "Leave empty for a random id");
    const start = beginning(model, directory);
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const name = id.value.trim();
        try {
            const session = await model.client.create({ ...(name ? { id: name } : {}), ...start.read() });
            dialog.close();
            choose(session.id);
            directory.load();
        } catch (thrown) {
            if (!(/** @type {any} */ (thrown).problem)) return notifyError(thrown);
            error.textContent = /** @type {any} */ (thrown).message;
        }
    };
    const [app, ...others] = start.fields;
    const dialog = openDialog("New session", h("form", { class: "dialog-form", onsubmit: submit },
        app, field("Id", id), ...others, error,
        h("footer", { class: "dialog-foot" },
            h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }),
            h("button", { type: "submit", class: "primary", text: "Create" }))));
    start.app.focus();
}

/**
 * Stores the demo app, unless there is one of its name, and opens a session of it.
 *
 * @param {Model} model @param {Directory} directory @param {Choose} choose
 */
export async function startDemo(model, directory, choose) {
    try {
        const document = await demoApp();
        const { apps } = await model.client.apps();
        if (!apps.some((/** @type {any} */ app) => app.id === document.id)) {
            const { id, ...app } = document;
            await model.client.putApp(id, app);
        }
        await begin(model, directory, choose, { id: "demo", app: document.id });
        directory.loadApps();
    } catch (error) {
        notifyError(error);
    }
}

async function demoApp() {
    const response = await fetch("/console/demo-app.json");
    if (!response.ok) throw new Error(`The demo app could not be read (${response.status}).`);
    return response.json();
}

/** @param {Model} model @param {Directory} directory @param {Choose} choose */
export async function startBlank(model, directory, choose) {
    try {
        await begin(model, directory, choose, { tabs: ["main"] });
    } catch (error) {
        notifyError(error);
    }
}

/** @param {Model} model @param {Directory} directory @param {Choose} choose @param {any} body */
async function begin(model, directory, choose, body) {
    const session = await model.client.create(body).catch((error) => {
        // Somebody else was faster: their session is as good.
        if (error.code === "session-exists") return { id: body.id };
        throw error;
    });
    notify(`Session ${session.id} created.`);
    choose(session.id);
    directory.load();
}

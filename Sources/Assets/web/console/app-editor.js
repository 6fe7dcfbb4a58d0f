// An app's document: pasted, typed or read from a file, checked while it is typed, then stored.
import { faultsOf, DocumentEditor } from "./document-editor.js";
import { h, notify } from "./dom.js";
import { indented } from "./exact.js";
import { appPath, send } from "./requests.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./document-editor.js").Verdict} Verdict */
/** @typedef {{ id: string, text: string, etag: string }} Stored A document as it was read. */

/** The id under which a document without one is checked. */
const standIn = "my-app";

const template = {
    $schema: "/app.schema.json", id: standIn, title: "My app",
    routes: { home: { title: "Home" }, detail: { title: "Detail", params: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } },
    tabs: [{ id: "main", title: "Main", icon: "house", root: "home", routes: ["detail"] }],
    links: [{ pattern: "myapp://detail/{id}", tab: "main", path: [{ route: "detail", params: { id: "{id}" } }] }],
};

class AppEditor {
    /** @param {Model} model @param {Stored | null} app @param {(id: string) => void} done @param {() => void} cancel */
    constructor(model, app, done, cancel) {
        this.model = model;
        this.app = app;
        this.done = done;
        const editor = this.editor = new DocumentEditor((text) => this.judge(text));
        editor.tools.append(h("a", { class: "button small", href: "/docs#putApp", target: "_blank", text: "Reference" }));
        this.element = h("form", { class: "app-editor", onsubmit: (/** @type {SubmitEvent} */ event) => this.save(event) },
            h("header", { class: "stage-head" }, h("h2", { text: app ? `Edit ${app.id}` : "Add an app" }), editor.tools),
            ...editor.elements,
            h("footer", { class: "dialog-foot" }, editor.keys,
                h("button", { type: "button", text: "Cancel", onclick: cancel }),
                h("button", { type: "button", text: "Check", onclick: () => editor.check() }),
                h("button", { type: "submit", class: "primary", text: app ? "Save" : "Add app" })));
        editor.begin(indented(app?.text ?? JSON.stringify(template)));
    }

    /** @param {string} text */
    idOf(text) {
        const document = JSON.parse(text);
        return this.app?.id ?? (typeof document?.id === "string" ? document.id : "");
    }

    /** @param {string} path @param {string} text @param {Record<string, string>} [headers] */
    async put(path, text, headers) {
        return JSON.parse((await send(this.model.client, "PUT", path, { body: text, headers })).text);
    }

    /** @param {string} text @returns {Promise<Verdict>} */
    async judge(text) {
        const id = this.idOf(text);
        const { valid, errors, warnings, impact } = await this.put(appPath(id || standIn) + "?dryRun=true", text);
        const missing = id ? [] : [{ pointer: "/id", detail: `is missing: the app needs an id, such as "${standIn}"` }];
        const bad = faultsOf([...missing, ...errors], "bad");
        const more = warnings.length > 0 ? `, with ${counted(warnings.length, "warning")}` : "";
        const isGood = valid && bad.length === 0;
        return { words: isGood ? `Valid${more}. ${effect(impact)}` : `${counted(bad.length, "error")} to correct.`,
            kind: isGood ? "good" : "bad", faults: [...bad, ...faultsOf(warnings, "warn")] };
    }

    /** @param {SubmitEvent} event */
    async save(event) {
        event.preventDefault();
        const { app, editor, editor: { text } } = this;
        const id = editor.field.tree.faults.length > 0 ? "" : this.idOf(text);
        if (!id) return void editor.check();
        try {
            const { warnings } = await this.put(appPath(id), text, condition(app));
            const first = warnings.length > 0 ? ` ${counted(warnings.length, "warning")}, the first: ${warnings[0].pointer} ${warnings[0].detail}.` : "";
            notify(`App ${id} stored.${first}`);
            this.done(id);
        } catch (/** @type {any} */ error) {
            editor.refuse(error.status === 412 ? { message: app ? changed(id) : exists(id) } : error);
        }
    }
}

/** @param {Stored | null} app @returns {Record<string, string>} A new app replaces none. */
function condition(app) {
    // A proxy that compresses makes the tag a weak one, and a weak one never holds for a change.
    return app ? { "If-Match": app.etag.replace(/^W\//, "") } : { "If-None-Match": "*" };
}

/** @param {string} id */
function exists(id) {
    return `There is an app ${id} already, so nothing was stored. Give yours another id, or press Cancel and edit that one.`;
}

/** @param {string} id */
function changed(id) {
    return `${id} was changed or deleted while you edited it, so nothing was stored. `
        + "Copy what you need of your text, then press Cancel and Edit again.";
}

/** @param {any} impact */
function effect(impact) {
    if (!impact || impact.sessions === 0) return "It can be stored.";
    const counts = `${impact.affected} of ${counted(impact.sessions, "session")}${impact.next ? " looked at" : ""}`;
    if (impact.affected === 0) return "No session changes by it.";
    return `It changes ${counts}${impact.losing > 0 ? `; ${impact.losing} of them lose a screen` : ""}.`;
}

/**
 * @param {Model} model @param {Stored | null} app The one to change, or null for a new one.
 * @param {(id: string) => void} done @param {() => void} cancel
 * @returns {HTMLElement}
 */
export function appEditor(model, app, done, cancel) {
    return new AppEditor(model, app, done, cancel).element;
}

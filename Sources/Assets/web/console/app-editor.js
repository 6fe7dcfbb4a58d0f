// An app's document: pasted, typed or read from a file, checked while it is typed, then stored.
import { AppSchema } from "./app-schema.js";
import { CodeField } from "./code-field.js";
import { h, notify } from "./dom.js";
import { placeAt, rangeOf } from "./json-tree.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{ pointer: string, detail: string, kind: "bad" | "warn", start?: number, end?: number }} Fault */

const pauseMilliseconds = 500;
/** The id under which a document without one is checked. */
const standIn = "my-app";

const template = {
    $schema: "/app.schema.json", id: standIn, title: "My app",
    routes: { home: { title: "Home" }, detail: { title: "Detail", params: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } },
    tabs: [{ id: "main", title: "Main", icon: "house", root: "home", routes: ["detail"] }],
    links: [{ pattern: "myapp://detail/{id}", tab: "main", path: [{ route: "detail", params: { id: "{id}" } }] }],
};

class AppEditor {
    /** @param {Model} model @param {any} app @param {(id: string) => void} done @param {() => void} cancel */
    constructor(model, app, done, cancel) {
        this.model = model;
        this.app = app;
        this.done = done;
        this.schema = new AppSchema(null);
        this.checks = 0;
        this.timer = 0;
        /** @type {Fault[]} */
        this.faults = [];
        /** @type {CodeField} */
        this.field = new CodeField("app-text", () => this.change(), (offset) => this.propose(offset));
        this.field.begin(JSON.stringify(app ?? template, null, 2));
        this.field.text.setAttribute("aria-describedby", "app-verdict");
        const file = h("input", { type: "file", id: "app-file", hidden: true, "aria-label": "File", accept: ".json,application/json", onchange: async () => {
            const [chosen] = file.files;
            if (!chosen) return;
            this.field.begin(await chosen.text());
            file.value = "";
            this.check();
        } });
        this.verdict = h("p", { id: "app-verdict", role: "status" });
        this.list = h("ul", { class: "faults", "aria-label": "Problems" });
        this.element = h("form", { class: "app-editor", onsubmit: (/** @type {SubmitEvent} */ event) => this.save(event) },
            h("header", { class: "stage-head" }, h("h2", { text: app ? `Edit ${app.id}` : "Add an app" }),
                h("div", { class: "app-buttons" },
                    file, h("button", { type: "button", class: "small", text: "Open a file", onclick: () => file.click() }),
                    h("button", { type: "button", class: "small", text: "Format", title: "Indent the document anew", onclick: () => this.format() }),
                    h("a", { class: "button small", href: "/docs#putApp", target: "_blank", text: "Reference" }))),
            h("label", { class: "visually-hidden", for: "app-text", text: "Document (JSON)" }), this.field.element,
            h("div", { class: "app-report" }, this.verdict, this.list),
            h("footer", { class: "dialog-foot" },
                h("p", { class: "dim editor-keys" }, ...keys([["Ctrl Space", "proposes"], ["F8", "next problem"], ["Ctrl Shift [", "folds"]])),
                h("button", { type: "button", text: "Cancel", onclick: cancel }),
                h("button", { type: "button", text: "Check", onclick: () => this.check() }),
                h("button", { type: "submit", class: "primary", text: app ? "Save" : "Add app" })));
        this.loadSchema();
        this.check();
    }

    async loadSchema() {
        const response = await fetch("/app.schema.json").catch(() => null);
        if (response?.ok) this.schema = new AppSchema(await response.json());
    }

    /** @type {import("./proposal-list.js").Propose} */
    propose(offset) {
        const place = placeAt(this.field.tree.root, offset);
        return place && { ...place, items: this.schema.proposals(this.field.tree.root, place) };
    }

    format() {
        const text = this.field.shown.whole;
        if (this.field.tree.faults.length > 0) return this.field.next(1);
        return this.field.insert(JSON.stringify(JSON.parse(text), null, 2), 0, this.field.text.value.length);
    }

    // The marks move with the text until the server has seen it.
    change() {
        this.mark();
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.element.isConnected && this.check(), pauseMilliseconds);
    }

    /** The document and its id, or null if it is no JSON, which is shown. */
    read() {
        if (this.field.tree.faults.length > 0) {
            this.show(`This is not valid JSON: ${counted(this.field.tree.faults.length, "fault")}.`, "bad", []);
            return null;
        }
        const document = JSON.parse(this.field.shown.whole);
        const own = typeof document?.id === "string" ? document.id : "";
        return { id: this.app?.id ?? own, document };
    }

    async check() {
        clearTimeout(this.timer);
        const [number, found] = [++this.checks, this.read()];
        if (!found) return;
        try {
            const { valid, errors, warnings, impact } = await this.model.client.checkApp(found.id || standIn, found.document);
            if (number !== this.checks) return;
            const missing = found.id ? [] : [{ pointer: "/id", detail: `is missing: the app needs an id, such as "${standIn}"`, kind: /** @type {const} */ ("bad") }];
            const faults = [...missing, ...of(errors, "bad"), ...of(warnings, "warn")];
            const bad = faults.filter(({ kind }) => kind === "bad").length;
            const more = warnings.length > 0 ? `, with ${counted(warnings.length, "warning")}` : "";
            this.show(valid && bad === 0 ? `Valid${more}. ${effect(impact)}` : `${counted(bad, "error")} to correct.`, bad > 0 ? "bad" : "good", faults);
        } catch (error) {
            if (number === this.checks) this.refuse(error);
        }
    }

    /** @param {SubmitEvent} event */
    async save(event) {
        event.preventDefault();
        const found = this.read();
        if (!found?.id) return void this.check();
        try {
            const { warnings } = await this.model.client.putApp(found.id, found.document);
            const first = warnings.length > 0 ? ` ${counted(warnings.length, "warning")}, the first: ${warnings[0].pointer} ${warnings[0].detail}.` : "";
            notify(`App ${found.id} stored.${first}`);
            this.done(found.id);
        } catch (error) {
            this.refuse(error);
        }
    }

    /** @param {any} error */
    refuse({ problem, message }) {
        const errors = of(problem?.errors ?? [], "bad");
        this.show(errors.length > 0 ? `${counted(errors.length, "error")} to correct.` : message, "bad", errors);
    }

    /** @param {string} words @param {"good" | "bad"} kind @param {Fault[]} faults */
    show(words, kind, faults) {
        this.faults = faults;
        this.verdict.className = kind === "good" ? "good" : "form-error";
        if (this.verdict.textContent !== words) this.verdict.textContent = words;
        this.mark();
    }

    mark() {
        const { field } = this;
        const own = field.tree.faults.map((fault) => ({ ...fault, pointer: "", kind: /** @type {const} */ ("bad") }));
        const placed = own.length > 0 ? own : this.faults.map((fault) => ({ ...fault, ...rangeOf(field.tree.root, fault.pointer) }));
        field.show(placed);
        this.list.replaceChildren(...placed.map(({ start, end, detail, pointer, kind }) => h("li", { class: kind },
            h("button", { type: "button", class: "fault", onclick: () => field.select(start, end) },
                h("span", { class: "fault-line", text: `Line ${field.shown.whole.slice(0, start).split("\n").length}` }),
                pointer ? h("code", { text: pointer }) : null, h("span", { text: detail })))));
    }
}

/** @param {any[]} faults @param {"bad" | "warn"} kind @returns {Fault[]} */
function of(faults, kind) {
    return faults.map(({ pointer, detail }) => ({ pointer, detail, kind }));
}

/** @param {any} impact */
function effect(impact) {
    if (!impact || impact.sessions === 0) return "It can be stored.";
    const counts = `${impact.affected} of ${counted(impact.sessions, "session")}${impact.next ? " looked at" : ""}`;
    if (impact.affected === 0) return "No session changes by it.";
    return `It changes ${counts}${impact.losing > 0 ? `; ${impact.losing} of them lose a screen` : ""}.`;
}

/** @param {[string, string][]} list */
function keys(list) {
    return list.flatMap(([key, words]) => [h("kbd", { text: key }), ` ${words}  `]);
}

/**
 * @param {Model} model @param {any} app The one to change, or null for a new one.
 * @param {(id: string) => void} done @param {() => void} cancel
 * @returns {HTMLElement}
 */
export function appEditor(model, app, done, cancel) {
    return new AppEditor(model, app, done, cancel).element;
}

// A field for an app's document with its problems: marked in the text, and as a list that leads to them.
import { AppSchema } from "./app-schema.js";
import { CodeField } from "./code-field.js";
import { h } from "./dom.js";
import { indented } from "./exact.js";
import { fileText } from "./files.js";
import { placeAt, rangeOf } from "./json-tree.js";
import { counted } from "./words.js";

/**
 * @typedef {{ pointer: string, detail: string, kind: "bad" | "warn", start?: number, end?: number }} Fault
 * @typedef {{ words: string, kind: "good" | "bad", faults: Fault[] }} Verdict
 */

const pauseMilliseconds = 500;
/** The editor's keys, with their words. */
const keys = [["Ctrl Space", "proposes"], ["F8", "next problem"], ["Ctrl Shift [", "folds"]];

export class DocumentEditor {
    /**
     * @param {(text: string) => Promise<Verdict>} judge Called with valid JSON, after a pause in typing. It may throw.
     */
    constructor(judge) {
        this.judge = judge;
        this.schema = new AppSchema(null);
        this.checks = 0;
        this.timer = 0;
        /** @type {Fault[]} */
        this.faults = [];
        /** @type {CodeField} */
        this.field = new CodeField("app-text", () => this.change(), (offset) => this.propose(offset));
        this.field.text.setAttribute("aria-describedby", "app-verdict");
        const file = h("input", { type: "file", id: "app-file", hidden: true, "aria-label": "File", accept: ".json,application/json", onchange: async () => {
            const [chosen] = file.files;
            if (chosen) this.begin(await chosen.text());
            file.value = "";
        } });
        this.tools = h("div", { class: "app-buttons" },
            file, h("button", { type: "button", class: "small", text: "Open a file", onclick: () => file.click() }),
            h("button", { type: "button", class: "small", text: "Format", title: "Indent and wrap the document", onclick: () => this.format() }));
        this.verdict = h("p", { id: "app-verdict", role: "status" });
        this.list = h("ul", { class: "faults", "aria-label": "Problems" });
        this.elements = [h("label", { class: "visually-hidden", for: "app-text", text: "Document (JSON)" }), this.field.element,
            h("div", { class: "app-report" }, this.verdict, this.list)];
        this.keys = h("p", { class: "dim editor-keys" }, ...keys.flatMap(([key, words]) => [h("kbd", { text: key }), ` ${words}  `]));
        this.loadSchema();
    }

    /** The document as it is written. */
    get text() {
        return this.field.shown.whole;
    }

    async loadSchema() {
        const text = await fileText("/app.schema.json").catch(() => "null");
        this.schema = new AppSchema(JSON.parse(text));
    }

    /** @param {string} text */
    begin(text) {
        this.field.begin(text);
        return this.check();
    }

    /** @type {import("./proposal-list.js").Propose} */
    propose(offset) {
        const place = placeAt(this.field.tree.root, offset);
        return place && { ...place, items: this.schema.proposals(this.field.tree.root, place) };
    }

    format() {
        if (this.field.tree.faults.length > 0) return this.field.next(1);
        return this.field.insert(indented(this.text), 0, this.field.text.value.length);
    }

    // The marks move with the text until it has been checked.
    change() {
        this.mark();
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.field.element.isConnected && this.check(), pauseMilliseconds);
    }

    async check() {
        clearTimeout(this.timer);
        this.checks += 1;
        const { checks, field } = this;
        if (field.tree.faults.length > 0) {
            return this.show({ words: `This is not valid JSON: ${counted(field.tree.faults.length, "fault")}.`, kind: "bad", faults: [] });
        }
        try {
            const verdict = await this.judge(this.text);
            if (checks === this.checks) this.show(verdict);
        } catch (error) {
            if (checks === this.checks) this.refuse(error);
        }
    }

    /** @param {any} error */
    refuse({ problem, message }) {
        const faults = faultsOf(problem?.errors ?? [], "bad");
        this.show({ words: faults.length > 0 ? `${counted(faults.length, "error")} to correct.` : message, kind: "bad", faults });
    }

    /** @param {Verdict} verdict */
    show({ words, kind, faults }) {
        this.faults = faults;
        this.verdict.className = kind === "good" ? "good" : "form-error";
        if (this.verdict.textContent !== words) this.verdict.textContent = words;
        this.mark();
    }

    mark() {
        const { field } = this;
        const own = field.tree.faults.map((fault) => ({ ...fault, pointer: "", kind: /** @type {const} */ ("bad") }));
        const placed = own.length > 0 ? own
            : this.faults.map((fault) => ({ ...fault, ...rangeOf(field.tree.root, fault.pointer) })).sort((a, b) => a.start - b.start);
        field.show(placed);
        this.list.replaceChildren(...placed.map(({ start, end, detail, pointer, kind }) => h("li", { class: kind },
            h("button", { type: "button", class: "fault", onclick: () => field.select(start, end) },
                h("span", { class: "fault-line", text: `Line ${this.lineOf(start)}` }),
                pointer ? h("code", { text: pointer }) : null, h("span", { text: detail })))));
    }

    /** @param {number} offset */
    lineOf(offset) {
        return this.text.slice(0, offset).split("\n").length;
    }

    // To the place in the document.
    /** @param {string} pointer */
    showPlace(pointer) {
        const { start, end } = rangeOf(this.field.tree.root, pointer);
        this.field.select(start, end);
    }
}

/** @param {any[]} faults @param {"bad" | "warn"} kind @returns {Fault[]} */
export function faultsOf(faults, kind) {
    return faults.map(({ pointer, detail }) => ({ pointer, detail, kind }));
}

// The findings of an exploration: screens that cannot be reached, dead ends, guards that never hold. It
// runs in a thread of its own, one command deeper each time, until it takes too long.
import { h, notifyError, replace } from "../console/dom.js";
import { counted } from "../console/words.js";
import { Engine, TooLong } from "./engine.js";

/** @typedef {import("./model.js").PlayModel} PlayModel */
/** @typedef {import("../console/document-editor.js").DocumentEditor} DocumentEditor */

const depthMax = 5;
const millisecondsMax = 20_000;

/** @type {Record<string, string>} */
const titles = {
    "unreachable-route": "Nobody reaches it", "guard-never-holds": "Its guard never holds", "held-for-good": "Held back for good",
    "dead-end": "Dead end", "link-elsewhere": "The link leads elsewhere", "link-not-by-hand": "Only the link leads there",
    unanswerable: "No result fits", unshowable: "No params fit",
};

export class Findings {
    /** @param {PlayModel} model @param {DocumentEditor} editor */
    constructor(model, editor) {
        this.model = model;
        this.editor = editor;
        this.engine = new Engine();
        this.explored = "";
        /** @type {any} */
        this.found = null;
        this.words = "";
        this.isRunning = false;
        model.on("app", () => this.explore());
    }

    /** @param {PlayModel} _model @param {HTMLElement} panel */
    show(_model, panel) {
        this.panel = panel;
        panel.addEventListener("show", () => {
            this.draw();
            this.explore();
        });
    }

    // Only what is looked at is explored.
    async explore() {
        const { model, engine } = this;
        if (!this.panel || this.panel.hidden || !model.text || model.text === this.explored) return;
        engine.stop();
        const text = this.explored = model.text;
        this.found = null;
        this.isRunning = true;
        this.draw();
        const end = Date.now() + millisecondsMax;
        try {
            for (let depth = 1; depth <= depthMax; depth += 1) {
                const found = await engine.ask("explore", [text, depth], Math.max(1, end - Date.now()));
                if (text !== this.explored) return;
                this.found = found;
                this.draw();
                if (found.isCutOff) break;
            }
        } catch (error) {
            if (text !== this.explored) return;
            if (!(error instanceof TooLong)) notifyError(error);
        }
        this.isRunning = false;
        this.draw();
    }

    draw() {
        const { panel, found, isRunning } = this;
        if (!panel || panel.hidden) return;
        if (!found) return replace(panel, h("p", { class: "dim none", role: "status", text: isRunning ? "Exploring …" : "The app could not be explored in the time that there is." }));
        replace(panel, h("p", { class: "dim", role: "status", text: this.summary() }),
            found.findings.length === 0 ? h("p", { class: "good", text: `No findings${isRunning ? " yet" : ""}.` })
                : h("ul", { class: "play-findings", "aria-label": "Findings" }, ...found.findings.map((/** @type {any} */ finding) => this.row(finding))));
    }

    summary() {
        const { states, depth, screens, declared, opened, links, isCutOff } = this.found;
        const end = this.isRunning ? " Going on …" : isCutOff || depth < depthMax ? " There are more states than could be looked at here; navstate app explore looks further." : "";
        return `${states.toLocaleString()} ${states === 1 ? "state" : "states"} after up to ${counted(depth, "command")}: ${screens.length} of ${counted(declared.length, "screen")}, ${opened.length} of ${counted(links.length, "link")}.${end}`;
    }

    /** @param {any} finding */
    row({ code, pointer, detail, program }) {
        return h("li", {}, h("div", { class: "play-finding-head" }, h("strong", { text: titles[code] ?? code }),
            h("button", { type: "button", class: "small", text: "Show in the document", data: { key: `place-${code}-${pointer}` },
                onclick: () => this.editor.showPlace(pointer) }),
            program.length > 0 ? h("button", { type: "button", class: "small", text: "Go there", title: "Start over, and carry out the commands that lead there", data: { key: `go-${code}-${pointer}` },
                onclick: () => this.model.begin(this.model.text, program).catch(notifyError) }) : null),
        h("p", {}, h("code", { text: pointer }), ` ${detail}`));
    }
}

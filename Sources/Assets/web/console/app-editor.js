// An app's document: pasted, typed or read from a file, checked by a dry run, then stored.
import { announce, h, notify } from "./dom.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

const template = {
    id: "my-app", title: "My app",
    routes: { home: { title: "Home" }, detail: { title: "Detail", params: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } },
    tabs: [{ id: "main", title: "Main", icon: "house", root: "home", routes: ["detail"] }],
    links: [{ pattern: "myapp://detail/{id}", tab: "main", path: [{ route: "detail", params: { id: "{id}" } }] }],
};

/**
 * @param {Model} model @param {any} app The one to change, or null for a new one.
 * @param {(id: string) => void} done @param {() => void} cancel
 */
export function appEditor(model, app, done, cancel) {
    const text = h("textarea", { id: "app-text", class: "code app-text", spellcheck: "false", oninput: () => report.replaceChildren() });
    text.value = JSON.stringify(app ?? template, null, 2);
    const file = h("input", { type: "file", id: "app-file", accept: ".json,application/json", onchange: async () => {
        const [chosen] = file.files;
        if (!chosen) return;
        text.value = await chosen.text();
        check();
    } });
    const report = h("div", { class: "app-report", "aria-live": "polite" });
    const read = () => documentIn(text.value, app?.id);
    const check = () => attempt(report, async () => {
        const { id, document } = read();
        const found = await model.client.checkApp(id, document);
        showReport(report, found);
        return found.valid;
    });
    const save = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        attempt(report, async () => {
            const { id, document } = read();
            const { warnings } = await model.client.putApp(id, document);
            notify(warnings.length > 0 ? `App ${id} stored, with ${counted(warnings.length, "warning")}: ${warnings[0].detail}` : `App ${id} stored.`);
            done(id);
        });
    };
    return h("form", { class: "app-editor", onsubmit: save },
        h("header", { class: "stage-head" }, h("h2", { text: app ? `Edit ${app.id}` : "Add an app" })),
        h("div", { class: "field" }, h("label", { for: "app-file", text: "File" }), file),
        h("div", { class: "field grow" }, h("label", { for: "app-text", text: "Document (JSON)" }), text), report,
        h("footer", { class: "dialog-foot" }, h("button", { type: "button", text: "Cancel", onclick: cancel }),
            h("button", { type: "button", text: "Check", onclick: check }),
            h("button", { type: "submit", class: "primary", text: app ? "Save" : "Add app" })));
}

/** @param {string} text @param {string | undefined} known */
function documentIn(text, known) {
    let document;
    try {
        document = JSON.parse(text);
    } catch (error) {
        throw new Error(`This is not valid JSON${place(text, error)}. Members need double quotes, and no comma follows the last one.`);
    }
    const id = known ?? document?.id;
    if (typeof id !== "string" || !id) throw new Error('The document needs an "id", such as "my-app".');
    return { id, document };
}

/** @param {string} text @param {unknown} error */
function place(text, error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    if (!position) return "";
    const before = text.slice(0, Number(position)).split("\n");
    return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** @param {HTMLElement} report @param {() => Promise<any>} act */
async function attempt(report, act) {
    try {
        await act();
    } catch (error) {
        const { problem, message } = /** @type {any} */ (error);
        if (problem?.errors) showReport(report, { valid: false, errors: problem.errors, warnings: [] });
        else report.replaceChildren(h("p", { class: "form-error", text: message }));
    }
}

/** @param {HTMLElement} report @param {{ valid: boolean, errors: any[], warnings: any[] }} found */
function showReport(report, { valid, errors, warnings }) {
    const lines = (/** @type {any[]} */ faults, /** @type {string} */ kind) => faults.map(({ pointer, detail }) =>
        h("li", { class: kind }, h("code", { text: pointer || "/" }), h("span", { text: detail })));
    const words = valid ? warnings.length > 0 ? `Valid, with ${counted(warnings.length, "warning")}.` : "Valid. It can be stored."
        : `${counted(errors.length, "error")} to correct.`;
    announce(words);
    report.replaceChildren(h("p", { class: valid ? "good" : "form-error", text: words }),
        h("ul", { class: "faults" }, ...lines(errors, "bad"), ...lines(warnings, "warn")));
}

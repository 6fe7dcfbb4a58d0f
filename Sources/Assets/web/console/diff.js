// The difference of two revisions: the steps from one to the other as a user interface would make
// them, and the values that differ.
import { h, openDialog, replace } from "./dom.js";
import { commandObject, counted, styleWords } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

const depthMax = 12;
/** Members that differ between any two revisions, or follow from the others. */
const derived = new Set(["revision", "updatedAt", "expiresAt", "visible", "canGoBack", "canUndo", "canRedo", "nextEntry"]);

/** @param {Model} model @param {number} from @param {number} to */
export function openDifference(model, from, to) {
    const outcome = h("div", { class: "difference", "aria-live": "polite" });
    const first = revisions(model, "diff-from", from);
    const second = revisions(model, "diff-to", to);
    const look = () => compare(model, Number(first.value), Number(second.value), outcome);
    for (const select of [first, second]) select.addEventListener("change", look);
    const swap = () => {
        [first.value, second.value] = [second.value, first.value];
        look();
    };
    const dialog = openDialog("Compare revisions", h("div", { class: "diff-head" },
        h("div", { class: "field" }, h("label", { for: "diff-from", text: "From" }), first),
        h("button", { type: "button", class: "icon-button", "aria-label": "Swap", title: "Swap", text: "⇄", onclick: swap }),
        h("div", { class: "field" }, h("label", { for: "diff-to", text: "To" }), second)), outcome);
    dialog.classList.add("wide");
    look();
}

/** @param {Model} model @param {string} id @param {number} chosen */
function revisions(model, id, chosen) {
    const nameOf = (/** @type {string} */ name) => model.nameOf(name);
    const options = model.history.changes.map(({ revision, command }) => h("option", {
        value: String(revision), selected: revision === chosen,
        text: `${revision} · ${command.command} ${commandObject(command, nameOf)}`.trim(),
    }));
    return h("select", { id }, ...options);
}

/** @param {Model} model @param {number} from @param {number} to @param {HTMLElement} outcome */
async function compare(model, from, to, outcome) {
    try {
        const [before, after, found] = await Promise.all([
            model.history.state(from), model.history.state(to),
            model.client.steps(model.session.id, { from, to }),
        ]);
        for (const state of [before, after]) model.learnNames(state);
        const values = differences(before, after);
        const steps = found.steps.map((step) => h("li", { text: stepWords(model, step) }));
        replace(outcome,
            h("h3", { text: "On the screen" }),
            steps.length > 0 ? h("ol", { class: "diff-steps" }, ...steps) : h("p", { class: "dim", text: "Nothing: the screens are the same." }),
            h("h3", { text: counted(values.length, "value") + (values.length === 1 ? " differs" : " differ") }),
            values.length > 0 ? valueTable(values) : null);
    } catch (error) {
        replace(outcome, h("p", { class: "form-error", text: /** @type {Error} */ (error).message }));
    }
}

/** @param {{ path: string, before?: any, after?: any }[]} values */
function valueTable(values) {
    const shown = (/** @type {any} */ value) => (value === undefined ? "—" : JSON.stringify(value));
    return h("div", { class: "diff-scroll", tabindex: "0", role: "region", "aria-label": "Values that differ" },
        h("table", { class: "diff-values" },
            h("thead", {}, h("tr", {}, ...["Member", "Before", "After"].map((text) => h("th", { scope: "col", text })))),
            h("tbody", {}, ...values.map(({ path, before, after }) => h("tr", {},
                h("th", { scope: "row" }, h("code", { text: path })),
                h("td", { class: "removed" }, h("code", { text: shown(before) })),
                h("td", { class: "added" }, h("code", { text: shown(after) })))))));
}

/** @param {Model} model @param {any} step */
function stepWords(model, step) {
    const place = (/** @type {string} */ id) => model.nameOf(id);
    switch (step.step) {
    case "dismiss": return `${place(step.sheet)} is dismissed`;
    case "select": return `The tab ${place(step.tab)} is selected`;
    case "pop": return `${counted(step.count, "screen")} popped off ${place(step.in)}`;
    case "push": return `${model.screenName(step.entry)} is pushed on ${place(step.in)}`;
    case "present": return `${model.screenName(step.sheet)} is presented as ${styleWords(step.sheet.style)}`;
    case "params": return `${model.screenName(step.entry)} is changed`;
    case "badge": return step.badge === undefined ? `The badge of ${place(step.tab)} is removed` : `${place(step.tab)} has the badge ${step.badge}`;
    case "tabs": return "The tabs are reordered or hidden";
    }
    return step.step;
}

/**
 * The members that differ, by their paths; entries and sheets are found by their ids.
 *
 * @param {any} before @param {any} after
 * @returns {{ path: string, before?: any, after?: any }[]}
 */
export function differences(before, after, path = "", depth = 0) {
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    if (!isObject(before) || !isObject(after) || depth > depthMax) return [{ path, before, after }];
    const [a, b] = [members(before), members(after)];
    return [...new Set([...a.keys(), ...b.keys()])]
        .filter((name) => depth > 0 || !derived.has(name))
        .flatMap((name) => differences(a.get(name), b.get(name), path ? `${path}.${name}` : name, depth + 1));
}

/** @param {any} value */
function isObject(value) {
    return value !== null && typeof value === "object";
}

/** @param {any} value @returns {Map<string, any>} */
function members(value) {
    if (!Array.isArray(value)) return new Map(Object.entries(value));
    return new Map(value.map((item, index) => [String(item?.id ?? index), item]));
}

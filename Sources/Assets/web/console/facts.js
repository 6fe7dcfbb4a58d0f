// The facts of a session as switches, the command that waits for them, and who is watching.
import { h, localTime, notifyError } from "./dom.js";
import { InexactError, mayDiffer, readExactly } from "./exact.js";
import { icon } from "./icons.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model */
export function factsGroup(model) {
    const names = Object.keys(model.shown.facts ?? {});
    if (names.length === 0) return null;
    return h("section", { class: "facts", "aria-label": "Facts" }, h("h3", { text: "Facts" }),
        ...names.map((name) => fact(model, name)));
}

/** @param {Model} model @param {string} name */
function fact(model, name) {
    const value = model.shown.facts[name];
    const id = `fact-${name}`;
    // A field would change a number that the page does not hold exactly.
    if (!model.mayControl || !model.may("setFacts") || mayDiffer(value)) {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return h("div", { class: "fact" }, h("span", { text: name }), h("span", { class: "value", text }));
    }
    const disabled = model.isStill;
    const set = (/** @type {any} */ next) => model.run("setFacts", { facts: { [name]: next } });
    return h("div", { class: "fact" }, h("label", { for: id, text: name }),
        control(model.fact(name)?.schema, value, { id, disabled, data: { key: id } }, set));
}

/**
 * A switch for true and false, a list for the values of an enumeration, otherwise a field for JSON.
 *
 * @param {any} schema @param {any} value @param {Record<string, any>} attributes
 * @param {(value: any) => void} set
 */
function control(schema, value, attributes, set) {
    if (typeof value === "boolean" && (schema === undefined || schema.type === "boolean")) {
        return h("input", { ...attributes, type: "checkbox", role: "switch", checked: value,
            onchange: (/** @type {any} */ event) => set(event.target.checked) });
    }
    if (Array.isArray(schema?.enum)) {
        return h("select", { ...attributes,
            onchange: (/** @type {any} */ event) => set(schema.enum[Number(event.target.value)]) },
        ...schema.enum.map((/** @type {any} */ item, /** @type {number} */ index) => h("option", {
            value: String(index), text: typeof item === "string" ? item : JSON.stringify(item),
            selected: JSON.stringify(item) === JSON.stringify(value),
        })));
    }
    return h("input", { ...attributes, type: "text", class: "code", spellcheck: "false",
        autocomplete: "off", value: textOf(value),
        onchange: (/** @type {any} */ event) => {
            try {
                set(parsed(event.target.value));
            } catch (error) {
                notifyError(error);
            }
        } });
}

/**
 * A text that `parsed` reads as the same value: without quotes, unless it would be another value.
 *
 * @param {any} value
 */
function textOf(value) {
    return typeof value === "string" && parsed(value) === value ? value : JSON.stringify(value);
}

/**
 * Reads JSON, or else the text itself, so that a text needs no quotes. An empty text restores the
 * default.
 *
 * @param {string} text
 */
function parsed(text) {
    if (text.trim() === "") return null;
    try {
        return readExactly(text);
    } catch (error) {
        if (error instanceof InexactError) throw error;
        return text;
    }
}

/**
 * `signedIn is true and role is "clerk"`, or nothing if the app is not known.
 *
 * @param {Model} model @param {string} guard
 */
export function whenWords(model, guard) {
    return Object.entries(model.guard(guard)?.when ?? {}).map(([name, value]) =>
        `${name} is ${[value].flat().map((item) => JSON.stringify(item)).join(" or ")}`).join(" and ");
}

/** @param {Model} model */
export function pendingBanner(model) {
    const { pending } = model.shown;
    if (!pending) return null;
    const { command, ...body } = pending.command;
    const what = body.url ?? body.route ?? body.tab ?? body.in ?? "";
    const when = whenWords(model, pending.guard);
    return h("div", { class: "pending-banner", role: "status" }, icon("lock"),
        h("span", {}, h("strong", { text: `${command} ${what}` }), " waits for the guard ",
            h("code", { text: pending.guard }), when ? `: until ${when}.` : "."));
}

/**
 * The guards of an item of `allowed`.
 *
 * @param {{ guard?: string, holds?: boolean }} item
 */
export function guardMark({ guard, holds }) {
    if (!guard) return null;
    const names = [guard].flat().join(", ");
    return h("span", { class: `guard ${holds ? "open" : "shut"}`, title: `Guard ${names} ${holds ? "holds" : "fails"}` },
        icon(holds ? "unlock" : "lock"), h("span", { text: names }),
        h("span", { class: "visually-hidden", text: holds ? " (holds)" : " (fails)" }));
}

/** @param {Model} model */
export function watchersList(model) {
    const named = model.watchers.filter((watcher) => watcher.as !== undefined);
    if (named.length === 0) return null;
    const newest = model.session.revision;
    return h("ul", { class: "labels", "aria-label": "Displays" }, ...named.map((watcher) => h("li", {
        class: watcher.shown === newest ? "current" : undefined,
        title: `Watching since ${localTime(watcher.since)}`,
        text: watcher.shown === undefined ? `${watcher.as}` : `${watcher.as} shows ${watcher.shown}`,
    })));
}

/**
 * A button that waits for the answer of the person in front of the screen.
 *
 * @param {Model} model @param {any} sheet
 */
export function answerButton(model, sheet) {
    const isWaiting = model.questions.has(sheet.id);
    return h("button", {
        type: "button", class: "small", data: { key: `answer-${sheet.id}` },
        disabled: isWaiting || !model.isOnline, "aria-label": `Wait for the answer to ${sheet.id}`,
        text: isWaiting ? "Waiting …" : "Wait for the answer",
        onclick: () => model.waitForAnswer(sheet.id).catch(notifyError),
    });
}

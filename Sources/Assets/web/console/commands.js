// Any command by hand, with an example of its body, a dry run, and the answer as it came.
import { copyButton, h } from "./dom.js";
import { examples } from "./command-examples.js";
import { curlLine } from "./curl.js";
import { InexactError, readExactly } from "./exact.js";
import { highlighted } from "./json.js";

/** @typedef {import("./model.js").Model} Model */

const depthMax = 6;

/**
 * A body that does something where the session is now. A command that is not known here has its example in openapi.yaml.
 *
 * @param {Model} model @param {string} name
 */
function example(model, name) {
    const { session, allowed } = model;
    const tabs = session?.tabs.map((/** @type {any} */ tab) => tab.id) ?? ["main"];
    const pushed = allowed?.push?.[0];
    const presented = allowed?.present?.[0] ?? pushed;
    const route = pushed?.route ?? "detail";
    const params = sample(pushed?.params, { ...model.app?.$defs });
    const other = tabs.find((/** @type {string} */ tab) => tab !== session?.selectedTab) ?? tabs[0];
    const facts = Object.entries(session?.facts ?? {}).slice(0, 1);
    /** @type {Record<string, any>} */
    const bodies = {
        navigate: { route, params }, back: { count: 1 }, root: { scope: "tab" },
        present: { route: presented?.route ?? route, params: sample(presented?.params, { ...model.app?.$defs }) }, dismiss: { all: true },
        select: { tab: other }, open: { url: model.app?.links?.[0]?.pattern ?? "myapp://somewhere" },
        setPath: { in: "active", path: [{ route, params }] }, setParams: { entry: "visible", params: { name: "value" } },
        setBadge: { tab: other, badge: 3 }, setFacts: { facts: Object.fromEntries(facts) }, setTabs: { order: tabs },
        batch: { commands: [{ command: "root" }, { command: "navigate", route, params }] }, undo: { count: 1 }, redo: { count: 1 },
    };
    return JSON.stringify(bodies[name] ?? examples[name], null, 2);
}

/**
 * An example for a schema, with a value of its type for each required member.
 *
 * @param {any} schema @param {Record<string, any>} definitions
 * @returns {any}
 */
function sample(schema, definitions, depth = 0) {
    const name = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? "")?.[1];
    if (depth > depthMax) return {};
    if (name) return sample({ ...definitions, ...schema.$defs }[name], definitions, depth + 1);
    if (schema?.default !== undefined || schema?.const !== undefined) return schema.default ?? schema.const;
    if (schema?.enum) return schema.enum[0];
    switch ([schema?.type].flat()[0]) {
    case "string": return "text";
    case "integer": case "number": return schema.minimum ?? 1;
    case "boolean": return true;
    case "array": return [];
    }
    return Object.fromEntries((schema?.required ?? []).map((/** @type {string} */ member) =>
        [member, sample(schema.properties?.[member], definitions, depth + 1)]));
}

/** @param {string} text */
function parsed(text) {
    try {
        return readExactly(text || "{}");
    } catch (error) {
        if (error instanceof InexactError) throw error;
        throw new Error("The body is not valid JSON. Members need double quotes, and no comma follows the last one.");
    }
}

/** @param {Model} model @param {HTMLElement} panel */
export function showCommands(model, panel) {
    const name = h("select", { id: "command-name", onchange: () => fill() },
        ...Object.keys(examples).map((item) => h("option", { value: item, text: item })));
    const body = h("textarea", { id: "command-body", rows: "7", spellcheck: "false", class: "code" });
    const result = h("div", { class: "outcome", "aria-live": "polite" });
    const still = h("p", { class: "dim", hidden: true, text: "You are looking at the past. Go back to now to send commands." });
    /** The text that the form filled in. Text that the user has typed is kept. */
    let filled = "";
    const fill = () => {
        body.value = filled = example(model, name.value);
    };
    const send = h("button", { type: "submit", class: "primary", text: "Send" });
    const run = (/** @type {boolean} */ isDry) => carryOut(model, name.value, body.value, isDry, result);
    const line = () => curlLine({ method: "POST", url: `${location.origin}/v1/sessions/${encodeURIComponent(model.id ?? "ID")}/${name.value}`, body: body.value.trim() }, Boolean(model.client.token));
    panel.append(h("form", { class: "dialog-form", onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        run(false);
    } },
    h("div", { class: "field" }, h("label", { for: "command-name", text: "Command" }), name),
    h("div", { class: "field" }, h("label", { for: "command-body", text: "Body (JSON)" }), body), still,
    h("footer", { class: "dialog-foot" }, copyButton("curl line of this command", line, "curl"),
        h("button", { type: "button", text: "Dry run", onclick: () => run(true) }), send)), result);
    const update = () => {
        send.disabled = !model.session || model.isStill;
        still.hidden = !model.past;
        if (body.value === filled) fill();
    };
    for (const event of ["session", "closed"]) model.on(event, update);
    panel.addEventListener("show", update);
    model.on("closed", () => result.replaceChildren());
}

/**
 * @param {Model} model @param {string} name @param {string} text @param {boolean} isDry
 * @param {HTMLElement} result
 */
async function carryOut(model, name, text, isDry, result) {
    if (!model.session) return;
    const shown = (/** @type {any} */ value, /** @type {string} */ label) => h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": label },
        ...highlighted(JSON.stringify(value, null, 2)));
    try {
        const members = parsed(text);
        const answer = isDry ? await model.client.command(model.session.id, name, members, { dryRun: true })
            : await model.attempt(name, members);
        const { session, ...rest } = answer;
        result.replaceChildren(shown({ ...rest, visible: session?.visible }, "Response"));
    } catch (error) {
        const { problem, message } = /** @type {any} */ (error);
        result.replaceChildren(h("p", { class: "form-error", text: message }), problem ? shown(problem, "Problem") : "");
    }
}

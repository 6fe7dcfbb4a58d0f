// An app's deep links to try: where each leads, and a button that opens it in a session.
import { h, notify, notifyError, replace } from "./dom.js";
import { linkForm, nearLinks } from "./link-form.js";
import { paramsText, words } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * @param {Model} model @param {any} app @param {() => string} chosen The session that is lit.
 * @param {(id: string) => void} choose
 */
export function appLinks(model, app, chosen, choose) {
    const links = app.links ?? [];
    if (links.length === 0) return h("section", { class: "app-links" }, h("h3", { text: "Links" }), h("p", { class: "dim", text: "The app declares no deep links." }));
    const outcome = h("div", { class: "outcome", "aria-live": "polite" });
    const use = (/** @type {string} */ url) => tried(model, app, url, outcome, chosen, choose);
    return h("section", { class: "app-links", "aria-label": "Links" }, h("h3", { text: "Links" }),
        h("div", { class: "patterns" }, ...links.map((/** @type {any} */ link) => linkForm(app, link, use))), outcome);
}

/**
 * @param {Model} model @param {any} app @param {string} url @param {HTMLElement} outcome
 * @param {() => string} chosen @param {(id: string) => void} choose
 */
async function tried(model, app, url, outcome, chosen, choose) {
    try {
        const goal = await model.client.resolve(app.id, url);
        const screen = (/** @type {any} */ entry) => [app.routes?.[entry.route]?.title ?? words(entry.route), paramsText(entry.params)].filter(Boolean).join(" ");
        const tab = app.tabs.find((/** @type {any} */ item) => item.id === goal.tab);
        const sheet = /** @type {any} */ (goal).present;
        const steps = [tab?.title ?? goal.tab, ...(goal.path ?? []).map(screen), ...(sheet ? [`sheet: ${screen(sheet)}`, ...(sheet.path ?? []).map(screen)] : [])];
        const session = chosen();
        replace(outcome, h("div", { class: "effect" }, h("p", {}, h("code", { text: url })),
            goal.matched === false ? h("p", { class: "dim", text: "matches no link, so it leads to the app’s notFound" }) : null, nearLinks(goal.nearLinks),
            h("ol", { class: "crumbs" }, ...steps.map((step) => h("li", { text: step }))),
            h("div", { class: "choices" }, session ? h("button", { type: "button", class: "small primary", text: `Open in ${session}`,
                onclick: () => openIn(model, session, url) }) : null,
            h("button", { type: "button", class: "small", text: "Open in a new session", onclick: () => openNew(model, app, url, choose) }))));
    } catch (error) {
        const { message, problem } = /** @type {any} */ (error);
        replace(outcome, h("div", { class: "form-error" }, h("p", {}, h("code", { text: url })), h("p", { text: message }), nearLinks(problem?.nearLinks)));
    }
}

/** @param {Model} model @param {string} session @param {string} url */
async function openIn(model, session, url) {
    try {
        const answer = await model.client.open(session, { url });
        if (!answer.changed) notify(`${session} is there already.`);
    } catch (error) {
        notifyError(error);
    }
}

/** @param {Model} model @param {any} app @param {string} url @param {(id: string) => void} choose */
async function openNew(model, app, url, choose) {
    try {
        const session = await model.client.create({ app: app.id });
        await model.client.open(session.id, { url });
        choose(session.id);
    } catch (error) {
        notifyError(error);
    }
}

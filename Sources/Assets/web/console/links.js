// Deep links of the open session: any URL with what it would do, and the app's own links with a
// field for each of their captures.
import { codeLine, h, notifyError, replace } from "./dom.js";
import { whenWords } from "./facts.js";
import { linkForm, nearLinks } from "./link-form.js";
import { styleName } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

const typingMilliseconds = 250;

/** @param {Model} model @param {HTMLElement} panel */
export function showLinks(model, panel) {
    const place = new LinksPanel(model);
    panel.append(...place.elements);
    model.on("session", () => place.update());
    model.on("closed", () => place.clear());
    place.draw();
}

class LinksPanel {
    /** @param {Model} model */
    constructor(model) {
        this.model = model;
        this.shown = "";
        /** @type {string | undefined} */
        this.drawnApp = undefined;
        this.input = h("input", { type: "text", id: "link-url", inputmode: "url", autocomplete: "off", spellcheck: "false",
            placeholder: "myapp://post/3", oninput: () => this.typed() });
        this.outcome = h("div", { class: "outcome", "aria-live": "polite" });
        this.go = h("button", { type: "submit", class: "primary", text: "Open", disabled: true });
        this.patterns = h("div", { class: "patterns" });
        this.here = h("div", { class: "here" });
        const form = h("form", { class: "link-form", onsubmit: (/** @type {SubmitEvent} */ event) => this.open(event) },
            h("label", { for: "link-url", text: "Deep link" }), h("div", { class: "joined" }, this.input, this.go));
        this.elements = [form, this.outcome, this.patterns, this.here];
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.look(), typingMilliseconds);
    }

    async look() {
        const url = this.input.value.trim();
        this.go.disabled = true;
        if (!url || !this.model.session) return this.outcome.replaceChildren();
        const found = await preview(this.model, url);
        if (url !== this.input.value.trim()) return;
        this.outcome.replaceChildren(found.element);
        this.go.disabled = !found.isGood || this.model.isStill;
    }

    /** @param {SubmitEvent} event */
    async open(event) {
        event.preventDefault();
        await this.model.run("open", { url: this.input.value.trim() });
        this.look();
    }

    update() {
        const { session, app } = this.model;
        const now = `${session.id} ${app?.id} ${session.revision}`;
        if (now === this.shown) return;
        this.shown = now;
        this.draw();
        if (this.input.value) this.look();
    }

    clear() {
        this.shown = "";
        this.drawnApp = undefined;
        this.input.value = "";
        this.outcome.replaceChildren();
        this.draw();
    }

    draw() {
        const { model } = this;
        const app = model.app?.id ?? "";
        // Its fields may have been filled in.
        if (app !== this.drawnApp) {
            this.drawnApp = app;
            const links = model.app?.links ?? [];
            const use = (/** @type {string} */ url) => {
                this.input.value = url;
                this.look();
            };
            replace(this.patterns, links.length > 0 ? h("p", { class: "group-title", text: "The app’s links" }) : null,
                ...links.map((/** @type {any} */ link) => linkForm(model.app, link, use)));
        }
        replace(this.here, h("button", { type: "button", class: "small", text: "Link to this screen",
            data: { key: "link-here" }, disabled: !model.session?.app, onclick: () => showHere(model, this.here) }));
    }
}

/**
 * Shows what a link would do, without opening it.
 *
 * @param {Model} model
 * @param {string} url
 */
async function preview(model, url) {
    const { session } = model;
    try {
        const goal = session.app ? await model.client.resolve(session.app, url) : null;
        const answer = await model.client.open(session.id, { url }, { dryRun: true });
        return { isGood: answer.changed, element: effect(model, goal, answer) };
    } catch (error) {
        const { code, message, problem } = /** @type {any} */ (error);
        const element = h("div", { class: "form-error" }, h("p", { text: message }), nearLinks(problem?.nearLinks), code ? h("code", { text: code }) : null);
        return { isGood: false, element };
    }
}

/** @param {Model} model @param {any} goal @param {any} answer */
function effect(model, goal, answer) {
    const after = answer.session;
    const tab = after.tabs.find((/** @type {any} */ item) => item.id === after.selectedTab);
    const steps = [model.tab(tab.id).title, ...tab.path.map((/** @type {any} */ entry) => model.screenName(entry)),
        ...after.sheets.flatMap((/** @type {any} */ sheet) => [
            `${styleName(sheet.style).toLowerCase()}: ${model.screenName(sheet)}`,
            ...sheet.path.map((/** @type {any} */ entry) => model.screenName(entry))])];
    const counts = [answer.added.length && `adds ${answer.added.length}`, answer.removed.length && `removes ${answer.removed.length}`].filter(Boolean).join(", ");
    return h("div", { class: "effect" },
        goal?.redirected ? h("p", { class: "dim" }, "redirected to ", h("code", { text: goal.redirected })) : null,
        goal?.matched === false ? h("p", { class: "dim", text: "matches no link, so it leads to the app’s notFound" }) : null,
        nearLinks(goal?.nearLinks),
        goal?.pattern ? h("p", { class: "dim" }, "matches ", h("code", { text: goal.pattern })) : null,
        h("ol", { class: "crumbs" }, ...steps.map((step) => h("li", { text: step }))),
        h("p", { class: "dim", text: answer.held ? heldWords(model, answer.held) : answer.changed ? `Would show this (${counts || "moves entries"}).`
            : `No effect: ${answer.reason.replaceAll("-", " ")}.` }));
}

/** @param {Model} model @param {string} guard */
function heldWords(model, guard) {
    const when = whenWords(model, guard);
    return `Held back by the guard ${guard}: this is shown first, and the link opens ${when ? `once ${when}` : "as soon as the guard holds"}.`;
}

/** @param {Model} model @param {HTMLElement} place */
async function showHere(model, place) {
    try {
        const { url } = await model.client.link(model.session.id);
        place.append(codeLine("Link to this screen", "deep link", url));
    } catch (error) {
        notifyError(error);
    }
}

// The bar of actions for many sessions: those that are selected in the table or on the wall.
import { announce, h, notify, notifyError, openDialog } from "./dom.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

/** Requests that are under way at a time, where each session needs its own. */
const atOnce = 6;
const namesMax = 8;

export class ManyBar {
    /**
     * @param {Model} model @param {() => string[]} chosen The ids.
     * @param {() => void} toggleAll Selects all, or none if all are.
     */
    constructor(model, chosen, toggleAll) {
        this.model = model;
        this.read = chosen;
        this.all = h("button", { type: "button", class: "small", text: "Select all", onclick: toggleAll });
        this.link = h("input", { type: "text", "aria-label": "Link for the selected sessions", placeholder: "Link, such as shop://cart",
            autocomplete: "off", spellcheck: "false", inputmode: "url" });
        const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => h("button", { type: "button", class: "small", text, onclick });
        const act = (/** @type {string} */ text, /** @type {string} */ name, body = {}) => button(text, () => this.send(this.read(), name, body));
        this.element = h("form", { class: "many-bar", "aria-label": "Control the selected sessions", onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            if (this.link.value.trim()) this.send(this.read(), "open", { url: this.link.value.trim() });
        } }, this.all, act("Back", "back"), act("Root", "root", { scope: "all" }), act("Undo", "undo"), this.link,
        h("button", { type: "submit", class: "small primary", text: "Open link" }),
        button("Label …", () => this.askForLabel(this.read())), button("Delete …", () => this.askToDelete(this.read())));
    }

    /** @param {number} total How many could be selected. */
    draw(total) {
        const count = this.read().length;
        this.element.classList.toggle("idle", count === 0);
        for (const control of this.element.elements) control.disabled = control !== this.all && count === 0;
        this.all.disabled = total === 0;
        this.all.textContent = count === 0 ? "Select all" : count === total ? "Select none" : `${count} selected · all`;
    }

    /** @param {string[]} sessions @param {string} name @param {any} body */
    async send(sessions, name, body) {
        try {
            const { results } = await this.model.client.commandAll({ command: { command: name, ...body }, sessions });
            const refused = results.filter((row) => row.problem);
            const changed = results.filter((row) => row.changed).length;
            announce(`${name}: ${counted(changed, "session")} changed`);
            if (refused.length > 0) {
                const [first] = refused;
                notify(`${first.session}: ${first.problem?.detail}`, { kind: "problem", title: `${counted(refused.length, "session")} refused ${name}` });
            } else if (changed === 0) notify("No effect on any of them.");
        } catch (error) {
            notifyError(error);
        }
    }

    /**
     * @param {string[]} sessions @param {(id: string) => Promise<any>} act @param {string} done Such as `deleted`.
     */
    async each(sessions, act, done) {
        const waiting = [...sessions];
        /** @type {any[]} */
        const errors = [];
        const worker = async () => {
            for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await act(id).catch((error) => errors.push(error));
        };
        await Promise.all([...Array(atOnce)].map(worker));
        notify(`${counted(sessions.length - errors.length, "session")} ${done}.`);
        if (errors.length > 0) notifyError(errors[0]);
    }

    /** @param {string[]} sessions */
    askToDelete(sessions) {
        const names = sessions.slice(0, namesMax).join(", ") + (sessions.length > namesMax ? " …" : "");
        const dialog = openDialog(`Delete ${counted(sessions.length, "session")}?`,
            h("p", { class: "names", text: names }),
            h("p", { class: "dim", text: "This deletes their state, their history and their share links. It cannot be undone." }),
            h("footer", { class: "dialog-foot" },
                h("button", { type: "button", text: "Cancel", autofocus: true, onclick: () => dialog.close() }),
                h("button", { type: "button", class: "danger", text: "Delete", onclick: () => {
                    dialog.close();
                    this.each(sessions, (id) => this.model.client.delete(id), "deleted");
                } })));
    }

    /** @param {string[]} sessions */
    askForLabel(sessions) {
        const field = (/** @type {string} */ id, /** @type {string} */ text, /** @type {boolean} */ required) =>
            h("div", { class: "field" }, h("label", { for: id, text }), h("input", { type: "text", id, required, autocomplete: "off", spellcheck: "false" }));
        const submit = (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const [name, value] = [...dialog.querySelectorAll("input")].map((input) => input.value.trim());
            dialog.close();
            this.each(sessions, (id) => this.model.client.patch(id, { labels: { [name]: value || null } }), "labeled");
        };
        const dialog = openDialog(`Label ${counted(sessions.length, "session")}`, h("form", { class: "dialog-form", onsubmit: submit },
            field("many-label", "Name", true), field("many-value", "Value", false),
            h("p", { class: "dim", text: "Without a value the label is removed." }),
            h("footer", { class: "dialog-foot" }, h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }),
                h("button", { type: "submit", class: "primary", text: "Save" }))));
        dialog.querySelector("input")?.focus();
    }
}

// The list of proposals at the cursor of a code field.
import { h } from "./dom.js";

/**
 * @typedef {import("./app-schema.js").Proposal} Proposal
 * @typedef {(offset: number) => { start: number, end: number, isKey: boolean, items: Proposal[] } | undefined} Propose
 *   A text that may replace a range of the whole text.
 */

const shownMax = 60;

export class ProposalList {
    /** @param {import("./code-field.js").CodeField} field @param {Propose} propose */
    constructor(field, propose) {
        this.field = field;
        this.propose = propose;
        /** @type {Proposal[]} */
        this.items = [];
        this.chosen = 0;
        this.element = h("ul", { class: "proposals", id: `${field.text.id}-proposals`, role: "listbox", "aria-label": "Proposals", hidden: true,
            // The field keeps the focus.
            onmousedown: (/** @type {MouseEvent} */ event) => event.preventDefault() });
        field.text.setAttribute("aria-controls", this.element.id);
    }

    // Shows what fits at the cursor. While someone types, that is only done inside of a name or a text.
    /** @param {boolean} isWanted */
    update(isWanted) {
        const { field } = this;
        const { selectionStart: start, selectionEnd: end, value } = field.text;
        const found = start === end ? this.propose(field.shown.toWhole(start)) : undefined;
        if (!found) return this.close();
        this.range = { ...found, start: field.shown.toView(found.start), end: field.shown.toView(found.end) };
        const typed = value.slice(this.range.start, start).replace(/^"/, "").toLowerCase();
        const isInside = value[this.range.start] === '"' && start > this.range.start && start < this.range.end;
        const fits = found.items.filter(({ name }) => name.toLowerCase().includes(typed))
            .sort((a, b) => Number(b.name.toLowerCase().startsWith(typed)) - Number(a.name.toLowerCase().startsWith(typed)));
        const isDone = fits.length === 1 && fits[0].name.toLowerCase() === typed;
        if (fits.length === 0 || (!isWanted && (isDone || !(isInside || typed !== "")))) return this.close();
        this.items = fits.slice(0, shownMax);
        this.chosen = 0;
        this.draw();
    }

    close() {
        this.items = [];
        this.element.hidden = true;
        this.field.text.removeAttribute("aria-activedescendant");
    }

    draw() {
        const { element, field } = this;
        element.replaceChildren(...this.items.map(({ name, note }, index) => h("li", { role: "option", id: `${element.id}-${index}`,
            "aria-selected": String(index === this.chosen), onclick: () => this.accept(index) },
        h("code", { text: name }), h("span", { class: "dim", text: note.replaceAll("`", "").split(/(?<=\.)\s/)[0] }))));
        element.hidden = false;
        const { x, y, height } = field.cursor();
        const { scrollTop, clientHeight, scrollLeft, clientWidth } = field.element;
        const room = scrollTop + clientHeight - y - height;
        const isAbove = room < element.offsetHeight && y - scrollTop > room;
        const rightmost = scrollLeft + clientWidth - field.gutter.offsetWidth - element.offsetWidth - 8;
        element.style.left = `${Math.max(scrollLeft, Math.min(x, rightmost))}px`;
        element.style.top = `${isAbove ? y - element.offsetHeight - 2 : y + height + 2}px`;
        const option = element.children[this.chosen];
        option?.scrollIntoView({ block: "nearest" });
        field.text.setAttribute("aria-activedescendant", option?.id ?? "");
    }

    /** @param {string} key @returns {boolean} Whether the list has used it. */
    press(key) {
        if (this.items.length === 0) return false;
        const step = new Map([["ArrowDown", 1], ["ArrowUp", -1]]).get(key);
        if (step !== undefined) {
            this.chosen = (this.chosen + step + this.items.length) % this.items.length;
            this.draw();
        } else if (key === "Enter" || key === "Tab") this.accept(this.chosen);
        else if (key === "Escape") this.close();
        else return false;
        return true;
    }

    /** @param {number} index */
    accept(index) {
        const { range, field } = this;
        const { name, text } = this.items[index];
        if (!range) return;
        const rest = field.text.value.slice(range.end);
        const isRenamed = range.isKey && /^\s*:/.test(rest);
        const comma = !isRenamed && /^\s*["{[]/.test(rest) ? "," : "";
        const inserted = isRenamed ? JSON.stringify(name) : text;
        this.close();
        field.insert(inserted + comma, range.start, range.end);
        const isOpen = range.isKey && !isRenamed && /(""|\{\}|\[\])$/.test(inserted);
        const at = range.start + inserted.length - (isOpen ? 1 : 0);
        field.text.setSelectionRange(at, at);
        if (isOpen && inserted.endsWith('""')) this.update(true);
        else this.close();
    }
}

// A field for JSON: a `textarea` whose lines are painted beneath it, with their numbers, folds and
// marks beside them, and proposals at the cursor.
//
// Undo, selection and screen readers are those of the textarea. A fold is one character of its text,
// so it can be undone, deleted and copied like text. Only the lines in view are painted.
import { h } from "./dom.js";
import { highlighted } from "./json.js";
import { FoldedText } from "./folded-text.js";
import { readTree } from "./json-tree.js";
import { ProposalList } from "./proposal-list.js";

/**
 * @typedef {import("./json-tree.js").Value} Value
 * @typedef {{ start: number, end: number, kind: "bad" | "warn", detail: string }} Mark A range of the whole text.
 */

const lineHeight = 20;
const spareLines = 12;
const pairs = new Map([["{", "}"], ["[", "]"], ['"', '"']]);

export class CodeField {
    /**
     * @param {string} id @param {() => void} changed
     * @param {import("./proposal-list.js").Propose} propose What fits at an offset of the whole text.
     */
    constructor(id, changed, propose) {
        this.shown = new FoldedText("", new Map());
        this.tree = readTree("");
        /** @type {Map<number, { start: number, end: number }>} What can be folded, by its first line. */
        this.foldable = new Map();
        /** @type {Mark[]} */
        this.marks = [];
        this.changed = changed;
        this.text = h("textarea", { id, class: "code-text", spellcheck: "false", autocapitalize: "off", wrap: "off", "aria-autocomplete": "list",
            oninput: () => this.take(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event), onclick: () => this.openClicked(),
            onblur: () => this.list.close() });
        for (const name of ["copy", "cut"]) this.text.addEventListener(name, (/** @type {ClipboardEvent} */ event) => this.copyAll(event));
        this.gutter = h("div", { class: "code-gutter", "aria-hidden": "true" });
        this.paint = h("div", { class: "code-paint", "aria-hidden": "true" });
        this.probe = h("span", { class: "code-probe", "aria-hidden": "true" });
        /** @type {ProposalList} */
        this.list = new ProposalList(this, propose);
        this.body = h("div", { class: "code-body" }, this.paint, this.probe, this.text, this.list.element);
        this.element = h("div", { class: "code-field", onscroll: () => this.draw() }, this.gutter, this.body);
        // Nothing can be measured before the field is in the page.
        new ResizeObserver(() => this.read()).observe(this.element);
    }

    /** @param {string} text */
    begin(text) {
        this.shown.hidden.clear();
        this.text.value = text;
        this.text.setSelectionRange(0, 0);
        this.element.scrollTo(0, 0);
        this.read();
    }

    /** Takes over the text that the user has typed. */
    take() {
        this.read();
        this.reveal();
        this.changed();
        this.list.update(false);
    }

    /** Reads the text anew: its lines, its tree, what can be folded. */
    read() {
        const shown = this.shown = new FoldedText(this.text.value, this.shown.hidden);
        this.tree = readTree(shown.whole);
        this.foldable.clear();
        this.noteFolds(this.tree.root);
        const longest = shown.lines.reduce((best, line) => (line.length > best.length ? line : best), "");
        this.body.style.height = `${shown.lines.length * lineHeight + 24}px`;
        this.body.style.minWidth = `${this.widthOf(longest) + 48}px`;
        this.gutter.style.width = `calc(${Math.max(3, String(shown.numbers.at(-1)).length)}ch + 30px)`;
        this.draw();
    }

    /** @param {Value} value */
    noteFolds(value) {
        for (const part of [...value.members.map((member) => member.value), ...value.items]) this.noteFolds(part);
        if (value.kind !== "object" && value.kind !== "array") return;
        const [start, end] = [this.shown.toView(value.start) + 1, this.shown.toView(value.stop)];
        const line = this.shown.lineOf(start);
        if (end > start && this.shown.lineOf(end) > line) this.foldable.set(line, { start, end });
    }

    /** @param {string} text */
    widthOf(text) {
        this.probe.textContent = text;
        return this.probe.getBoundingClientRect().width;
    }

    /** Where the cursor is, in pixels of the body. */
    cursor() {
        const offset = this.text.selectionDirection === "backward" ? this.text.selectionStart : this.text.selectionEnd;
        const [{ lines, starts }, line] = [this.shown, this.shown.lineOf(offset)];
        return { x: 12 + this.widthOf(lines[line].slice(0, offset - starts[line])), y: 8 + line * lineHeight, height: lineHeight };
    }

    // Selects a range of the whole text, and opens the folds over it.
    /** @param {number} start @param {number} end */
    select(start, end) {
        for (let fold = this.shown.foldOver(start); fold; fold = this.shown.foldOver(start)) this.unfold(fold);
        this.text.focus({ preventScroll: true });
        this.text.setSelectionRange(this.shown.toView(start), this.shown.toView(end));
        this.reveal();
    }

    // Not every browser scrolls to a cursor that a script has moved.
    reveal() {
        const [{ scrollTop, clientHeight }, { y }] = [this.element, this.cursor()];
        if (y < scrollTop || y + lineHeight > scrollTop + clientHeight) this.element.scrollTop = y - clientHeight / 3;
    }

    /** @param {number} line */
    toggle(line) {
        const [range, folded] = [this.foldable.get(line), this.shown.foldIn(line)];
        if (folded) this.unfold(folded);
        else if (range) this.insert(this.shown.fold(range.start, range.end), range.start, range.end);
    }

    /** @param {import("./folded-text.js").Fold} fold */
    unfold({ at, inside }) {
        this.insert(inside, at, at + 1);
        this.text.setSelectionRange(at, at);
    }

    openClicked() {
        const { selectionStart: start, selectionEnd: end } = this.text;
        const fold = this.shown.folds.find(({ at }) => start === end && (at === start || at === start - 1));
        if (fold) this.unfold(fold);
    }

    /** @param {ClipboardEvent} event */
    copyAll(event) {
        const { selectionStart, selectionEnd, value } = this.text;
        if (!this.shown.folds.some(({ at }) => at >= selectionStart && at < selectionEnd)) return;
        event.preventDefault();
        event.clipboardData?.setData("text/plain", this.shown.expanded(value.slice(selectionStart, selectionEnd)));
        if (event.type === "cut") this.insert("", selectionStart, selectionEnd);
    }

    // Replaces a range of what is shown, so that it can be undone.
    /** @param {string} text @param {number} start @param {number} end */
    insert(text, start, end) {
        this.text.focus({ preventScroll: true });
        this.text.setSelectionRange(start, end);
        const isDone = text === "" ? start === end || document.execCommand("delete") : document.execCommand("insertText", false, text);
        if (isDone) return;
        this.text.setRangeText(text, start, end, "end");
        this.take();
    }

    /** @param {KeyboardEvent} event */
    press(event) {
        const { key, code } = event;
        const isCommand = event.ctrlKey || event.metaKey;
        const { selectionStart: start, selectionEnd: end, value } = this.text;
        const [before, after] = [value[start - 1] ?? "", value[end] ?? ""];
        if (this.list.press(key)) return event.preventDefault();
        if (isCommand && code === "Space") this.list.update(true);
        else if (key === "F8") this.next(event.shiftKey ? -1 : 1);
        else if (isCommand && event.shiftKey && /^Bracket(Left|Right)$/.test(code)) this.toggle(this.shown.lineOf(start));
        else if (isCommand || event.altKey || event.isComposing) return;
        else if (key === "Enter") this.breakLine(start, end, before, after);
        else if (start === end && key === after && /["}\]]/.test(key)) this.text.setSelectionRange(start + 1, start + 1);
        else if (start === end && pairs.has(key) && /^[\s,}\]]?$/.test(after) && !(key === '"' && /[\w"\\]/.test(before))) {
            this.insert(key + pairs.get(key), start, end);
            this.text.setSelectionRange(start + 1, start + 1);
            this.list.update(false);
        } else if (key === "Backspace" && start === end && after !== "" && pairs.get(before) === after) this.insert("", start - 1, end + 1);
        else return;
        event.preventDefault();
    }

    /** @param {number} start @param {number} end @param {string} before @param {string} after */
    breakLine(start, end, before, after) {
        const indent = /^ */.exec(this.shown.lines[this.shown.lineOf(start)])?.[0] ?? "";
        const deeper = /[{[]/.test(before) ? `${indent}  ` : indent;
        const closes = pairs.get(before) === after && before !== '"';
        this.insert(`\n${deeper}${closes ? `\n${indent}` : ""}`, start, end);
        this.text.setSelectionRange(start + 1 + deeper.length, start + 1 + deeper.length);
    }

    // To another mark.
    /** @param {1 | -1} direction */
    next(direction) {
        const marks = [...this.marks].sort((a, b) => direction * (a.start - b.start));
        const at = this.shown.toWhole(this.text.selectionStart);
        const next = marks.find(({ start }) => direction * (start - at) > 0) ?? marks[0];
        if (next) this.select(next.start, next.end);
    }

    /** @param {Mark[]} marks */
    show(marks) {
        this.marks = marks;
        this.text.setAttribute("aria-invalid", String(marks.some(({ kind }) => kind === "bad")));
        this.draw();
    }

    draw() {
        const { lines, starts, folds } = this.shown;
        const first = Math.max(0, Math.floor(this.element.scrollTop / lineHeight) - spareLines);
        const last = Math.min(lines.length, first + Math.ceil(this.element.clientHeight / lineHeight) + 2 * spareLines);
        const marks = [...this.marks.map((mark) => ({ ...mark, start: this.shown.toView(mark.start), end: this.shown.toView(mark.end) })),
            ...folds.map(({ at }) => ({ start: at, end: at + 1, kind: "fold", detail: "" }))];
        /** @type {HTMLElement[][]} */
        const [numbers, rows] = [[], []];
        for (let line = first; line < last; line += 1) {
            const [text, start] = [lines[line], starts[line]];
            const own = marks.filter((mark) => mark.start >= start && mark.start <= start + text.length);
            // The same text lies over the line. Only its marks are visible.
            const row = [h("div", { class: "code-row" }, ...highlighted(text)), ...own.map((mark) => h("div", { class: "code-row code-marks" }, text.slice(0, mark.start - start),
                h("span", { class: `code-mark ${mark.kind}`, text: text.slice(mark.start - start, Math.max(mark.end, mark.start + 1) - start) || " " })))];
            numbers.push(this.numberRow(line, own));
            rows.push(...row);
            for (const element of [...row, numbers.at(-1)]) if (element) element.style.top = `${8 + line * lineHeight}px`;
        }
        this.gutter.replaceChildren(...numbers);
        this.paint.replaceChildren(...rows);
    }

    /** @param {number} line @param {{ kind: string, detail: string }[]} marks @returns {HTMLElement} */
    numberRow(line, marks) {
        const kind = ["bad", "warn"].find((one) => marks.some((mark) => mark.kind === one)) ?? "";
        const isFolded = this.shown.foldIn(line) !== undefined;
        return h("div", { class: `code-number ${kind}`, title: marks.map(({ detail }) => detail).join("\n") || undefined },
            h("span", { text: String(this.shown.numbers[line]) }),
            isFolded || this.foldable.has(line) ? h("button", { type: "button", class: `code-chevron${isFolded ? " folded" : ""}`, tabindex: "-1",
                title: isFolded ? "Unfold" : "Fold", onclick: () => this.toggle(line) }) : null);
    }
}

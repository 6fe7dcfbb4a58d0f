// A text of which parts are folded: each is one character of what is shown, which stands for what it
// hides. A character that hides nothing is what the user has typed.

/** @typedef {{ at: number, text: string, inside: string }} Fold `text` is all that it hides, `inside` may have folds. */

const characters = /[\uE000-\uE3FF]/g;

export class FoldedText {
    /** @param {string} view What is shown. @param {Map<string, string>} hidden What characters may stand for. */
    constructor(view, hidden) {
        this.hidden = hidden;
        this.view = view;
        this.whole = this.expanded(view);
        /** @type {Fold[]} */
        this.folds = [...view.matchAll(characters)].filter(([one]) => this.hidden.has(one))
            .map(({ 0: one, index = 0 }) => ({ at: index, text: this.expanded(one), inside: this.hidden.get(one) ?? "" }));
        this.lines = view.split("\n");
        /** @type {number[]} The offset of each line in what is shown. */
        this.starts = [];
        /** @type {number[]} The number of each line in the whole text. */
        this.numbers = [];
        let [start, number] = [0, 1];
        for (const line of this.lines) {
            this.starts.push(start);
            this.numbers.push(number);
            number += this.expanded(line).split("\n").length;
            start += line.length + 1;
        }
    }

    /** @param {string} text @returns {string} */
    expanded(text) {
        return this.hidden.size === 0 ? text : text.replace(characters, (one) => {
            const hidden = this.hidden.get(one);
            return hidden === undefined ? one : this.expanded(hidden);
        });
    }

    /**
     * The character that stands for a range of what is shown from now on; the range itself if there is none left.
     *
     * @param {number} start @param {number} end
     */
    fold(start, end) {
        const range = this.view.slice(start, end);
        const all = Array.from({ length: 0x400 }, (_, index) => String.fromCharCode(0xE000 + index));
        const one = all.find((free) => !this.hidden.has(free) && !this.whole.includes(free));
        if (one) this.hidden.set(one, range);
        return one ?? range;
    }

    /** @param {number} line */
    foldIn(line) {
        return this.folds.find(({ at }) => this.lineOf(at) === line);
    }

    // The fold that hides a place in the whole text.
    /** @param {number} offset */
    foldOver(offset) {
        return this.folds.find(({ at, text }) => this.toWhole(at) <= offset && offset < this.toWhole(at) + text.length);
    }

    /** @param {number} offset In what is shown. */
    toWhole(offset) {
        return this.folds.reduce((sum, { at, text }) => sum + (at < offset ? text.length - 1 : 0), offset);
    }

    /** @param {number} offset In the whole text; what is hidden lies at its fold. */
    toView(offset) {
        let rest = offset;
        for (const { at, text } of this.folds) {
            if (rest < at + text.length) return Math.min(rest, at);
            rest -= text.length - 1;
        }
        return rest;
    }

    /** @param {number} offset In what is shown. */
    lineOf(offset) {
        let [low, high] = [0, this.starts.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.starts[middle] <= offset) low = middle;
            else high = middle - 1;
        }
        return low;
    }
}

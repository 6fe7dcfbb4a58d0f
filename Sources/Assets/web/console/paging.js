// The way through what does not fit on one page of a list.
import { announce, h, replace } from "./dom.js";
import { grouped } from "./words.js";

/**
 * @param {HTMLElement} place @param {{ start: number, size: number, total: number, what: string }} page
 * @param {(start: number) => void} turn
 */
export function drawPaging(place, { start, size, total, what }, turn) {
    const endOf = (/** @type {number} */ first) => Math.min(total, first + size);
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {number} */ first, /** @type {boolean} */ disabled) =>
        h("button", { type: "button", class: "small", text, "aria-label": label, disabled, data: { key: `page-${label}`, heir: "" }, onclick: () => {
            turn(first);
            announce(`${what} ${first + 1} to ${endOf(first)} of ${total}`);
        } });
    place.hidden = total <= size;
    replace(place, button("←", "Previous page", start - size, start === 0),
        h("span", { class: "dim", text: `${start + 1}–${endOf(start)} of ${grouped(total)}` }),
        button("→", "Next page", start + size, endOf(start) >= total));
}

// The search over the contents of the API page: by path, name, summary and description.
import { h } from "./dom.js";

/**
 * A field that hides what does not fit in the list, and opens the first operation that does.
 *
 * @param {{ id: string, words: string, link: HTMLElement }[]} items In the order of the list.
 */
export function searchField(items) {
    const count = h("p", { class: "dim search-count", role: "status" });
    const input = h("input", {
        type: "search", id: "search", "aria-label": "Search operations", autocomplete: "off",
        placeholder: "Search ( / )", "aria-keyshortcuts": "/",
    });
    const found = () => items.filter(({ link }) => !link.hidden);
    input.addEventListener("input", () => {
        const wanted = input.value.trim().toLowerCase().split(/\s+/);
        for (const { words, link } of items) {
            link.hidden = !wanted.every((/** @type {string} */ word) => words.includes(word));
        }
        hideEmpty(items);
        count.textContent = input.value.trim() === "" ? "" : `${found().length} found`;
    });
    const submit = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const [first] = found();
        if (first) location.hash = first.id;
    };
    document.addEventListener("keydown", (event) => {
        const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
        if (event.key !== "/" || isTyping) return;
        event.preventDefault();
        input.focus();
    });
    return h("form", { class: "search", role: "search", onsubmit: submit }, input, count);
}

/** @param {{ link: HTMLElement }[]} items Hides the headings under which nothing is left. */
function hideEmpty(items) {
    for (const { link } of items) {
        const section = link.closest("section");
        if (section) section.hidden = !section.querySelector("li:not([hidden])");
    }
}

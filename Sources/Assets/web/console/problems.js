// The pages about problems can be read without this: it has the curl lines name this server and be
// copied, colors the responses, and searches the list.
import { copyButton, h } from "./dom.js";
import { highlighted } from "./json.js";

const written = "http://localhost:8080";

for (const place of document.querySelectorAll("[data-curl]")) {
    const line = (place.textContent ?? "").replaceAll(written, location.origin);
    place.textContent = line;
    const box = h("div", { class: "curl-box" });
    place.replaceWith(box);
    box.append(place, copyButton("curl line", () => line));
}
for (const place of document.querySelectorAll("[data-json]")) place.replaceChildren(...highlighted(place.textContent ?? ""));
const list = document.getElementById("problems");
if (list) list.parentElement?.before(searchField(list));

/** @param {HTMLElement} list */
function searchField(list) {
    const input = h("input", {
        type: "search", class: "problem-search", "aria-label": "Search problems",
        placeholder: "Search by name, status or words", autocomplete: "off",
    });
    input.addEventListener("input", () => {
        const wanted = input.value.trim().toLowerCase().split(/\s+/);
        let heading = /** @type {HTMLElement | null} */ (null);
        for (const element of /** @type {Iterable<HTMLElement>} */ (/** @type {any} */ (list.children))) {
            if (element.localName === "h2") {
                heading = element;
                heading.hidden = true;
                continue;
            }
            const text = `${heading?.textContent} ${element.textContent}`.toLowerCase();
            element.hidden = !wanted.every((/** @type {string} */ word) => text.includes(word));
            if (!element.hidden && heading) heading.hidden = false;
        }
    });
    return input;
}

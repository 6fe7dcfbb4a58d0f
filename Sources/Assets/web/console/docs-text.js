// The Markdown of the document's descriptions: paragraphs, lists, tables, indented code, `code`, *stress*.
import { h } from "./dom.js";

/** @param {string} [text] @returns {HTMLElement[]} */
export function textBlocks(text = "") {
    return text.trim().split(/\n{2,}/).filter(Boolean).flatMap(block);
}

/** @param {string} text @returns {HTMLElement[]} */
function block(text) {
    const lines = text.split("\n");
    if (lines.every((line) => /^ {4}/.test(line))) {
        return [
            h(
                "pre",
                {
                    class: "json", tabindex: "0", role: "region", "aria-label": "Example",
                    text: lines.map((line) => line.slice(4)).join("\n"),
                },
            ),
        ];
    }
    if (lines.every((line) => line.startsWith("|"))) return [table(lines)];
    const start = lines.findIndex((line) => /^- /.test(line));
    if (start < 0) return [h("p", {}, ...textLine(lines.join(" ")))];
    const items = lines.slice(start).join("\n").split(/^- /m).filter(Boolean);
    const list = h("ul", { class: "text-list" }, ...items.map((item) => h("li", {}, ...textLine(item.replace(/\s*\n\s*/g, " ")))));
    return start === 0 ? [list] : [h("p", {}, ...textLine(lines.slice(0, start).join(" "))), list];
}

/** @param {string[]} lines @returns {HTMLElement} */
function table(lines) {
    const [head, , ...rows] = lines.map((line) => line.replace(/^\| ?| ?\|$/g, "").split(/ \| /));
    const row = (/** @type {string[]} */ cells, /** @type {string} */ name) => h("tr", {}, ...cells.map((cell) => h(name, {}, ...textLine(cell))));
    return h("table", { class: "text-table" }, h("thead", {}, row(head, "th")), h("tbody", {}, ...rows.map((cells) => row(cells, "td"))));
}

/** @param {string} text @returns {(Node | string)[]} */
export function textLine(text) {
    return text.trim().split(/(`[^`]+`|\*[^*]+\*)/).map((part) => {
        if (/^`.+`$/.test(part)) return h("code", { text: part.slice(1, -1) });
        if (/^\*.+\*$/.test(part)) return h("em", { text: part.slice(1, -1) });
        return part;
    });
}

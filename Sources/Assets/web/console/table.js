// The sessions as a table, while none is open: columns that sort, labels that filter, and a selection.
import { h, localTime, shortened, timeAgo } from "./dom.js";
import { address, filtersOf } from "./address.js";
import { labelsOf } from "./directory.js";
import { paramsText } from "./words.js";

/** @type {[string, string][]} The columns that sort, by the name of their order. */
const columns = [["id", "Id"], ["app", "App"], ["screen", "Screen"], ["", "Labels"], ["revision", "Revision"],
    ["watchers", "Watching"], ["changed", "Changed"]];

/**
 * @param {any[]} items @param {Set<string>} selected @param {string} sort
 * @param {{ sort: (name: string) => void, choose: (id: string) => void, select: () => void }} act
 */
export function sessionTable(items, selected, sort, act) {
    const isAll = items.length > 0 && items.every((item) => selected.has(item.id));
    const every = h("input", { type: "checkbox", "aria-label": "Select the sessions of this page", data: { key: "select-page" }, checked: isAll, onchange: () => {
        for (const { id } of items) isAll ? selected.delete(id) : selected.add(id);
        act.select();
    } });
    return h("table", { class: "session-table" },
        h("thead", {}, h("tr", {}, h("th", { class: "select" }, every), ...columns.map((column) => heading(column, sort, act.sort)))),
        h("tbody", {}, ...items.map((item) => row(item, selected, act))));
}

/** @param {[string, string]} column @param {string} sort @param {(name: string) => void} choose */
function heading([name, title], sort, choose) {
    if (!name) return h("th", { class: "labels-cell", text: title });
    const isSorted = sort.replace("-", "") === name;
    // These begin with the largest.
    const isDown = ["changed", "revision", "watchers"].includes(name) !== sort.startsWith("-");
    return h("th", { class: `${name}-cell`, "aria-sort": isSorted ? (isDown ? "descending" : "ascending") : undefined },
        h("button", { type: "button", text: title, data: { key: `sort-${name}` }, onclick: () => choose(sort === name ? `-${name}` : name) }));
}

/** @param {any} item @param {Set<string>} selected @param {any} act */
function row(item, selected, act) {
    const place = [item.visible.title ?? item.visible.route, paramsText(item.visible.params)].filter(Boolean).join(" ");
    const box = h("input", { type: "checkbox", "aria-label": `Select ${item.id}`, checked: selected.has(item.id), data: { key: `select-${item.id}` }, onchange: () => {
        if (box.checked) selected.add(item.id);
        else selected.delete(item.id);
        act.select();
    } });
    return h("tr", { class: `session-row${selected.has(item.id) ? " chosen" : ""}`, onclick: (/** @type {any} */ event) => {
        if (!event.target.closest("a, input, label, button")) act.choose(item.id);
    } },
    h("td", { class: "select" }, box),
    h("td", { class: "id-cell" }, h("a", { href: address({ session: item.id }), data: { key: `session-${item.id}` } }, shortened(item.id, { class: "session-id" }))),
    h("td", { class: "app-cell", text: item.app ?? "free-form" }), h("td", { class: "screen-cell", text: place, title: place }),
    h("td", { class: "labels-cell" }, chips(item)), h("td", { class: "revision-cell", text: String(item.revision) }),
    h("td", { class: "watchers-cell", text: String(item.watchers || "") }),
    h("td", { class: "changed-cell" }, h("time", { datetime: item.updatedAt, title: localTime(item.updatedAt), text: timeAgo(item.updatedAt) })));
}

/**
 * Labels as links to the sessions that have them, too.
 *
 * @param {any} item
 */
export function chips(item, session = "") {
    const filters = filtersOf();
    return h("ul", { class: "labels", "aria-label": "Labels" }, ...labelsOf(item).map((label) => h("li", {}, h("a", {
        href: address({ session }, { ...filters, labels: [...new Set([...filters.labels, label])] }),
        title: `Show the sessions with ${label}`, text: label.replace(":", ": "), data: { key: `label-${item.id}-${label}` },
    }))));
}

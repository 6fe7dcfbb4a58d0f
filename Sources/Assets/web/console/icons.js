// Line drawings, 24 by 24: the symbols that an app names for its tabs (`symbols.js`), and those of the
// pages themselves. A letter in a circle (`a.circle`) is a symbol, too; a tab whose symbol has no
// drawing gets the first letter of its title.
import { svg } from "./dom.js";
import { symbols } from "./symbols.js";

// Maps, since names come from apps: an object would also find members of `Object`.
const known = new Map(Object.entries(symbols));
const own = new Map(Object.entries({
    undo: "M9 6 4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-2",
    redo: "M15 6l4.5 4.5L15 15M19 10.5h-9a5 5 0 0 0 0 10h2",
    copy: "M9 9h10v10H9zM5 15V5h10",
    unlock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 5.5-1.7",
    top: "M5 4h14M12 20V8M7 13l5-5 5 5",
    back: "M15 5l-7 7 7 7",
    forward: "M9 5l7 7-7 7",
    pause: "M8 5v14M16 5v14",
    stop: "M7 7h10v10H7z",
    contrast: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 4v16",
    keyboard: "M3 7h18v10H3zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17 10.5h.01M8 14h8",
    record: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
    sheet: "M7 4.5h10M4 9h16v11H4z",
    curl: "M4 6h16v12H4zM7.5 10l2.5 2-2.5 2M12.5 14.5h4",
}));

/** @param {string} name Of a drawing of the pages. */
export function icon(name) {
    return drawing(own.get(name) ?? known.get(name) ?? "");
}

/** @param {string} path */
function drawing(path) {
    return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}

/**
 * The drawing of a symbol: that of the longest beginning that has one, so that `person.fill` is a
 * `person` and `square.and.pencil` no `square`.
 *
 * @param {string} name @returns {string | undefined}
 */
function symbol(name) {
    for (let words = name.split("."); words.length > 0; words = words.slice(0, -1)) {
        const path = known.get(words.join("."));
        if (path) return path;
    }
}

/**
 * The first character as a reader sees it: an emoji is several code units, and often several points.
 *
 * @param {string} title
 */
export function initial(title) {
    const [first] = new Intl.Segmenter("en").segment(title);
    return (first?.segment ?? "").toUpperCase();
}

/** @param {string | undefined} name @param {string} title */
export function tabIcon(name = "", title) {
    const circled = /^(\w)\.circle/.exec(name);
    const path = circled ? undefined : symbol(name);
    if (path) return drawing(path);
    const letter = svg("text", { x: 12, y: 16, "text-anchor": "middle", class: "letter" });
    letter.textContent = initial(circled ? circled[1] : title);
    return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
        svg("circle", { cx: 12, cy: 12, r: 9 }), letter);
}

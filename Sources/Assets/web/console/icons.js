// Line drawings, 24 by 24. An app names its tabs' icons as SwiftUI does; the ones that are used
// most have a drawing here, a letter in a circle (`a.circle`) is one, and any other name is shown
// by the first letter of the tab's title. The tooltip has the name itself.
import { svg } from "./dom.js";

// A map, since the names come from apps: an object would also find members of `Object`.
const paths = new Map(Object.entries({
    house: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z",
    magnifyingglass: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20",
    person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20c.8-4 3.6-6 7.5-6s6.700 2 7.500 6",
    gearshape: "M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M18.400 5.600l-2.100 2.100M7.700 16.300l-2.100 2.100",
    bubble: "M5 5h14a1.500 1.500 0 0 1 1.500 1.500v8A1.500 1.500 0 0 1 19 16h-7l-5 4v-4H5a1.500 1.500 0 0 1-1.500-1.500v-8A1.500 1.500 0 0 1 5 5z",
    bag: "M6 8h12l1 12H5zM9 10V7a3 3 0 0 1 6 0v3",
    cart: "M3 5h2l2.500 10h10L20 8H6.500M9 19h.01M16 19h.01",
    square: "M12 4l8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4",
    bell: "M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500h4",
    heart: "M12 20s-7.500-4.600-7.500-10A4.200 4.200 0 0 1 12 7.300 4.200 4.200 0 0 1 19.500 10c0 5.400-7.500 10-7.500 10z",
    star: "M12 4l2.500 5.200 5.500.8-4 4 1 5.700-5-2.700-5 2.700 1-5.700-4-4 5.500-.8z",
    list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
    map: "M9 5 4 7v12l5-2 6 2 5-2V5l-5 2zM9 5v12M15 7v12",
    book: "M5 5h5a2 2 0 0 1 2 2v13a2 2 0 0 0-2-2H5zM19 5h-5a2 2 0 0 0-2 2v13a2 2 0 0 1 2-2h5z",
    calendar: "M5 6h14v14H5zM5 10h14M9 4v4M15 4v4",
    envelope: "M4 6h16v12H4zM4 7l8 6 8-6",
    undo: "M9 6 4.500 10.500 9 15M5 10.500h9a5 5 0 0 1 0 10h-2",
    redo: "M15 6l4.500 4.500L15 15M19 10.500h-9a5 5 0 0 0 0 10h2",
    share: "M12 15V4M8 8l4-4 4 4M6 12v8h12v-8",
    trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
    plus: "M12 5v14M5 12h14",
    eye: "M3 12s3.300-6 9-6 9 6 9 6-3.300 6-9 6-9-6-9-6zM12 9.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z",
    copy: "M9 9h10v10H9zM5 15V5h10",
    lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
    unlock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 5.500-1.700",
    top: "M5 4h14M12 20V8M7 13l5-5 5 5",
    back: "M15 5l-7 7 7 7",
    forward: "M9 5l7 7-7 7",
    play: "M8 5l11 7-11 7z",
    pause: "M8 5v14M16 5v14",
    record: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
    stop: "M7 7h10v10H7z",
    contrast: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 4v16",
    sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
    moon: "M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z",
    key: "M8 9a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 13h9M18 13v3",
    keyboard: "M3 7h18v10H3zM7 10.500h.01M10.500 10.500h.01M14 10.500h.01M17 10.500h.01M8 14h8",
    up: "M4 14h16v6H4zM12 11V3M8 7l4-4 4 4",
}));

/** @param {string} name */
export function icon(name) {
    return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
        svg("path", { d: paths.get(name) ?? "" }));
}

/** @param {string | undefined} name @param {string} title */
export function tabIcon(name, title) {
    const circled = /^(\w)\.circle/.exec(name ?? "");
    const [base] = (name ?? "").split(".");
    if (paths.has(base) && !circled) return icon(base);
    const letter = svg("text", { x: 12, y: 16, "text-anchor": "middle", class: "letter" });
    letter.textContent = (circled ? circled[1] : title.slice(0, 1)).toUpperCase();
    return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
        svg("circle", { cx: 12, cy: 12, r: 9 }), letter);
}

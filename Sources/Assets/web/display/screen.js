// The screen, drawn from a session: the selected tab, and the sheets over it. Only the top layer can
// be used; those below are inert.
//
// It looks like an app and not like a tool: titles, what a screen was given, and where one can go
// from it without being asked for more.
import { h } from "../console/dom.js";
import { icon, tabIcon } from "../console/icons.js";
import { words } from "./titles.js";

/**
 * What a screen is drawn from. `act` is null for a display that cannot be tapped.
 *
 * @typedef {object} View
 * @property {any} session
 * @property {import("./titles.js").Titles} titles
 * @property {((command: string, body?: object) => void) | null} act
 */

/** @param {View} view @returns {HTMLElement[]} */
export function layers(view) {
    const { session, titles } = view;
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const isBase = session.sheets.length === 0;
    const base = h("section", { class: `layer base${isBase ? " on-top" : ""}`, inert: !isBase },
        titleBar(view, titles.root(tab.id), tab.path),
        content(view, tab.path.at(-1), titles.root(tab.id), isBase),
        isBase && session.visible.tabBarHidden ? null : tabBar(view));
    return [base, ...session.sheets.map((/** @type {any} */ sheet, /** @type {number} */ index) =>
        sheetLayer(view, sheet, index))];
}

/** @param {View} view @param {any} sheet @param {number} index */
function sheetLayer(view, sheet, index) {
    const isTop = index === view.session.sheets.length - 1;
    const title = view.titles.route(sheet.route);
    const isHalf = sheet.detents?.length && !sheet.detents.includes("large");
    const kind = sheet.style === "fullScreenCover" ? "cover" : `sheet${isHalf ? " half" : ""}`;
    const layer = h("section", {
        class: `layer ${kind}${isTop ? " on-top" : ""}`, inert: !isTop, role: "dialog", "aria-label": title,
    }, titleBar(view, title, sheet.path, sheet), content(view, sheet.path.at(-1) ?? sheet, title, isTop));
    layer.style.setProperty("--level", String(index));
    return layer;
}

/** @param {View} view @param {string} rootTitle @param {any[]} path @param {any} [sheet] */
function titleBar({ titles, act }, rootTitle, path, sheet) {
    const top = path.at(-1);
    const below = path.length > 1 ? titles.route(path[path.length - 2].route) : rootTitle;
    const back = top && act ? h("button", {
        type: "button", "aria-label": `Back to ${below}`, onclick: () => act("back"),
    }, icon("back"), h("span", { text: below })) : h("span");
    const close = sheet && act && sheet.dismissible !== false ? h("button", {
        type: "button", class: "trailing", text: "Close", onclick: () => act("dismiss", { sheet: sheet.id }),
    }) : h("span");
    return h("header", { class: "bar" }, back,
        h("h1", { tabindex: "-1", text: top ? titles.route(top.route) : rootTitle }), close);
}

/** @param {View} view @param {any} entry @param {string} rootTitle @param {boolean} isTop */
function content(view, entry, rootTitle, isTop) {
    const title = entry ? view.titles.route(entry.route) : rootTitle;
    const facts = factRows(entry?.params ?? {});
    const doors = isTop && view.act ? doorRows(view) : [];
    return h("div", { class: "content" },
        h("p", { class: "large-title", "aria-hidden": "true", text: title }),
        facts.length > 0 && h("dl", { class: "group facts" }, ...facts),
        doors.length > 0 && h("div", { class: "group" }, ...doors));
}

/** @param {Record<string, any>} params @returns {HTMLElement[]} */
function factRows(params) {
    return Object.entries(params).flatMap(([name, value]) => {
        if (value !== null && typeof value === "object") return factRows(value);
        return [h("div", {}, h("dt", { text: words(name) }), h("dd", { text: String(value) }))];
    });
}

/**
 * Where one can go from here. What needs params is left out: only the app knows what to ask for.
 *
 * @param {View} view
 */
function doorRows({ titles, act }) {
    const isFree = (/** @type {any} */ item) =>
        item.holds !== false && (item.params?.required ?? []).length === 0;
    const row = (/** @type {string} */ command, /** @type {any} */ item) => h("button", {
        type: "button", class: "row", onclick: () => act?.(command, { route: item.route }),
    }, h("span", { text: titles.route(item.route) }), icon(command === "present" ? "up" : "forward"));
    const push = (titles.allowed.push ?? []).filter(isFree);
    const pushed = new Set(push.map((item) => item.route));
    const present = (titles.allowed.present ?? []).filter(isFree)
        .filter((item) => !pushed.has(item.route));
    return [...push.map((item) => row("navigate", item)), ...present.map((item) => row("present", item))];
}

/** @param {View} view */
function tabBar({ session, titles, act }) {
    const tabs = session.tabs.filter((/** @type {any} */ tab) => !tab.hidden);
    if (tabs.length < 2) return null;
    return h("nav", { class: "tabs", "aria-label": "Tabs" }, ...tabs.map((/** @type {any} */ tab) => {
        const title = titles.tabTitle(tab.id);
        return h("button", {
            type: "button", class: "tab", disabled: !act,
            "aria-current": tab.id === session.selectedTab ? "page" : undefined,
            onclick: () => act?.("select", { tab: tab.id }),
        }, h("span", { class: "tab-icon" }, tabIcon(titles.tab(tab.id).icon, title),
            tab.badge === undefined ? null : h("span", { class: "badge", text: String(tab.badge) })),
        h("span", { text: title }));
    }));
}

/** @param {string} title @param {string} text */
export function emptyScreen(title, text) {
    return h("section", { class: "empty" }, h("h1", { text: title }), h("p", { text }));
}

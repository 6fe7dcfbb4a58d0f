// The screen, drawn from a session: the selected tab, and the sheets over it. Only the top layer can
// be used; those below are inert.
//
// It looks like an app and not like a tool: titles, what a screen was given, and where one can go
// from it without being asked for more.
import { h } from "../console/dom.js";
import { icon, tabIcon } from "../console/icons.js";
import { dialogLayer, isDialog } from "./dialog.js";
import { readable } from "./params.js";

/**
 * The values that a screen is drawn from. `act` is null for a display that cannot be tapped.
 *
 * @typedef {object} View
 * @property {any} session
 * @property {import("./titles.js").Titles} titles
 * @property {((command: string, body?: object) => void) | null} act
 */

/** The styles that cover the tab bar. */
const covering = new Set(["sheet", "fullScreenCover"]);

/** @param {View} view @returns {HTMLElement[]} */
export function layers(view) {
    const { session, titles } = view;
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const isBase = session.sheets.length === 0;
    const root = titles.root(session, tab);
    const isCovered = session.sheets.some((/** @type {any} */ sheet) => covering.has(sheet.style));
    const tabs = !isCovered && session.visible.tabBarHidden ? null : tabBar(view);
    const base = h("section", { class: `layer base${isBase ? " on-top" : ""}${tabs ? " tabbed" : ""}`, inert: !isBase },
        titleBar(view, [root, ...tab.path], isBase), content(view, tab.path.at(-1) ?? root, isBase), tabs);
    return [base, ...session.sheets.map((/** @type {any} */ sheet, /** @type {number} */ index) =>
        isDialog(sheet) ? dialogLayer(sheet, may(view, "dismiss")) : sheetLayer(view, sheet, index))];
}

/**
 * Sends a command, if the display can be tapped and its token may send it.
 *
 * @param {View} view @param {string} command
 */
function may({ act, titles }, command) {
    return !act || titles.allowed.commands?.includes(command) === false ? null
        : (/** @type {object} */ body = {}) => act(command, body);
}

/** @param {any} sheet */
function kindOf(sheet) {
    if (sheet.style === "fullScreenCover") return "cover";
    if (sheet.style === "popover" || sheet.style === "inspector") return sheet.style;
    return sheet.detents?.length && !sheet.detents.includes("large") ? "sheet half" : "sheet";
}

/** @param {View} view @param {any} sheet @param {number} index */
function sheetLayer(view, sheet, index) {
    const isTop = index === view.session.sheets.length - 1;
    const layer = h("section", {
        class: `layer ${kindOf(sheet)}${isTop ? " on-top" : ""}`, inert: !isTop, role: "dialog",
        "aria-label": view.titles.screen(sheet), data: sheet.anchor ? { anchor: sheet.anchor } : {},
    }, titleBar(view, [sheet, ...sheet.path], isTop, sheet), content(view, sheet.path.at(-1) ?? sheet, isTop));
    layer.style.setProperty("--level", String(index));
    return layer;
}

/**
 * A locked screen has no button that would remove it.
 *
 * @param {View} view @param {any[]} screens From the root to the top. @param {boolean} isTop @param {any} [sheet]
 */
function titleBar(view, screens, isTop, sheet) {
    const [beneath, top] = [screens.at(-2), screens.at(-1)];
    const goBack = beneath && !top.locked ? may(view, "back") : null;
    const isLocked = sheet?.dismissible === false || screens.some((screen) => screen.locked);
    const dismiss = sheet && !isLocked ? may(view, "dismiss") : null;
    const below = beneath && ((isTop ? view.session.visible.backTitle : undefined) ?? view.titles.screen(beneath));
    return h("header", { class: `bar${goBack || dismiss ? "" : " bare"}` },
        goBack ? h("button", {
            type: "button", "aria-label": `Back to ${below}`, onclick: () => goBack(),
        }, icon("back"), h("span", { text: below })) : h("span"),
        h("h1", { tabindex: "-1", text: view.titles.screen(top) }),
        dismiss ? h("button", {
            type: "button", class: "trailing", text: "Close", onclick: () => dismiss({ sheet: sheet.id }),
        }) : h("span"));
}

/** @param {View} view @param {any} screen @param {boolean} isTop */
function content(view, screen, isTop) {
    const { titles } = view;
    const title = titles.screen(screen);
    const facts = readable(screen.params ?? {}, titles.params(screen.route), titles.app?.$defs, title)
        .map(({ label, text }) => h("div", {}, h("dt", { text: label }), h("dd", { text })));
    const { pushed, presented } = isTop && view.act ? doorRows(view) : { pushed: [], presented: [] };
    return h("div", { class: "content" },
        h("p", { class: "large-title", "aria-hidden": "true", text: title }),
        facts.length > 0 && h("dl", { class: "group facts" }, ...facts),
        pushed.length > 0 && h("div", { class: "group" }, ...pushed),
        presented.length > 0 && h("div", { class: "group" }, ...presented));
}

/**
 * Where one can go from here, but not to what is shown already. What needs params is left out: only
 * the app knows what to ask for.
 *
 * @param {View} view
 */
function doorRows({ session, titles, act }) {
    const seen = new Set([session.visible.route, ...session.sheets.map((/** @type {any} */ sheet) => sheet.route)]);
    const isFree = (/** @type {any} */ item) =>
        item.holds !== false && (item.params?.required ?? []).length === 0 && !seen.has(item.route);
    const rows = (/** @type {string} */ command, /** @type {any[]} */ items) => items.filter(isFree).map((item) => {
        seen.add(item.route);
        return h("button", {
            type: "button", class: `row ${command}`, onclick: () => act?.(command, { route: item.route }),
        }, h("span", { text: titles.route(item.route) }), command === "navigate" && icon("forward"));
    });
    return { pushed: rows("navigate", titles.allowed.push ?? []), presented: rows("present", titles.allowed.present ?? []) };
}

/** @param {View} view */
function tabBar(view) {
    const { session, titles } = view;
    const tabs = session.tabs.filter((/** @type {any} */ tab) => !tab.hidden);
    if (tabs.length < 2) return null;
    const select = may(view, "select");
    return h("nav", { class: "tabs", "aria-label": "Tabs" }, ...tabs.map((/** @type {any} */ tab) => {
        const title = titles.tabTitle(tab.id);
        return h("button", {
            type: "button", class: "tab", disabled: !select,
            "aria-current": tab.id === session.selectedTab ? "page" : undefined,
            onclick: () => select?.({ tab: tab.id }),
        }, h("span", { class: "tab-icon" }, tabIcon(titles.tab(tab.id).icon, title),
            tab.badge === undefined ? null : h("span", { class: "badge", text: String(tab.badge) })),
        h("span", { class: "tab-title", text: title }));
    }));
}

/** @param {string} title @param {string} text */
export function emptyScreen(title, text) {
    return h("section", { class: "empty" }, h("h1", { text: title }), h("p", { text }));
}

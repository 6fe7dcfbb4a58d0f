// A phone, drawn from the state.
//
//     screen
//       layer   the selected tab: title bar, visible screen, tab bar
//       layer   the first sheet, a card (or a cover, edge to edge) over it
//       layer   the second sheet …
//
// Only the top layer can be used; those below are dimmed and inert. What the top layer shows is a
// list, as apps have it: first the params, then what may be pushed and presented from here.
import { h } from "./dom.js";
import { guardMark } from "./facts.js";
import { icon, tabIcon } from "./icons.js";
import { dialogLayer, isDialog } from "./phone-dialog.js";
import { editButton } from "./editing.js";
import { askAndNavigate, askAndPresent, askAnyRoute } from "./actions.js";
import { group, paramsGroup } from "./params.js";
import { paramsText } from "./words.js";

/** @typedef {import("./view.js").SessionView} Model */

/** How far a sheet must be pulled down to be dismissed. */
const pullPixelsMin = 70;

/** The styles that cover the tab bar. */
const covering = new Set(["sheet", "fullScreenCover"]);

/** @param {Model} model @returns {HTMLElement} */
export function phone(model) {
    const session = model.shown;
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const root = model.rootOf(tab);
    const visible = tab.path[tab.path.length - 1] ?? root;
    const isOnTop = session.sheets.length === 0;
    const isCovered = session.sheets.some((/** @type {any} */ sheet) => covering.has(sheet.style));
    const hidesTabBar = isCovered ? Boolean(model.route(visible.route)?.hidesTabBar) : session.visible.tabBarHidden;
    const base = layer("base", isOnTop, titleBar(model, [root, ...tab.path], isOnTop),
        content(model, visible, isOnTop), hidesTabBar ? null : tabBar(model, session));
    const sheets = session.sheets.map((/** @type {any} */ sheet, /** @type {number} */ index) =>
        isDialog(sheet) ? dialogLayer(model, sheet)
            : sheetLayer(model, sheet, index, index === session.sheets.length - 1));
    const screen = h("div", { class: "screen" }, base, ...sheets);
    const label = `${model.titleOf(session.visible)} is visible`;
    const element = h("div", { class: "phone", role: "group", "aria-label": `Phone: ${label}` }, screen);
    element.classList.toggle("past", Boolean(model.past));
    return element;
}

/** @param {string} kind @param {boolean} isOnTop @param {...(Node | null)} children */
function layer(kind, isOnTop, ...children) {
    return h("div", { class: `layer ${kind}${isOnTop ? " on-top" : ""}`, inert: !isOnTop }, ...children);
}

/** @param {string} style */
function kindOf(style) {
    return { fullScreenCover: "cover", popover: "popover", inspector: "card half inspector" }[style] ?? "card";
}

/** @param {Model} model @param {any} sheet @param {number} index @param {boolean} isOnTop */
function sheetLayer(model, sheet, index, isOnTop) {
    const kind = kindOf(sheet.style);
    const title = model.screenTitle(sheet);
    const isLocked = sheet.dismissible === false || sheet.path.some((/** @type {any} */ entry) => entry.locked);
    const dismiss = () => model.run(
        "dismiss", isLocked ? { sheet: sheet.id, force: true } : { sheet: sheet.id },
    );
    const grabber = kind === "cover" || kind === "popover" ? null : h("button", {
        type: "button", class: "grabber", data: { key: `grabber-${sheet.id}` },
        "aria-label": `Swipe ${title} down`, title: "Swipe down, or click, to dismiss",
        disabled: isLocked || model.isStill || !model.may("dismiss"), onclick: dismiss,
    });
    const element = layer(kind, isOnTop, grabber,
        titleBar(model, [sheet, ...sheet.path], isOnTop, { title, isLocked, dismiss, id: sheet.id }),
        content(model, sheet.path[sheet.path.length - 1] ?? sheet, isOnTop));
    element.style.setProperty("--level", String(index));
    if (sheet.anchor) element.dataset.anchor = sheet.anchor;
    const isHalf = sheet.detents?.length && !sheet.detents.includes("large");
    if (kind === "card" && isHalf) element.classList.add("half");
    if (grabber && !grabber.disabled && isOnTop) swipeDown(element, grabber, dismiss);
    return element;
}

/** @param {HTMLElement} element @param {HTMLElement} handle @param {() => void} dismiss */
function swipeDown(element, handle, dismiss) {
    let start = 0;
    let pulled = 0;
    handle.addEventListener("pointerdown", (event) => {
        start = event.clientY;
        pulled = 0;
        handle.setPointerCapture(event.pointerId);
        element.classList.add("pulled");
    });
    handle.addEventListener("pointermove", (event) => {
        if (!element.classList.contains("pulled")) return;
        pulled = Math.max(0, event.clientY - start);
        element.style.setProperty("--pull", `${pulled}px`);
    });
    const release = () => {
        element.classList.remove("pulled");
        element.style.removeProperty("--pull");
    };
    handle.addEventListener("pointercancel", release);
    handle.addEventListener("pointerup", release);
    // A pull ends in a click, which dismisses the sheet. After a short pull it is ignored.
    handle.addEventListener("click", (event) => {
        if (pulled === 0 || pulled >= pullPixelsMin) return;
        event.stopImmediatePropagation();
        pulled = 0;
    }, true);
}

/**
 * @param {Model} model @param {any[]} screens From the root to the top. @param {boolean} isOnTop
 * @param {{ title: string, isLocked: boolean, dismiss: () => void, id: string }} [sheet]
 */
function titleBar(model, screens, isOnTop, sheet) {
    const isStill = model.isStill || !model.may("back");
    const [beneath, top] = screens.slice(-2).length === 2 ? screens.slice(-2) : [undefined, screens[0]];
    const below = beneath && model.backTitle(beneath, isOnTop);
    const which = beneath && beneath !== screens[0] ? ` ${paramsText(beneath.params)}`.trimEnd() : "";
    const label = `Back to ${below}${which}${top.locked ? " (locked)" : ""}`;
    const back = beneath && h("button", {
        type: "button", class: "bar-button", disabled: isStill, data: { key: "back", heir: "" },
        "aria-label": label, title: label, onclick: () => model.run("back", top.locked ? { force: true } : {}),
    }, icon(top.locked ? "lock" : "back"), h("span", { text: below }));
    const close = sheet && h("button", {
        type: "button", class: "bar-button trailing", disabled: model.isStill || !model.may("dismiss"),
        data: { key: beneath ? `dismiss-${sheet.id}` : "back", heir: beneath ? undefined : "" },
        "aria-label": sheet.isLocked ? `Dismiss ${sheet.title} (locked)` : `Dismiss ${sheet.title}`,
        onclick: sheet.dismiss, text: sheet.isLocked ? "Locked" : "Close",
    });
    return h("header", { class: "title-bar" }, back ?? h("span"),
        h("h3", { class: "title", text: model.screenTitle(top) }), close ?? h("span"));
}

// The visible screen

/**
 * @param {Model} model
 * @param {any} screen An entry, a sheet, or the root of a tab.
 * @param {boolean} isOnTop
 */
function content(model, screen, isOnTop) {
    const title = model.screenTitle(screen);
    const isRoot = model.shown.tabs.some((/** @type {any} */ tab) => tab.id === screen.id);
    // Without a control in it, it could not be scrolled by keyboard.
    const isBare = isOnTop && model.isStill;
    return h("div", { class: "content", tabindex: isBare ? "0" : undefined, role: isBare ? "group" : undefined,
        "aria-label": isBare ? title : undefined, data: { key: "content" } },
        h("p", { class: "large-title", text: title }),
        isOnTop || !isRoot ? h("p", { class: "route" }, h("code", { text: screen.route }),
            isRoot ? null : h("code", { class: "dim", text: screen.id }),
            isRoot || !isOnTop || model.isStill || !model.allowed || !model.may("setParams") ? null : lockButton(model, screen, title)) : null,
        paramsGroup(model, screen, isOnTop),
        isOnTop && !model.past && model.mayControl ? doors(model) : null);
}

/** @param {Model} model @param {any} screen @param {string} title */
function lockButton(model, screen, title) {
    const isLocked = screen.locked === true || screen.dismissible === false;
    const verb = isLocked ? "Unlock" : "Lock";
    return editButton(verb, `${verb} ${title}`, `lock-${screen.id}`,
        () => model.run("setParams", { entry: screen.id, locked: !isLocked }));
}

/**
 * The routes that may be pushed and presented here.
 *
 * @param {Model} model
 */
function doors(model) {
    const { allowed } = model;
    if (!allowed) return null;
    if (!allowed.push && !allowed.present) {
        return group("Actions", h("div", { class: "rows" },
            row("Push a route …", "", "push-any", () => askAnyRoute(model, "navigate")),
            row(
                "Present a route …", "", "present-any", () => askAnyRoute(model, "present"), "sheet",
            )));
    }
    const push = (allowed.push ?? []).map((/** @type {any} */ item) =>
        row(item.title ?? model.routeTitle(item.route), item.route, `push-${item.route}`,
            () => askAndNavigate(model, item), "forward", guardMark(item)));
    const present = (allowed.present ?? []).map((/** @type {any} */ item) =>
        row(item.title ?? model.routeTitle(item.route), item.route, `present-${item.route}`,
            () => askAndPresent(model, item), "sheet", guardMark(item)));
    return h("div", {},
        push.length > 0 && model.may("navigate") ? group("Push", h("div", { class: "rows" }, ...push)) : null,
        present.length > 0 && model.may("present") ? group("Present", h("div", { class: "rows" }, ...present)) : null);
}

/**
 * @param {string} title @param {string} route @param {string} key @param {() => void} act
 * @param {"forward" | "sheet"} [drawing] @param {HTMLElement | null} [mark]
 */
function row(title, route, key, act, drawing = "forward", mark = null) {
    const isOff = document.body.classList.contains("offline");
    const verb = drawing === "sheet" ? "Present" : "Push";
    const isAny = route === "";
    return h("button", {
        type: "button", class: "row", data: { key }, onclick: act, disabled: isOff,
        "aria-label": isAny ? title : `${verb} ${title} (${route})`,
    }, h("span", { class: "row-title", text: title }), mark, h("code", { text: route }), icon(drawing));
}

/** @param {Model} model @param {any} session */
function tabBar(model, session) {
    const isStill = model.isStill || !model.may("select");
    const shown = session.tabs.filter((/** @type {any} */ tab) => !tab.hidden);
    const tabs = shown.map((/** @type {any} */ tab) => {
        const allowed = model.allowed?.tabs?.find((/** @type {any} */ item) => item.id === tab.id);
        const { title, icon: iconName } = model.tab(tab.id);
        const isSelected = tab.id === session.selectedTab;
        const badge = tab.badge === undefined ? null : h(
            "span", { class: "badge", text: String(tab.badge) },
        );
        return h("button", {
            type: "button", class: "tab", disabled: isStill, data: { key: `tab-${tab.id}` },
            "aria-current": isSelected ? "page" : undefined,
            "aria-label": tab.badge === undefined ? `${title} tab` : `${title} tab, badge ${tab.badge}`,
            title,
            onclick: () => model.run("select", { tab: tab.id }),
        }, h(
            "span", { class: "tab-icon" }, tabIcon(iconName, title), badge,
        ), h("span", { class: "tab-title", text: title }), allowed?.holds === false ? guardMark(allowed) : null);
    });
    return h("nav", { class: "tab-bar", "aria-label": `Tab bar of ${session.id}` }, ...tabs);
}

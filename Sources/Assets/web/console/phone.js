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
import { askAndNavigate, askAndPresent, askAnyRoute } from "./actions.js";
import { group, paramsGroup } from "./params.js";
import { paramsText } from "./words.js";

/** @typedef {import("./view.js").SessionView} Model */

/** How far a sheet must be pulled down to be dismissed. */
const pullPixelsMin = 70;

/** @param {Model} model @returns {HTMLElement} */
export function phone(model) {
    const session = model.shown;
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const tabVisible = tab.path[tab.path.length - 1];
    const isOnTop = session.sheets.length === 0;
    const hidesTabBar = isOnTop
        ? session.visible.tabBarHidden
        : Boolean(tabVisible && model.route(tabVisible.route)?.hidesTabBar);
    const base = layer("base", isOnTop,
        titleBar(model, rootTitle(model, tab), tab.path),
        content(model, tabVisible, isOnTop, () => rootTitle(model, tab)),
        hidesTabBar ? null : tabBar(model, session));
    const sheets = session.sheets.map((/** @type {any} */ sheet, /** @type {number} */ index) =>
        sheetLayer(model, sheet, index, index === session.sheets.length - 1));
    const screen = h("div", { class: "screen" }, base, ...sheets);
    const label = `${model.titleOf(session.visible)} is visible`;
    const element = h("div", { class: "phone", role: "group", "aria-label": `Phone: ${label}` }, screen);
    element.classList.toggle("past", Boolean(model.past));
    return element;
}

/** @param {Model} model @param {any} tab */
function rootTitle(model, tab) {
    return model.rootTitle(tab.id);
}

/** @param {string} kind @param {boolean} isOnTop @param {...(Node | null)} children */
function layer(kind, isOnTop, ...children) {
    return h("div", { class: `layer ${kind}${isOnTop ? " on-top" : ""}`, inert: !isOnTop }, ...children);
}

/** @param {Model} model @param {any} sheet @param {number} index @param {boolean} isOnTop */
function sheetLayer(model, sheet, index, isOnTop) {
    const isCover = sheet.style === "fullScreenCover";
    const visible = sheet.path[sheet.path.length - 1] ?? sheet;
    const title = model.routeTitle(sheet.route);
    const isLocked = sheet.dismissible === false;
    const dismiss = () => model.run(
        "dismiss", isLocked ? { sheet: sheet.id, force: true } : { sheet: sheet.id },
    );
    const grabber = isCover ? null : h("button", {
        type: "button", class: "grabber", data: { key: `grabber-${sheet.id}` },
        "aria-label": `Swipe ${title} down`, title: "Swipe down, or click, to dismiss",
        disabled: isLocked || model.isStill, onclick: dismiss,
    });
    const element = layer(isCover ? "cover" : "card", isOnTop, grabber,
        titleBar(model, title, sheet.path, { title, isLocked, dismiss, id: sheet.id }),
        content(model, visible, isOnTop, () => title));
    element.style.setProperty("--level", String(index));
    const isHalf = sheet.detents?.length && !sheet.detents.includes("large");
    if (!isCover && isHalf) element.classList.add("half");
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
 * @param {Model} model @param {string} rootTitle @param {any[]} path
 * @param {{ title: string, isLocked: boolean, dismiss: () => void, id: string }} [sheet]
 */
function titleBar(model, rootTitle, path, sheet) {
    const { isStill } = model;
    const top = path[path.length - 1];
    const beneath = path[path.length - 2];
    const below = beneath ? model.routeTitle(beneath.route) : rootTitle;
    const which = beneath ? ` ${paramsText(beneath.params)}`.trimEnd() : "";
    const title = top ? model.routeTitle(top.route) : rootTitle;
    const back = top && h("button", {
        type: "button", class: "bar-button", disabled: isStill, data: { key: "back", heir: "" },
        "aria-label": `Back to ${below}${which}`, title: `Back to ${below}${which}`, onclick: () => model.run("back"),
    }, icon("back"), h("span", { text: below }));
    const close = sheet && h("button", {
        type: "button", class: "bar-button trailing", disabled: isStill,
        data: { key: top ? `dismiss-${sheet.id}` : "back", heir: top ? undefined : "" },
        "aria-label": sheet.isLocked ? `Dismiss ${sheet.title} (locked)` : `Dismiss ${sheet.title}`,
        onclick: sheet.dismiss, text: sheet.isLocked ? "Locked" : "Close",
    });
    return h("header", { class: "title-bar" }, back ?? h("span"),
        h("h3", { class: "title", text: title }), close ?? h("span"));
}

// The visible screen

/**
 * @param {Model} model
 * @param {any} entry
 * @param {boolean} isOnTop
 * @param {() => string} fallbackTitle
 */
function content(model, entry, isOnTop, fallbackTitle) {
    const route = entry?.route ?? model.shown.visible.route;
    const title = entry ? model.routeTitle(entry.route) : fallbackTitle();
    // Without a control in it, it could not be scrolled by keyboard.
    const isBare = isOnTop && model.isStill;
    return h("div", { class: "content", tabindex: isBare ? "0" : undefined, role: isBare ? "group" : undefined,
        "aria-label": isBare ? title : undefined, data: { key: "content" } },
        h("p", { class: "large-title", text: title }),
        isOnTop || entry ? h("p", { class: "route" },
            h("code", { text: route }), entry ? h(
                "code", { class: "dim", text: entry.id },
            ) : null) : null,
        entry ? paramsGroup(model, entry, isOnTop) : null,
        isOnTop && !model.past && model.mayControl ? doors(model) : null);
}

/**
 * What may be pushed and presented here.
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
                "Present a route …", "", "present-any", () => askAnyRoute(model, "present"), "up",
            )));
    }
    const push = (allowed.push ?? []).map((/** @type {any} */ item) =>
        row(item.title ?? model.routeTitle(item.route), item.route, `push-${item.route}`,
            () => askAndNavigate(model, item), "forward", guardMark(item)));
    const present = (allowed.present ?? []).map((/** @type {any} */ item) =>
        row(item.title ?? model.routeTitle(item.route), item.route, `present-${item.route}`,
            () => askAndPresent(model, item), "up", guardMark(item)));
    return h("div", {},
        push.length > 0 ? group("Push", h("div", { class: "rows" }, ...push)) : null,
        present.length > 0 ? group("Present", h("div", { class: "rows" }, ...present)) : null);
}

/**
 * @param {string} title @param {string} route @param {string} key @param {() => void} act
 * @param {"forward" | "up"} [drawing] @param {HTMLElement | null} [mark]
 */
function row(title, route, key, act, drawing = "forward", mark = null) {
    const isOff = document.body.classList.contains("offline");
    const verb = drawing === "up" ? "Present" : "Push";
    const isAny = route === "";
    return h("button", {
        type: "button", class: "row", data: { key }, onclick: act, disabled: isOff,
        "aria-label": isAny ? title : `${verb} ${title} (${route})`,
    }, h("span", { class: "row-title", text: title }), mark, h("code", { text: route }), icon(drawing));
}

/** @param {Model} model @param {any} session */
function tabBar(model, session) {
    const { isStill } = model;
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

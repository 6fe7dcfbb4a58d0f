// The whole state as stacks of cards beside the phone: the visible screen is on top, followed by the
// screens that `back` would return to, in order. A click on a card goes back to it.
import { h } from "./dom.js";
import { answerButton } from "./facts.js";
import { tabIcon } from "./icons.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model */
export function stack(model) {
    const session = model.shown;
    const sheets = [...session.sheets].reverse().map((sheet) => sheetPile(model, sheet));
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const others = session.tabs.filter((/** @type {any} */ item) => item !== tab);
    return h("section", { class: "stack", "aria-label": "Stack, visible screen first" },
        ...sheets, tabPile(model, tab),
        others.length > 0 ? h("div", { class: "pile others" },
            h("h3", { text: "Other tabs" }),
            h("ul", {}, ...others.map((/** @type {any} */ item) => otherTab(model, item)))) : null);
}

/** @param {Model} model @param {any} sheet */
function sheetPile(model, sheet) {
    const by = model.names.get(sheet.presentedBy);
    const facts = [
        sheet.style === "fullScreenCover" ? "Cover" : "Sheet",
        `from ${by ? `${model.routeTitle(by)} ${sheet.presentedBy}` : model.tab(sheet.presentedBy).title}`,
        sheet.tag && `tag ${sheet.tag}`,
        sheet.detents && sheet.detents.join(" or "),
        sheet.dismissible === false && "locked",
    ];
    const cards = [...sheet.path].reverse().map((entry) => card(model, entry));
    const made = pile(facts.filter(Boolean).join(" · "), "sheet", [...cards, card(model, sheet)]);
    if (!model.past && model.route(sheet.route)?.result !== undefined) made.append(answerButton(model, sheet));
    return made;
}

/** @param {Model} model @param {any} tab */
function tabPile(model, tab) {
    const { title, icon } = model.tab(tab.id);
    const cards = [...tab.path].reverse().map((entry) => card(model, entry));
    const isVisible = model.shown.visible.container === tab.id && tab.path.length === 0;
    const root = cardButton(model, {
        id: tab.id, title: model.rootTitle(tab.id), route: "root", isVisible,
        act: () => model.run("root"),
    });
    return pile(["Tab", title, icon && `icon ${icon}`].filter(Boolean).join(" · "), "tab", [...cards, root]);
}

/** @param {string} heading @param {string} kind @param {HTMLElement[]} cards */
function pile(heading, kind, cards) {
    return h("div", { class: `pile pile-${kind}` }, h("h3", { text: heading }),
        h("ol", { class: "cards" }, ...cards.map((item) => h("li", {}, item))));
}

/** @param {Model} model @param {any} entry */
function card(model, entry) {
    return cardButton(model, {
        id: entry.id, title: model.routeTitle(entry.route), route: entry.route, mark: entry.mark,
        isVisible: model.shown.visible.entry === entry.id,
        act: () => model.run("back", { to: { entry: entry.id } }),
    });
}

/**
 * @param {Model} model
 * @param {{ id: string, title: string, route: string, mark?: string, isVisible: boolean,
 *   act: () => void }} card
 */
function cardButton(model, { id, title, route, mark, isVisible, act }) {
    const isStill = Boolean(model.past) || !model.mayControl;
    return h("button", {
        type: "button", class: "card-button", disabled: isVisible || isStill, data: { key: `card-${id}` },
        "aria-current": isVisible ? "true" : undefined,
        "aria-label": isVisible ? `${title}, ${id}, visible` : `Back to ${title}, ${id}`, onclick: act,
    }, h("span", { class: "card-title", text: title }), h("code", { text: route === "root" ? "root" : `${route} ${id}` }),
    mark ? h("span", { class: "chip mark", title: "Mark", text: mark }) : null);
}

/** @param {Model} model @param {any} tab */
function otherTab(model, tab) {
    const { title, icon } = model.tab(tab.id);
    const depth = tab.path.length;
    return h("li", { class: "other" }, tabIcon(icon, title), h("span", { text: title }),
        icon ? h("code", { text: icon }) : null,
        tab.hidden ? h("span", { class: "chip mark", text: "hidden" }) : null,
        h("span", { class: "dim", text: depth === 0 ? "at its root" : `${depth} deep` }));
}

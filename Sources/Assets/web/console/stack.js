// The whole state as stacks of cards beside the phone: the visible screen is on top, followed by the
// screens that `back` would return to, in order. A click on a card goes back to it.
import { h, localTime } from "./dom.js";
import { edit, editButton, editor } from "./editing.js";
import { answerButton } from "./facts.js";
import { tabIcon } from "./icons.js";
import { counted, paramsText, styleName } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model */
export function stack(model) {
    const session = model.shown;
    const sheets = [...session.sheets].reverse().map((sheet) => sheetPile(model, sheet));
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    return h("section", { class: "stack", "aria-label": "Stack, visible screen first", tabindex: model.isStill ? "0" : "-1" },
        ...sheets, tabPile(model, tab),
        h("div", { class: "pile others" }, h("h3", { text: "Tabs" }),
            h("ul", {}, ...session.tabs.map((/** @type {any} */ item) => tabLine(model, item)))));
}

/** @param {Model} model @param {any} sheet */
function sheetPile(model, sheet) {
    const facts = [
        styleName(sheet.style), `from ${model.nameOf(sheet.presentedBy)}`,
        sheet.tag && `tag ${sheet.tag}`,
        sheet.detents && sheet.detents.join(" or "),
        sheet.anchor && `at ${sheet.anchor}`,
        sheet.dismissible === false && "locked",
        sheet.expiresAt && `until ${localTime(sheet.expiresAt)}`,
    ];
    const cards = [...sheet.path].reverse().map((entry) => card(model, entry));
    const made = pile(facts.filter(Boolean).join(" · "), "sheet", [...cards, card(model, sheet)]);
    if (!model.past && model.mayControl && (sheet.buttons || model.route(sheet.route)?.result !== undefined)) made.append(answerButton(model, sheet));
    return made;
}

/** @param {Model} model @param {any} tab */
function tabPile(model, tab) {
    const cards = [...tab.path].reverse().map((entry) => card(model, entry));
    const isVisible = model.shown.visible.container === tab.id && tab.path.length === 0;
    const { title, params, mark } = model.rootOf(tab);
    const root = cardButton(model, {
        id: tab.id, title, route: "root", params: paramsText(params), mark, isVisible,
        act: () => model.run("root"),
    });
    return pile(`Tab · ${model.tab(tab.id).title}`, "tab", [...cards, root]);
}

/** @param {string} heading @param {string} kind @param {HTMLElement[]} cards */
function pile(heading, kind, cards) {
    return h("div", { class: `pile pile-${kind}` }, h("h3", { text: heading, title: heading }),
        h("ol", { class: "cards" }, ...cards.map((item) => h("li", {}, item))));
}

/** @param {Model} model @param {any} entry */
function card(model, entry) {
    return cardButton(model, {
        id: entry.id, title: model.screenTitle(entry), route: entry.route, mark: entry.mark, isLocked: entry.locked,
        params: paramsText(entry.params), isVisible: model.shown.visible.entry === entry.id,
        act: () => model.run("back", { to: { entry: entry.id } }),
    });
}

/**
 * @param {Model} model
 * @param {{ id: string, title: string, route: string, params?: string, mark?: string, isLocked?: boolean,
 *   isVisible: boolean, act: () => void }} card
 */
function cardButton(model, { id, title, route, params, mark, isLocked, isVisible, act }) {
    const name = [title, params, id].filter(Boolean).join(", ");
    return h("button", {
        type: "button", class: "card-button", disabled: isVisible || model.isStill || !model.may(id === model.shown.selectedTab ? "root" : "back"), data: { key: `card-${id}` },
        "aria-current": isVisible ? "true" : undefined,
        "aria-label": isVisible ? `${name}, visible` : `Back to ${name}`, onclick: act,
    }, h("span", { class: "card-title" }, h("span", { text: title }), params ? h("span", { class: "card-params", text: params }) : null),
    h("code", { text: route === "root" ? "root" : `${route} ${id}` }),
    mark ? h("span", { class: "chip mark", title: "Mark", text: mark }) : null,
    isLocked ? h("span", { class: "chip mark", text: "locked" }) : null);
}

/** @param {Model} model @param {any} tab */
function tabLine(model, tab) {
    const { title, icon } = model.tab(tab.id);
    const depth = tab.path.length;
    const form = editor(`badge-${tab.id}`);
    return h("li", { class: "other", "aria-current": tab.id === model.shown.selectedTab ? "true" : undefined },
        tabIcon(icon, title), h("span", { class: "other-title", text: title, title: tab.id }),
        tab.hidden ? h("span", { class: "chip mark", text: "hidden" }) : null,
        h("span", { class: "dim", text: depth === 0 ? "root" : counted(depth, "screen") }),
        model.isStill || !model.may("setBadge") ? badgeText(tab) : form ?? badgeButton(model, tab, title));
}

/** @param {any} tab */
function badgeText(tab) {
    return tab.badge === undefined ? null : h("span", { class: "chip", text: String(tab.badge) });
}

/** @param {Model} model @param {any} tab @param {string} title */
function badgeButton(model, tab, title) {
    const has = tab.badge !== undefined;
    return editButton(has ? String(tab.badge) : "Badge", has ? `Edit the badge ${tab.badge} of ${title}` : `Add a badge to ${title}`,
        `edit-badge-${tab.id}`, () => {
            const input = h("input", { type: "text", value: has ? String(tab.badge) : "", placeholder: "3 or new",
                "aria-label": `Badge of ${title}`, autocomplete: "off", maxlength: "32" });
            const save = () => model.attempt("setBadge", { tab: tab.id, badge: badge(input.value.trim()) });
            edit(model, `badge-${tab.id}`, { label: `Badge of ${title}`, body: [input], save });
        });
}

/** @param {string} text */
function badge(text) {
    if (text === "") return null;
    return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

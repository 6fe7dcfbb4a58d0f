// The commands that are possible here: screens to push and present, and the app's links.
import { askAndNavigate, askAndPresent } from "../console/actions.js";
import { h, replace } from "../console/dom.js";
import { guardMark } from "../console/facts.js";
import { showLinks } from "../console/links.js";

/** @typedef {import("./model.js").PlayModel} PlayModel */

/** @param {PlayModel} model @param {HTMLElement} panel */
export function showTry(model, panel) {
    const screens = h("div", { class: "play-screens" });
    const links = h("div", { class: "play-links" });
    panel.append(screens, links);
    showLinks(/** @type {any} */ (model), links);
    const draw = () => {
        if (panel.hidden || !model.session) return;
        replace(screens, list(model, "Push", model.allowed.push, askAndNavigate), list(model, "Present", model.allowed.present, askAndPresent));
    };
    model.on("session", draw);
    panel.addEventListener("show", draw);
}

/**
 * @param {PlayModel} model @param {string} title @param {any[]} items
 * @param {(model: any, item: any) => void} ask
 */
function list(model, title, items = [], ask) {
    if (items.length === 0) return null;
    return h("section", { "aria-label": title }, h("h2", { text: title }), h("ul", { class: "play-routes" },
        ...items.map((item) => h("li", {}, h("button", { type: "button", class: "small", data: { key: `${title}-${item.route}` },
            onclick: () => ask(model, item) }, h("span", { text: item.title ?? model.routeTitle(item.route) }), guardMark(item))))));
}

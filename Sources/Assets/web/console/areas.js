// Areas of the page: on small screens one is shown at a time.
import { byId, h } from "./dom.js";

/** @param {Record<string, string>} names The areas with their titles. @param {string} first */
export function showAreas(names, first) {
    byId("areas").append(...Object.entries(names).map(([id, title]) =>
        h("button", { type: "button", text: title, id: `area-${id}`, onclick: () => showArea(id) })));
    showArea(first);
}

/** @param {string} id */
export function showArea(id) {
    byId("columns").dataset.area = id;
    byId(id).dispatchEvent(new Event("show"));
    for (const button of byId("areas").children) {
        if (button.id === `area-${id}`) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
    }
    // The element with the focus may be hidden now.
    const active = document.activeElement;
    if (active?.closest("section") && active.getClientRects().length === 0) byId(id).focus();
}

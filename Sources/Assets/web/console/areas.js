// Areas of the page: on small screens one is shown at a time.
import { byId, h } from "./dom.js";

/** @param {boolean} isForOneSession Then there is no list. */
export function showAreas(isForOneSession) {
    const names = { sessions: "List", stage: "Screen", details: "Details" };
    const shown = Object.entries(names).filter(([id]) => !(isForOneSession && id === "sessions"));
    byId("areas").append(...shown.map(([id, title]) =>
        h("button", { type: "button", text: title, id: `area-${id}`, onclick: () => showArea(id) })));
    const hasSession = new URLSearchParams(location.hash.slice(1)).has("session");
    showArea(hasSession || isForOneSession ? "stage" : "sessions");
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

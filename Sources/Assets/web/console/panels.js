// The panels on the right, as tabs.
import { byId, h, replace } from "./dom.js";
import { showCommands } from "./commands.js";
import { showJSON } from "./json.js";
import { showLinks } from "./links.js";
import { showTimeline } from "./timeline.js";

/** @typedef {import("./model.js").Model} Model */

// Tabs as in the WAI-ARIA Authoring Practices: one tab stop, arrows move.

/** @param {Model} model */
export function showPanels(model) {
    const panels = [
        { id: "timeline", title: "Timeline", show: showTimeline },
        { id: "json", title: "JSON", show: showJSON },
        { id: "links", title: "Links", show: showLinks },
        { id: "command", title: "Command", show: showCommands },
    ].filter(({ id }) => model.mayControl || id === "timeline" || id === "json");
    const tabs = panels.map(({ id, title }) => h("button", {
        type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, text: title,
        onclick: () => select(id),
    }));
    const bodies = panels.map(({ id }) => h("div", {
        role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: `panel panel-${id}`,
    }));
    const select = (/** @type {string} */ id) => {
        tabs.forEach((tab, index) => {
            const isSelected = panels[index].id === id;
            tab.setAttribute("aria-selected", String(isSelected));
            tab.tabIndex = isSelected ? 0 : -1;
            bodies[index].hidden = !isSelected;
            // A hidden panel is not drawn.
            if (isSelected) bodies[index].dispatchEvent(new Event("show"));
        });
    };
    const bar = h("div", { role: "tablist", "aria-label": "Details", class: "tablist" }, ...tabs);
    bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => moveAmong(tabs, event));
    replace(byId("details"), bar, ...bodies);
    panels.forEach(({ show }, index) => show(model, bodies[index]));
    select("timeline");
}

/** @param {HTMLElement[]} tabs @param {KeyboardEvent} event */
function moveAmong(tabs, event) {
    const at = tabs.indexOf(/** @type {any} */ (document.activeElement));
    const to = {
        ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1,
    }[/** @type {"ArrowLeft"} */ (event.key)];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    next.focus();
    next.click();
}

// The panels on the right, as tabs. Where there is room, the timeline has a column of its own, and
// the state is beside it.
import { byId, h, replace } from "./dom.js";
import { showCommands } from "./commands.js";
import { showJSON } from "./json.js";
import { showLinks } from "./links.js";
import { showTimeline } from "./timeline.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {{ id: string, title: string, show: (model: any, panel: HTMLElement) => void, changes: boolean }} Panel
 *   One that `changes` is for those who may change the session.
 */

const large = matchMedia("(min-width: 1800px)");
/** @type {Panel[]} */
const sessionPanels = [
    { id: "timeline", title: "Timeline", show: showTimeline, changes: false },
    { id: "json", title: "JSON", show: showJSON, changes: false },
    { id: "links", title: "Links", show: showLinks, changes: true },
    { id: "command", title: "Command", show: showCommands, changes: true },
];

// Tabs as in the WAI-ARIA Authoring Practices: one tab stop, arrows move.

/** @param {import("./view.js").SessionView} model @param {Panel[]} panels */
export function showPanels(model, panels = sessionPanels) {
    let selected = panels[0].id;
    /** @type {Set<Panel>} */
    const made = new Set();
    const tabs = panels.map(({ id, title }) => h("button", {
        type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, text: title,
        onclick: () => select(id),
    }));
    const bodies = panels.map(({ id }) => h("div", { id: `panel-${id}`, class: `panel panel-${id}` }));
    const select = (/** @type {string} */ id) => {
        selected = id;
        draw();
    };
    const draw = () => {
        const isSplit = large.matches && panels === sessionPanels;
        const isOffered = (/** @type {Panel} */ { id, changes }) => (model.mayControl || !changes) && !(isSplit && id === "timeline");
        if (!panels.some((panel) => panel.id === selected && isOffered(panel))) selected = isSplit ? "json" : panels[0].id;
        byId("details").classList.toggle("split", isSplit);
        panels.forEach((panel, index) => {
            const [tab, body] = [tabs[index], bodies[index]];
            const isAlone = isSplit && panel.id === "timeline";
            const isSelected = panel.id === selected;
            tab.hidden = !isOffered(panel);
            tab.setAttribute("aria-selected", String(isSelected));
            tab.tabIndex = isSelected ? 0 : -1;
            body.setAttribute("role", isAlone ? "region" : "tabpanel");
            body.setAttribute(isAlone ? "aria-label" : "aria-labelledby", isAlone ? panel.title : tab.id);
            const wasHidden = body.hidden;
            body.hidden = !isSelected && !isAlone;
            if (!wasHidden || body.hidden) return;
            // A panel is made when it is opened first, and a hidden one is not drawn.
            if (!made.has(panel)) panel.show(model, body);
            made.add(panel);
            body.dispatchEvent(new Event("show"));
        });
    };
    const bar = h("div", { role: "tablist", "aria-label": "Details", class: "tablist" }, ...tabs);
    bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => moveAmong(tabs.filter((tab) => !tab.hidden), event));
    for (const body of bodies) body.hidden = true;
    replace(byId("details"), bar, ...bodies);
    large.addEventListener("change", draw);
    model.on("session", draw);
    draw();
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

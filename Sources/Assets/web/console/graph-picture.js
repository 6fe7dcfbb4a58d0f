// An app's graph as a picture: its tabs, the routes that may be pushed there, and those that are
// presented over them. What is visible is lit: for one session its way, for all of them how many
// show each screen.
import { h, replace, svg } from "./dom.js";
import { graphOf, routesIn, waysOf } from "./graph-layout.js";
import { notesOn } from "./graph-notes.js";
import { words } from "./words.js";

/** @typedef {import("./graph-layout.js").GraphNode} GraphNode */

const lettersMax = 25;
/** Drawings of 24 by 24. */
const noteIcons = {
    guard: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
    link: "M10 14l4-4M8.5 11.500 6.500 13.500a3.500 3.500 0 0 0 5 5l2-2M15.500 12.500l2-2a3.500 3.500 0 0 0-5-5l-2 2",
    result: "M9 7 5 11l4 4M5 11h9a5 5 0 0 1 5 5v2",
};

export class GraphPicture {
    /** @param {any} app */
    constructor(app) {
        this.app = app;
        this.graph = graphOf(app);
        this.place = h("div", { class: "graph-scroll", tabindex: "0", role: "region", "aria-label": "Picture of the graph" });
        this.caption = h("p", { class: "dim graph-caption", role: "status" });
        this.elements = this.graph
            ? [this.place, this.caption,
                h("p", { class: "dim graph-caption", text: "A line leads to a screen that may be pushed. A dashed frame is a screen that may be presented. Below a name: its guards, the links that lead to it, and the result of its sheet." }), asText(app)]
            : [h("p", { class: "dim graph-caption", text: "The app has too many screens that lead to each other for a picture." }), this.caption];
    }

    // The way of a session: the visible screen, and what lies under it.
    /** @param {any} state */
    wayOf(state) {
        const way = new Set();
        if (!state) return { way, visible: "" };
        const tab = state.tabs.find((/** @type {any} */ item) => item.id === state.selectedTab);
        way.add(`tab ${tab.id}`);
        for (const entry of tab.path) way.add(`route ${entry.route}`);
        for (const sheet of state.sheets) for (const entry of [sheet, ...sheet.path]) way.add(`route ${entry.route}`);
        return { way, visible: this.keyOf(state.visible) };
    }

    /**
     * The key of the node of a visible screen.
     *
     * @param {any} visible
     */
    keyOf({ entry, container, route }) {
        const isRoot = this.app.tabs.some((/** @type {any} */ tab) => tab.id === (entry ?? container));
        return isRoot ? `tab ${container}` : `route ${route}`;
    }

    /** @param {string} key */
    titleOf(key) {
        return this.graph?.nodes.find((node) => node.key === key)?.title ?? key.replace(/^\w+ /, "");
    }

    /**
     * @param {string} words What the picture shows. @param {any} state A session whose way is lit, or nothing.
     * @param {Map<string, number>} [counts] How many sessions show a node, by its key.
     */
    draw(words, state, counts = new Map()) {
        this.caption.textContent = words;
        if (!this.graph) return;
        const { nodes, edges, headings, width, height } = this.graph;
        const { way, visible } = this.wayOf(state);
        const isLit = (/** @type {string} */ key) => key === visible || counts.has(key);
        replace(this.place, svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "graph-picture", role: "img", "aria-label": words },
            ...headings.map(({ x, text }) => label(x, 14, text, "graph-heading")),
            ...edges.map((edge) => svg("path", { d: edge.path, class: `edge${way.has(edge.from) && way.has(edge.to) ? " lit" : ""}`, "data-from": edge.from, "data-to": edge.to })),
            ...nodes.map((node) => this.node(node, way.has(node.key), isLit(node.key), counts.get(node.key)))));
        const lit = nodes.find(({ key }) => key === visible);
        if (lit) this.reveal(lit);
    }

    // The visible screen is in sight, also where the picture is larger than its place.
    /** @param {GraphNode} node */
    reveal({ x, y, width, height }) {
        const { place } = this;
        const isInside = x >= place.scrollLeft && x + width <= place.scrollLeft + place.clientWidth
            && y >= place.scrollTop && y + height <= place.scrollTop + place.clientHeight;
        if (!isInside) place.scrollTo(x + (width - place.clientWidth) / 2, y + (height - place.clientHeight) / 2);
    }

    /** @param {GraphNode} node @param {boolean} isOnWay @param {boolean} isLit @param {number} [count] */
    node(node, isOnWay, isLit, count) {
        const group = svg("g", { class: `node ${node.kind}${isLit ? " lit" : isOnWay ? " way" : ""}`, transform: `translate(${node.x} ${node.y})` },
            svg("rect", { width: node.width, height: node.height, rx: 9 }), label(12, 18, node.title, "node-title"), label(12, 33, node.detail, "node-detail"),
            ...node.notes.flatMap(({ kind, text }, index) => [svg("path", { d: noteIcons[kind], class: `note-icon ${kind}`, transform: `translate(11 ${39 + index * 17}) scale(0.6)` }),
                label(29, 50 + index * 17, text, "node-detail", kind === "link")]));
        const title = svg("title");
        title.textContent = [`${node.title} (${node.detail})`, ...node.notes.map(({ kind, text }) => (kind === "result" ? text : `${kind} ${text}`))].join("\n");
        group.append(title);
        if (count) group.append(svg("circle", { cx: node.width - 4, cy: 4, r: 10, class: "node-count" }), label(node.width - 4, 8, String(count), "node-count-text"));
        for (const [event, isOn] of /** @type {[string, boolean][]} */ ([["pointerenter", true], ["pointerleave", false]])) {
            group.addEventListener(event, () => this.place.querySelectorAll(".edge").forEach((/** @type {SVGElement} */ edge) =>
                edge.classList.toggle("near", isOn && (edge.dataset.from === node.key || edge.dataset.to === node.key))));
        }
        return group;
    }
}

/** @param {number} x @param {number} y @param {string} text @param {string} kind @param {boolean} [keepsEnd] Of what is too long. */
function label(x, y, text, kind, keepsEnd = false) {
    const element = svg("text", { x, y, class: kind });
    element.textContent = text.length <= lettersMax ? text : keepsEnd ? `…${text.slice(1 - lettersMax)}` : `${text.slice(0, lettersMax - 1)}…`;
    return element;
}

/**
 * The same in words, for those who do not see the picture.
 *
 * @param {any} app
 */
function asText(app) {
    const title = (/** @type {string} */ name) => app.routes?.[name]?.title ?? words(name);
    const list = (/** @type {string[]} */ names) => names.map(title).join(", ") || "nothing";
    const notes = (/** @type {string} */ key) => notesOn(app, key).map(({ kind, text }) => ` ${{ guard: "Guard", link: "Link", result: "It brings a" }[kind]} ${text}.`).join("");
    return h("details", { class: "graph-text" }, h("summary", { text: "As text" }), h("ul", {},
        ...app.tabs.map((/** @type {any} */ tab) => h("li", { text: `${tab.title ?? words(tab.id)} can push ${list(routesIn(app, tab.routes))}.${notes(`tab ${tab.id}`)}` })),
        ...Object.entries(app.routes ?? {}).map(([name, route]) => {
            const ways = waysOf(route).map((way) => (way === "push" ? "pushed" : `presented as ${words(way).toLowerCase()}`)).join(" or ");
            return h("li", { text: `${title(name)} can be ${ways}${route.routes ? `, and can push ${list(routesIn(app, route.routes))}` : ""}.${notes(`route ${name}`)}` });
        })));
}

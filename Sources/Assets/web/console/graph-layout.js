// Where the nodes and edges of an app's graph lie: four columns, from the tabs to what is pushed on
// sheets.
import { words } from "./words.js";

/**
 * @typedef {{ key: string, kind: string, title: string, detail: string, x: number, y: number, width: number,
 *   height: number }} GraphNode
 * @typedef {{ from: string, to: string, path: string }} Edge
 */

const nodeWidth = 156;
const nodeHeight = 42;
const rowGap = 14;
const columnGap = 84;
const top = 30;
const margin = 6;

/**
 * The routes that a list names, with those of its groups.
 *
 * @param {any} app @param {string[]} [names]
 * @returns {string[]}
 */
export function routesIn(app, names = [], seen = new Set()) {
    return [...new Set(names.flatMap((name) => {
        if (!name.startsWith("@")) return [name];
        if (seen.has(name)) return [];
        return routesIn(app, app.groups?.[name.slice(1)], new Set([...seen, name]));
    }))];
}

/** @param {any} app */
function columnsOf(app) {
    const routes = Object.entries(app.routes ?? {});
    const fromTabs = new Map(app.tabs.map((/** @type {any} */ tab) => [tab.id, routesIn(app, tab.routes)]));
    const pushed = new Set([...fromTabs.values()].flat());
    const presented = routes.filter(([name, route]) => (route.presentation ?? "push") !== "push" && !pushed.has(name)).map(([name]) => name);
    const onSheets = new Set(routes.filter(([, route]) => route.presentation && route.presentation !== "push")
        .flatMap(([, route]) => routesIn(app, route.routes)));
    const inside = [...onSheets].filter((name) => !pushed.has(name) && !presented.includes(name));
    // A route lies near the tabs that push it.
    const place = (/** @type {string} */ name) => {
        const tabs = app.tabs.map((/** @type {any} */ tab, /** @type {number} */ index) => (fromTabs.get(tab.id).includes(name) ? index : -1))
            .filter((/** @type {number} */ index) => index >= 0);
        return tabs.reduce((/** @type {number} */ sum, /** @type {number} */ index) => sum + index, 0) / tabs.length;
    };
    return { fromTabs, pushed: [...pushed].sort((a, b) => place(a) - place(b)), presented, inside };
}

/**
 * @param {any} app
 * @returns {{ nodes: GraphNode[], edges: Edge[], headings: { x: number, text: string }[], width: number, height: number }}
 */
export function graphOf(app) {
    const { fromTabs, pushed, presented, inside } = columnsOf(app);
    const route = (/** @type {string} */ name) => ({ key: `route ${name}`, title: app.routes?.[name]?.title ?? words(name), detail: name,
        kind: kindOf(app.routes?.[name]) });
    const columns = [
        { text: "Tabs", items: app.tabs.map((/** @type {any} */ tab) => ({ key: `tab ${tab.id}`, kind: "tab-node", title: tab.title ?? words(tab.id), detail: tab.root?.route ?? tab.root ?? tab.id })) },
        { text: "Pushed", items: pushed.map(route) }, { text: "Presented", items: presented.map(route) },
        { text: "Pushed on sheets", items: inside.map(route) },
    ].filter((column) => column.items.length > 0);
    const rows = Math.max(...columns.map((column) => column.items.length));
    const height = top + rows * (nodeHeight + rowGap) + margin;
    const nodes = columns.flatMap(({ items }, column) => {
        const free = (rows - items.length) * (nodeHeight + rowGap) / 2;
        return items.map((/** @type {any} */ item, /** @type {number} */ row) => ({ ...item, width: nodeWidth, height: nodeHeight,
            x: margin + column * (nodeWidth + columnGap), y: top + free + row * (nodeHeight + rowGap) }));
    });
    const at = new Map(nodes.map((node) => [node.key, node]));
    const pairs = [
        ...app.tabs.flatMap((/** @type {any} */ tab) => fromTabs.get(tab.id).map((/** @type {string} */ name) => [`tab ${tab.id}`, `route ${name}`])),
        ...Object.entries(app.routes ?? {}).flatMap(([name, { routes }]) => routesIn(app, routes).map((to) => [`route ${name}`, `route ${to}`])),
    ];
    const edges = pairs.filter(([from, to]) => from !== to && at.has(from) && at.has(to))
        .map(([from, to]) => ({ from, to, path: curve(at.get(from), at.get(to)) }));
    return { nodes, edges, headings: columns.map(({ text }, column) => ({ x: margin + column * (nodeWidth + columnGap), text })),
        width: 2 * margin + columns.length * nodeWidth + (columns.length - 1) * columnGap, height };
}

/** @param {any} route */
function kindOf(route) {
    const presentation = route?.presentation ?? "push";
    return presentation === "push" ? "pushed-node" : presentation === "any" ? "any-node" : "sheet-node";
}

/** @param {any} from @param {any} to */
function curve(from, to) {
    const isForward = to.x > from.x;
    const [x1, x2] = isForward ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
    const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
    // In one column the edge leaves and arrives on the right.
    if (to.x === from.x) return `M${x1 + from.width} ${y1}C${x1 + from.width + 40} ${y1} ${x1 + from.width + 40} ${y2} ${x1 + from.width} ${y2}`;
    const bend = (x2 - x1) / 2;
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

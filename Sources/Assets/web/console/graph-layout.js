// Where the nodes and edges of an app's graph lie: four columns, from the tabs to what is pushed on
// sheets.
import { notesOn } from "./graph-notes.js";
import { words } from "./words.js";

/**
 * @typedef {import("./graph-notes.js").Note} Note
 * @typedef {{ key: string, kind: string, title: string, detail: string, notes: Note[], x: number, y: number,
 *   width: number, height: number }} GraphNode
 * @typedef {{ from: string, to: string, path: string }} Edge
 */

const nodeWidth = 216;
const nodeHeight = 42;
const noteHeight = 17;
const shortNames = new Map([["fullScreenCover", "cover"], ["confirmationDialog", "dialog"]]);
const rowGap = 14;
const columnGap = 66;
const top = 30;
const margin = 6;
/** A larger picture would be unreadable and slow to draw. */
const edgesMax = 2_000;
const nodesMax = 400;

/**
 * The routes that a list names, with those of its groups.
 *
 * @param {any} app @param {string[]} [names]
 * @returns {string[]}
 */
export function routesIn(app, names = []) {
    /** @type {Set<string>[]} */
    const [found, groups] = [new Set(), new Set()];
    const add = (/** @type {string} */ name) => {
        if (!name.startsWith("@")) found.add(name);
        else if (!groups.has(name)) {
            groups.add(name);
            (app.groups?.[name.slice(1)] ?? []).forEach(add);
        }
    };
    names.forEach(add);
    return [...found];
}

/**
 * The ways in which a route may appear.
 *
 * @param {any} route @returns {string[]}
 */
export function waysOf(route) {
    const given = [route?.presentation ?? "push"].flat();
    return given.includes("any") ? ["push", "sheet", "fullScreenCover"] : given;
}

/** @param {any} app */
function columnsOf(app) {
    const routes = Object.entries(app.routes ?? {});
    const fromTabs = new Map(app.tabs.map((/** @type {any} */ tab) => [tab.id, routesIn(app, tab.routes)]));
    const pushed = new Set([...fromTabs.values()].flat());
    const isPresented = (/** @type {any} */ route) => waysOf(route).some((way) => way !== "push");
    const presented = routes.filter(([name, route]) => isPresented(route) && !pushed.has(name)).map(([name]) => name);
    const onSheets = new Set(routes.filter(([, route]) => isPresented(route)).flatMap(([, route]) => routesIn(app, route.routes)));
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
 * How many lines there are, counting no further than to the most that are drawn.
 *
 * @param {any} app
 */
function hasTooMany(app) {
    const lists = [...app.tabs, ...Object.values(app.routes ?? {})].map(({ routes }) => routes);
    if (lists.length > nodesMax) return true;
    let count = 0;
    return lists.some((names) => {
        count += routesIn(app, names).length;
        return count > edgesMax;
    });
}

/**
 * @param {any} app
 * @returns {{ nodes: GraphNode[], edges: Edge[], headings: { x: number, text: string }[], width: number, height: number } | null}
 *   Null if there are too many screens or lines for a picture.
 */
export function graphOf(app) {
    if (hasTooMany(app)) return null;
    const { fromTabs, pushed, presented, inside } = columnsOf(app);
    const route = (/** @type {string} */ name) => {
        const ways = waysOf(app.routes?.[name]);
        const how = ways.filter((way) => way !== "push").map((way) => shortNames.get(way) ?? way);
        return { key: `route ${name}`, title: app.routes?.[name]?.title ?? words(name), detail: [name, ...how].join(" · "),
            kind: ways.includes("push") ? how.length > 0 ? "any-node" : "pushed-node" : "sheet-node" };
    };
    const columns = [
        { text: "Tabs", items: app.tabs.map((/** @type {any} */ tab) => ({ key: `tab ${tab.id}`, kind: "tab-node", title: tab.title ?? words(tab.id), detail: tab.root?.route ?? tab.root ?? tab.id })) },
        { text: "Pushed", items: pushed.map(route) }, { text: "Presented", items: presented.map(route) },
        { text: "Pushed on sheets", items: inside.map(route) },
    ].filter((column) => column.items.length > 0);
    const boxes = columns.map(({ items }) => items.map((/** @type {any} */ item) => {
        const notes = notesOn(app, item.key);
        return { ...item, notes, width: nodeWidth, height: nodeHeight + notes.length * noteHeight };
    }));
    const tall = (/** @type {any[]} */ items) => items.reduce((sum, { height }) => sum + height + rowGap, 0);
    const height = top + Math.max(...boxes.map(tall)) + margin;
    const nodes = /** @type {GraphNode[]} */ (boxes.flatMap((items, column) => {
        let y = top + (height - top - margin - tall(items)) / 2;
        return items.map((/** @type {any} */ item) => {
            y += item.height + rowGap;
            return { ...item, x: margin + column * (nodeWidth + columnGap), y: y - item.height - rowGap };
        });
    }));
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

// The history, newest first: each change with its command, and what it added and removed. A click
// shows the state after that change, without changing anything.
import { copy, h, localTime, notify, notifyError, replace, timeAgo } from "./dom.js";
import { curlLine } from "./curl.js";
import { openDifference } from "./diff.js";
import { mayDiffer } from "./exact.js";
import { icon } from "./icons.js";
import { needsState, shellScript } from "./script.js";
import { commandObject } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

/** Changes that are not commands, so there is no curl line that would repeat them. */
const withoutCurl = new Set(["create", "restore", "update", "reconcile"]);
const skeletonRows = 4;

/** @param {Model} model @param {HTMLElement} panel */
export function showTimeline(model, panel) {
    const draw = () => {
        if (!model.isReady) return replace(panel, model.wanted && !model.failure ? loading() : nothing());
        if (panel.hidden) return;
        const { changes, next, isLoaded } = model.history;
        replace(panel, bar(model),
            isLoaded ? h("ol", { class: "timeline" }, ...changes.map((item) => row(model, item))) : loading(),
            next === undefined ? null : h("button", {
                type: "button", class: "small", text: "Earlier changes", data: { key: "history-more" },
                onclick: () => model.history.load(next),
            }));
    };
    for (const name of ["history", "session", "closed"]) model.on(name, draw);
    panel.addEventListener("show", draw);
}

function nothing() {
    return h("p", { class: "dim none", text: "What happens to a session is listed here, change by change." });
}

function loading() {
    return h("div", { "aria-busy": "true" }, ...[...Array(skeletonRows)].map(() => h("div", { class: "event skeleton" })));
}

/** @param {Model} model */
function bar(model) {
    const { history } = model;
    if (history.changes.length < 2) return null;
    const newest = model.session.revision;
    return h("div", { class: "panel-bar" },
        h("button", { type: "button", class: "small", text: "Compare …", data: { key: "compare" },
            onclick: () => openDifference(model, model.past?.revision ?? Math.max(history.oldest, newest - 1), newest) }),
        !model.mayControl ? null : h("button", { type: "button", class: "small", text: "Copy as curl script", data: { key: "copy-script" },
            onclick: () => copyScript(model) }));
}

/**
 * The kept changes, beginning with the oldest state that is kept.
 *
 * @param {Model} model
 */
async function copyScript(model) {
    const { history, history: { oldest }, session } = model;
    try {
        const start = await model.exactState(oldest);
        const changes = (await history.exactChanges())
            .filter(({ revision }) => revision > oldest && revision <= session.revision).reverse();
        const steps = await Promise.all(changes.map(async ({ revision, command: { command, ...body }, added }) => ({
            command, body, added, state: needsState(command) ? await model.exactState(revision) : undefined,
        })));
        await copy(shellScript({ origin: location.origin, session: session.id, start, steps,
            withToken: Boolean(model.client.token) }), "Script");
        notify("The script is on the clipboard. It replays the timeline in a session of its own.");
    } catch (error) {
        notifyError(error);
    }
}

/** @param {Model} model @param {any} item */
function row(model, item) {
    const isShown = item.revision === model.shown.revision;
    const { command } = item.command;
    const what = commandObject(item.command, (id) => model.nameOf(id));
    const isGone = item.revision < model.history.oldest;
    const more = chips(model, item);
    return h("li", { class: `event${isShown ? " shown" : ""}` },
        h("div", { class: "event-line" },
            h("button", {
                type: "button", class: "event-button", data: { key: `event-${item.revision}` },
                "aria-current": isShown ? "true" : undefined,
                disabled: isGone, title: isGone ? "The server no longer keeps this state" : "Show the state after this change", onclick: () => model.history.lookAt(item.revision),
            },
            h("span", { class: "event-revision" },
                h("span", { class: "visually-hidden", text: "Revision " }), String(item.revision)),
            h("span", { class: "event-words" }, h("strong", { text: command }), " ", h("span", { text: what })),
            h("time", { class: "event-time", datetime: item.at, title: localTime(item.at),
                text: timeAgo(item.at) })),
            withoutCurl.has(command) ? h("span") : iconCopy(`curl line of revision ${item.revision}`, () => lineOf(model, item))),
        more.length > 0 ? h("div", { class: "event-more" }, ...more) : null);
}

/** @param {Model} model @param {any} item */
async function lineOf(model, item) {
    const { client, history, session: { id } } = model;
    const [{ command: { command, ...body } }] = mayDiffer(item.command)
        ? await history.exactChanges({ limit: 1, before: item.revision + 1 }) : [item];
    const url = `${location.origin}/v1/sessions/${encodeURIComponent(id)}/${command}`;
    return curlLine({ method: "POST", url, body: JSON.stringify(body) }, Boolean(client.token));
}

/** @param {string} what @param {() => Promise<string>} text */
function iconCopy(what, text) {
    return h("button", { type: "button", class: "icon-button", "aria-label": `Copy ${what}`, title: "Copy the curl line", data: { key: `copy-${what}` },
        onclick: () => text().then((line) => copy(line, what))
            .then(() => notify("The curl line is on the clipboard."), notifyError) }, icon("curl"));
}

/** @param {Model} model @param {any} item */
function chips(model, item) {
    return [
        ...item.added.map((/** @type {string} */ id) => chip(model, id, "added")),
        ...item.removed.map((/** @type {string} */ id) => chip(model, id, "removed")),
        ...(item.moved ?? []).map((/** @type {any} */ move) =>
            h("span", { class: "chip mark", text: `${move.from} ${move.id}: now ${move.route}` })),
        ...(item.dropped ?? []).map((/** @type {any} */ drop) =>
            h("span", { class: "chip removed", text: `${drop.route} ${drop.id}: ${drop.why}` })),
        item.held && h("span", { class: "chip mark", text: `held back by ${item.held}` }),
        item.resumed && h("span", { class: "chip mark", text: `resumed ${inWords(model, item.resumed)}` }),
        item.refused && h("span", { class: "chip removed", text: item.refused.title }),
        item.givenUp && h("span", { class: "chip removed", text: `given up: ${inWords(model, item.givenUp)}` }),
        item.by && h("span", { class: "chip", text: `by ${item.by}` }),
    ].filter(Boolean);
}

/** @param {Model} model @param {any} command */
function inWords(model, command) {
    return `${command.command} ${commandObject(command, (id) => model.nameOf(id))}`.trim();
}

/** @param {Model} model @param {string} id @param {"added" | "removed"} how */
function chip(model, id, how) {
    const name = model.names.has(id) ? `${model.nameOf(id)} · ${id}` : id;
    return h("span", { class: `chip ${how}` }, h("span", { "aria-hidden": "true", text: how === "added" ? "+ " : "− " }),
        h("span", { class: "visually-hidden", text: `${how} ` }), h("span", { class: "chip-name", text: name }));
}

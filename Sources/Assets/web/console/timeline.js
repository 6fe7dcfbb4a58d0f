// The history, newest first: each change with its command, and what it added and removed. A click
// shows the state after that change, without changing anything.
import { copyButton, h, replace, timeAgo } from "./dom.js";
import { curlLine } from "./curl.js";

/** @typedef {import("./model.js").Model} Model */

/** Changes that are not commands, so there is no curl line that would repeat them. */
const withoutCurl = new Set(["create", "restore", "update", "reconcile"]);

/** @param {Model} model @param {HTMLElement} panel */
export function showTimeline(model, panel) {
    const draw = () => {
        if (!model.session) return replace(panel);
        if (panel.hidden) return;
        const rows = model.history.map((item) => row(model, item));
        replace(panel,
            h("ol", { class: "timeline" }, ...rows),
            model.historyNext === undefined ? null : h("button", {
                type: "button", class: "small", text: "Earlier changes", data: { key: "history-more" },
                onclick: () => model.loadHistory(model.historyNext),
            }));
    };
    for (const name of ["history", "session", "closed"]) model.on(name, draw);
    panel.addEventListener("show", draw);
    draw();
}

/** @param {Model} model @param {any} item */
function row(model, item) {
    const shown = model.shown.revision;
    const { command, ...body } = item.command;
    const request = {
        method: "POST", url: `${location.origin}/v1/sessions/${encodeURIComponent(model.session.id)}/${command}`,
        body: JSON.stringify(body),
    };
    const line = () => curlLine(request, Boolean(model.client.token));
    const isShown = item.revision === shown;
    const chips = [
        ...item.added.map((/** @type {string} */ id) => chip(model, id, "added")),
        ...item.removed.map((/** @type {string} */ id) => chip(model, id, "removed")),
        ...(item.dropped ?? []).map((/** @type {any} */ drop) =>
            h("span", { class: "chip removed", text: `${drop.route} ${drop.id}: ${drop.why}` })),
        item.held && h("span", { class: "chip mark", text: `held back by ${item.held}` }),
        item.resumed && h("span", { class: "chip mark", text: `resumed ${item.resumed.command} ${object(model, item.resumed)}` }),
        item.refused && h("span", { class: "chip removed", text: item.refused.title }),
        item.by && h("span", { class: "chip", text: `by ${item.by}` }),
    ].filter(Boolean);
    return h("li", { class: `event${isShown ? " shown" : ""}` },
        h("div", { class: "event-line" },
            h("button", {
                type: "button", class: "event-button", data: { key: `event-${item.revision}` },
                "aria-current": isShown ? "true" : undefined,
                title: "Show the state after this change", onclick: () => model.lookAt(item.revision),
            },
            h("span", { class: "event-revision" },
                h("span", { class: "visually-hidden", text: "Revision " }), String(item.revision)),
            h("span", { class: "event-words" },
                h("strong", { text: command }), " ", h(
                    "span", { text: object(model, item.command) },
                )),
            h(
                "time",
                {
                    class: "event-time", datetime: item.at,
                    title: new Date(item.at).toLocaleString(), text: timeAgo(item.at),
                },
            )),
            withoutCurl.has(command) ? h("span") : copyButton(`curl line of revision ${item.revision}`, line, "curl")),
        chips.length > 0 ? h("div", { class: "event-more" }, ...chips) : null);
}

/** @param {Model} model @param {string} id @param {"added" | "removed"} how */
function chip(model, id, how) {
    return h("span", { class: `chip ${how}` }, h("span", { "aria-hidden": "true", text: how === "added" ? "+ " : "− " }),
        h("span", { class: "visually-hidden", text: `${how} ` }), [model.names.get(id), id].filter(Boolean).join(" "));
}

/**
 * What a command was about.
 *
 * @param {Model} model
 * @param {any} command
 */
function object(model, { command, ...body }) {
    if (command === "back" && body.to) return `to ${body.to.entry ? model.names.get(body.to.entry) ?? body.to.entry : body.to.route ?? body.to.mark}`;
    if (command === "setFacts") {
        return Object.entries(body.facts ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
    }
    if (command === "setTabs") return body.order ? body.order.join(", ") : `hides ${body.hidden?.join(", ") || "none"}`;
    if (command === "batch") return `${body.commands?.length ?? 0} commands`;
    if (command === "setBadge") return `${body.tab} ${body.badge ?? "none"}`;
    const named = body.route ?? body.tab ?? body.url ?? body.in ?? body.app ?? body.sheet ?? body.scope ?? body.count;
    return named === undefined ? "" : String(named);
}

// The middle: the session and the actions on it as a whole, the phone, the stack, and the curl line
// of the last click.
import { byId, copyButton, h, notifyError, openDialog, replace, timeAgo } from "./dom.js";
import { icon } from "./icons.js";
import { phone } from "./phone.js";
import { stack } from "./stack.js";
import { askToCopy } from "./copy.js";
import { factsGroup, pendingBanner, watchersList } from "./facts.js";
import { openShare } from "./share.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model @param {(id: string) => void} choose */
export function showStage(model, choose) {
    const stage = byId("stage");
    /** What was visible when it was drawn last, for the direction of the movement. */
    let last = { id: "", depth: 0, visible: "" };
    const draw = () => {
        if (!model.shown) {
            replace(stage, model.wanted ? waiting() : nothing());
            return;
        }
        const drawn = phone(model);
        const now = place(model.shown);
        if (last.id === now.id && last.visible !== now.visible) {
            drawn.classList.add(
                now.depth > last.depth ? "pushed" : now.depth < last.depth ? "popped" : "swapped",
            );
        }
        last = now;
        replace(stage, heading(model, choose), pastBanner(model), pendingBanner(model), factsGroup(model),
            h("div", { class: "scene" }, drawn, stack(model)), requests(model));
    };
    for (const name of ["session", "closed", "requests"]) model.on(name, draw);
    draw();
}

/** @param {any} session */
function place(session) {
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const depth = session.sheets.length * 1000 + (session.sheets.at(-1) ?? tab).path.length;
    const { container, entry } = session.visible;
    return { id: session.id, depth, visible: `${container} ${entry ?? ""}` };
}

function nothing() {
    return h("div", { class: "empty" },
        h("div", { class: "phone ghost", "aria-hidden": "true" }, h("div", { class: "screen" })),
        h("p", { text: "Select or create a session to see and control it here." }));
}

function waiting() {
    return h("div", { class: "empty" }, h("p", { text: "Opening the session …" }));
}

/** @param {Model} model @param {(id: string) => void} choose */
function heading(model, choose) {
    const { session, shown } = model;
    const isStill = Boolean(model.past) || !model.mayControl;
    const facts = [
        session.app ?? "free-form", `revision ${shown.revision}`, `changed ${timeAgo(shown.updatedAt)}`,
        session.expiresAt && `expires ${new Date(session.expiresAt).toLocaleString()}`,
    ];
    return h("header", { class: "stage-head" },
        h("div", { class: "stage-name" },
            h("h2", { text: session.id }),
            h("p", { class: "dim", text: facts.filter(Boolean).join(" · ") }),
            labels(session), watchersList(model)),
        h("div", { class: "toolbar", role: "group", "aria-label": "Session" },
            tool("undo", "Undo", isStill || !session.canUndo, () => model.run("undo")),
            tool("redo", "Redo", isStill || !session.canRedo, () => model.run("redo")),
            tool("top", "Go to the root", isStill || !session.canGoBack, () => model.run("root")),
            tool("share", "Share", false, () => openShare(model)),
            model.mayControl ? tool("copy", "Copy", false, () => askToCopy(model, choose)) : null,
            model.mayControl ? tool("trash", "Delete", false, () => askToDelete(model)) : null));
}

/** @param {any} session */
function labels(session) {
    const items = Object.entries(session.labels ?? {});
    if (items.length === 0) return null;
    return h("ul", { class: "labels", "aria-label": "Labels" },
        ...items.map(([key, value]) => h("li", { text: `${key}: ${value}` })));
}

/**
 * @param {string} drawing
 * @param {string} label
 * @param {boolean} disabled
 * @param {() => void} act
 */
function tool(drawing, label, disabled, act) {
    return h("button", {
        type: "button", class: "icon-button", "aria-label": label, title: label, disabled,
        data: { key: `tool-${drawing}` }, onclick: act,
    }, icon(drawing));
}

/** @param {Model} model */
function pastBanner(model) {
    if (!model.past) return null;
    const { revision } = model.past;
    const newest = model.session.revision;
    return h("div", { class: "past-banner", role: "group", "aria-label": "Looking at the past" },
        h("span", {}, h("strong", { text: `Revision ${revision}` }), ` of ${newest}. Looking changes nothing.`),
        h("span", { class: "past-buttons" },
            h("button", { type: "button", class: "small", text: "Earlier", disabled: revision <= 1,
                data: { key: "past-earlier" }, onclick: () => model.lookAt(revision - 1) }),
            h("button", { type: "button", class: "small", text: "Later",
                data: { key: "past-later" }, onclick: () => model.lookAt(revision + 1) }),
            h("button", { type: "button", class: "small primary", text: "Back to now",
                data: { key: "past-now" }, onclick: () => model.now() })));
}

/** @param {Model} model */
function requests(model) {
    const [newest, ...older] = model.requests;
    if (!newest) {
        return h(
            "p",
            {
                class: "dim curl-hint",
                text: "The curl line of each click appears here.",
            },
        );
    }
    return h("section", { class: "curl", "aria-label": "Requests" },
        h("div", { class: "curl-line" }, h("code", { class: "curl-text", tabindex: "0", role: "textbox",
            "aria-readonly": "true", "aria-label": "curl line of the last click", text: newest }),
        copyButton("curl line", () => newest)),
        older.length > 0 ? h("details", { class: "curl-older" },
            h("summary", { text: older.length === 1 ? "1 earlier request" : `${older.length} earlier requests` }),
            h("ol", {}, ...older.map((line, index) => h("li", { class: "curl-line" },
                h("code", { class: "curl-text", text: line }),
                copyButton(`curl line ${index + 2}`, () => line))))) : null);
}

/** @param {Model} model */
function askToDelete(model) {
    const { id } = model.session;
    const remove = async () => {
        try {
            await model.client.delete(id);
            dialog.close();
        } catch (error) {
            notifyError(error);
        }
    };
    const dialog = openDialog(`Delete ${id}?`,
        h("p", { text: "This deletes its state, its history and its share links. It cannot be undone." }),
        h("footer", { class: "dialog-foot" },
            h("button", {
                type: "button", text: "Cancel", autofocus: true, onclick: () => dialog.close(),
            }),
            h("button", { type: "button", class: "danger", text: "Delete", onclick: remove })));
}

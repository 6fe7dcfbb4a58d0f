// The middle: the open session with the actions on it as a whole, the phone, the stack, the slider
// through time, and the curl line of the last click.
import { byId, codeLine, giveFocus, h, localTime, notifyError, openDialog, replace, shortened, timeAgo } from "./dom.js";
import { icon } from "./icons.js";
import { phone } from "./phone.js";
import { stack } from "./stack.js";
import { askToCopy } from "./copy.js";
import { factsGroup, pendingBanner, watchersList } from "./facts.js";
import { labels } from "./labels.js";
import { recordButton } from "./recorder.js";
import { isForSession } from "./rights.js";
import { openShare } from "./share.js";
import { pastBanner, TimeBar } from "./time.js";
import { welcome } from "./welcome.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

export class Stage {
    /** @param {Model} model @param {Directory | null} directory @param {(id: string) => void} choose */
    constructor(model, directory, choose) {
        this.model = model;
        this.directory = directory;
        this.choose = choose;
        /** The screen that was drawn last, for the direction of the movement. */
        this.last = { id: "", depth: 0, visible: "" };
        this.place = byId("stage");
        this.head = h("div", { class: "stage-top" });
        this.scene = h("div", { class: "scene" });
        this.time = new TimeBar(model);
        this.curl = h("div", { class: "curl" });
        this.drawn = "";
        const draw = () => this.draw();
        for (const name of ["session", "closed"]) model.on(name, draw);
        model.on("history", () => this.time.draw());
        model.on("requests", () => this.drawCurl());
        directory?.addEventListener("change", () => !model.isReady && this.draw());
        this.draw();
    }

    draw() {
        const { model, place } = this;
        if (!model.isReady) return this.drawWelcome();
        if (this.drawn !== "session") {
            this.drawn = "session";
            place.replaceChildren(this.head, this.scene, this.time.element, this.curl);
        }
        // Reading it makes the browser lay out what has been changed.
        const scroll = this.scene.querySelector(".stack")?.scrollTop ?? 0;
        // A form that stays the same element leaves the page for a moment.
        const active = document.activeElement;
        const key = active instanceof HTMLElement && place.contains(active) ? active.dataset.key : undefined;
        const drawn = phone(model);
        const now = placeOf(model.shown);
        if (this.last.id === now.id && this.last.visible !== now.visible) {
            drawn.classList.add(
                now.depth > this.last.depth ? "pushed" : now.depth < this.last.depth ? "popped" : "swapped",
            );
        }
        this.last = now;
        replace(this.head, heading(model, this.choose), pastBanner(model), pendingBanner(model), factsGroup(model));
        const cards = stack(model);
        replace(this.scene, drawn, cards);
        if (scroll > 0) cards.scrollTop = scroll;
        this.time.draw();
        this.drawCurl();
        if (key && document.activeElement === document.body) giveFocus(place, key);
    }

    // It is not drawn again while nothing about it has changed: a button in it may have the focus.
    drawWelcome() {
        const { model, directory } = this;
        const known = [model.wanted, model.failure?.message, model.mayControl, directory?.state, directory?.sessions.length === 0].join(" ");
        if (this.drawn === known) return;
        this.drawn = known;
        replace(this.place, welcome(model, directory, this.choose));
    }

    drawCurl() {
        if (this.drawn === "session") replace(this.curl, ...requests(this.model));
    }
}

/** @param {any} session */
function placeOf(session) {
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const depth = session.sheets.length * 1000 + (session.sheets.at(-1) ?? tab).path.length;
    const { container, entry } = session.visible;
    return { id: session.id, depth, visible: `${container} ${entry ?? container}` };
}

/** @param {Model} model @param {(id: string) => void} choose */
function heading(model, choose) {
    const { session, shown } = model;
    const facts = [
        session.app ?? "free-form", `revision ${shown.revision}`, `changed ${timeAgo(shown.updatedAt)}`,
        idleWords(shown.idle ?? model.app?.idle),
        session.expiresAt && `expires ${localTime(session.expiresAt)}`,
    ];
    return h("header", { class: "stage-head" },
        h("div", { class: "stage-name" },
            h("h2", {}, shortened(session.id)),
            h("p", { class: "dim", text: facts.filter(Boolean).join(" · ") }),
            labels(model), watchersList(model)),
        toolbar(model, choose));
}

/**
 * Who may only read is offered no changes, and whose token is for this session alone no links and no
 * copies.
 *
 * @param {Model} model @param {(id: string) => void} choose
 */
function toolbar(model, choose) {
    const { session, shown, isStill, mayControl, isOnline } = model;
    const isOwn = isForSession(model.client.token);
    const off = (/** @type {string} */ name, /** @type {boolean} */ isPossible) => isStill || !model.may(name) || !isPossible;
    const tools = [
        ...(mayControl ? [
            tool("undo", "Undo", off("undo", session.canUndo), () => model.run("undo")),
            tool("redo", "Redo", off("redo", session.canRedo), () => model.run("redo")),
            tool("top", "Go to the root", off("root", isDeep(shown)), () => model.run("root")),
            recordButton(model),
        ] : []),
        isOwn ? null : tool("share", "Share", !isOnline, () => openShare(model)),
        mayControl && !isOwn ? tool("copy", "Copy", !isOnline, () => askToCopy(model, choose)) : null,
        mayControl && !model.allowed?.commands ? tool("trash", "Delete", !isOnline, () => askToDelete(model)) : null,
    ].filter(Boolean);
    return tools.length > 0 && h("div", { class: "toolbar", role: "group", "aria-label": "Session" }, ...tools);
}

/** @param {any} idle */
function idleWords(idle) {
    return idle && `${idle.command.command} after ${idle.seconds} s without a change`;
}

/**
 * Whether anything lies over the root of the selected tab; a lock stops only the steps back.
 *
 * @param {any} session
 */
function isDeep(session) {
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    return session.sheets.length > 0 || tab.path.length > 0;
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
    }, icon(drawing === "share" ? "square.and.arrow.up" : drawing));
}

/** @param {Model} model */
function requests(model) {
    const [newest, ...older] = model.requests;
    if (!model.mayControl) return [];
    if (!newest) return [h("p", { class: "dim curl-hint", text: "Each click’s curl line appears here." })];
    const more = older.length > 0 ? h("details", { class: "curl-older" },
        h("summary", { text: older.length === 1 ? "1 earlier request" : `${older.length} earlier requests` }),
        h("ol", {}, ...older.map((line, index) => h("li", {},
            codeLine(`curl line ${index + 2}`, `curl line ${index + 2}`, line))))) : null;
    return [h("section", { "aria-label": "Requests" },
        codeLine("curl line of the last click", "curl line", newest), more)];
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

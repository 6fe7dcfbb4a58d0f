// The left column: search, the list of what was found, and the way to a new session.
import { announce, byId, h, replace, timeAgo } from "./dom.js";
import { icon } from "./icons.js";
import { askForSession } from "./create.js";
import { grouped, paramsText } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

const pageSize = 50;
const skeletonRows = 8;
const typingMilliseconds = 150;

export class SessionList {
    /** @param {Model} model @param {Directory} directory @param {(id: string) => void} choose */
    constructor(model, directory, choose) {
        this.model = model;
        this.directory = directory;
        this.choose = choose;
        this.start = 0;
        this.drawnApps = "";
        this.isDrawing = false;
        /** @type {string | undefined} */
        this.scrolledTo = undefined;
        this.build();
        directory.addEventListener("change", () => this.draw());
        for (const name of ["closed", "session"]) model.on(name, () => this.drawSoon());
        byId("sessions").addEventListener("show", () => this.showOpen());
        for (const name of ["closed", "ended"]) model.on(name, () => this.reloadIfUnknown());
        this.draw();
    }

    build() {
        const { directory } = this;
        this.search = h("input", {
            type: "search", id: "session-search", placeholder: "Search id, label, app, route …",
            "aria-label": "Search sessions by id, label, app or visible route", autocomplete: "off", spellcheck: "false",
            oninput: () => this.typed(),
            onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
        });
        this.filter = h("select", { "aria-label": "Filter by app", onchange: () => this.find({ app: this.filter.value }) });
        this.sort = h("select", { "aria-label": "Sort by", onchange: () => this.find({ sort: this.sort.value }) },
            h("option", { value: "changed", text: "Last changed" }), h("option", { value: "id", text: "Id" }));
        this.sort.value = directory.sort;
        this.filters = h("div", { class: "filters" }, this.search, h("div", { class: "filter-row" }, this.filter, this.sort));
        this.count = h("span", { class: "dim", id: "session-count" });
        this.wall = h("a", { class: "quiet small-link", text: "Show on wall" });
        this.summary = h("div", { class: "list-summary" }, this.count, this.wall);
        this.pinned = h("ul", { class: "session-list pinned", "aria-label": "Open session" });
        this.list = h("ul", { class: "session-list", "aria-labelledby": "sessions-title" });
        this.paging = h("div", { class: "paging" });
        byId("sessions").replaceChildren(
            h("header", { class: "pane-head" }, h("h2", { id: "sessions-title", text: "Sessions" }),
                h("button", { type: "button", class: "small primary", id: "new-session", data: { key: "new-session" },
                    onclick: () => askForSession(this.model, this.directory, this.choose) }, icon("plus"), "New")),
            this.filters, this.summary, this.pinned, this.list, this.paging);
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.find({ text: this.search.value }), typingMilliseconds);
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        const first = this.list.querySelector(".session-row");
        if (!(first instanceof HTMLElement)) return;
        event.preventDefault();
        if (event.key === "Enter") first.click();
        else first.focus();
    }

    /** @param {{ text?: string, app?: string, sort?: string }} query */
    async find(query) {
        this.start = 0;
        await this.directory.find(query);
        const { found, countWords } = this.directory;
        announce(found.length === 0 ? "No matching sessions" : found.length === 1 ? `1 session, ${found[0].id}` : countWords);
    }

    // The open session is known from its stream, sooner than from the next reading of the list.
    drawSoon() {
        if (this.isDrawing) return;
        this.isDrawing = true;
        setTimeout(() => {
            this.isDrawing = false;
            this.draw();
        }, 50);
    }

    reloadIfUnknown() {
        if (this.directory.state !== "loading") this.directory.load();
    }

    draw() {
        const { directory } = this;
        const { apps } = directory;
        const names = apps.map((app) => app.id).join();
        if (names !== this.drawnApps || this.filter.options.length === 0) {
            this.drawnApps = names;
            this.filter.replaceChildren(h("option", { value: "", text: "All apps" }),
                ...apps.map((app) => h("option", { value: app.id, text: app.title ?? app.id })));
        }
        // The wall searches too.
        if (document.activeElement !== this.search) this.search.value = directory.text;
        this.filter.value = directory.app;
        const found = directory.state === "loading" ? [] : directory.found;
        const isEmpty = directory.state === "ready" && directory.sessions.length === 0;
        this.filters.hidden = isEmpty;
        this.summary.hidden = directory.state !== "ready" || isEmpty;
        this.count.textContent = directory.countWords;
        this.wall.href = `#${new URLSearchParams({ wall: directory.text, ...(directory.app ? { app: directory.app } : {}) })}`;
        this.wall.hidden = found.length === 0;
        if (this.start >= found.length) this.start = 0;
        const page = found.slice(this.start, this.start + pageSize);
        this.drawPinned(page);
        replace(this.list, ...this.rows(page, isEmpty));
        this.drawPaging(found.length);
        this.showOpen();
    }

    // What is open is scrolled to once, when it has been opened elsewhere.
    showOpen() {
        const { id } = this.model;
        if (id === this.scrolledTo || this.list.getClientRects().length === 0) return;
        const row = this.list.querySelector("[aria-current]");
        if (id && !row && this.pinned.hidden) return;
        this.scrolledTo = id;
        row?.scrollIntoView({ block: "nearest" });
    }

    /** @param {any[]} page @param {boolean} isEmpty */
    rows(page, isEmpty) {
        const { directory } = this;
        if (directory.state === "loading") return [...Array(skeletonRows)].map(() => skeleton());
        if (page.length > 0) return page.map((item) => this.row(item));
        if (directory.state !== "ready" && directory.sessions.length === 0) return [this.trouble()];
        return [h("li", { class: "dim none", text: isEmpty ? "No sessions yet." : "No matching sessions." })];
    }

    trouble() {
        const isAway = this.directory.state === "offline";
        return h("li", { class: "none" },
            h("p", { text: isAway ? "The server cannot be reached." : "The list could not be read." }),
            isAway ? null : h("p", { class: "dim", text: this.directory.error?.message ?? "" }),
            h("button", { type: "button", class: "small", text: "Try again", data: { key: "list-again" },
                onclick: () => this.directory.load() }));
    }

    // The open session is always in sight, also when the search does not find it.
    /** @param {any[]} page */
    drawPinned(page) {
        const { session } = this.model;
        const isListed = !session || page.some((item) => item.id === session.id);
        this.pinned.hidden = isListed;
        replace(this.pinned, isListed ? null : this.row(session));
    }

    /** @param {number} total */
    drawPaging(total) {
        const end = Math.min(total, this.start + pageSize);
        const turn = (/** @type {number} */ start) => {
            this.start = start;
            this.draw();
            this.list.scrollTop = 0;
            announce(`Sessions ${start + 1} to ${Math.min(total, start + pageSize)} of ${total}`);
        };
        const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {number} */ start, /** @type {boolean} */ isOff) =>
            h("button", { type: "button", class: "small", text, "aria-label": label, disabled: isOff,
                data: { key: `page-${label}`, heir: "" }, onclick: () => turn(start) });
        this.paging.hidden = total <= pageSize;
        replace(this.paging, button("←", "Previous page", this.start - pageSize, this.start === 0),
            h("span", { class: "dim", text: `${this.start + 1}–${end} of ${grouped(total)}` }),
            button("→", "Next page", this.start + pageSize, end >= total));
    }

    /** @param {any} listed */
    row(listed) {
        const { model } = this;
        const isOpen = listed.id === model.id;
        const item = model.session?.id === listed.id ? { ...listed, ...model.session, watchers: model.watchers.length } : listed;
        const watchers = item.watchers ?? 0;
        const labels = Object.entries(item.labels ?? {}).map(([key, value]) => `${key}:${value}`);
        const place = [item.visible.route, paramsText(item.visible.params)].filter(Boolean).join(" ");
        return h("li", {}, h("button", {
            type: "button", class: "session-row", "aria-current": isOpen ? "true" : undefined,
            data: { key: `session-${item.id}` }, onclick: () => this.choose(item.id),
        },
        h("span", { class: "session-id", text: item.id, title: item.id }),
        h("span", { class: "session-time", text: timeAgo(item.updatedAt) }),
        h("span", { class: "session-facts" },
            h("span", { class: "app", text: item.app ?? "free-form" }),
            h("span", { class: "session-route", text: place })),
        watchers > 0 ? h("span", { class: "watchers", title: `${watchers} watching` }, icon("eye"),
            h("span", { text: String(watchers) }), h("span", { class: "visually-hidden", text: " watching" })) : h("span"),
        labels.length > 0 ? h("span", { class: "session-labels", text: labels.join("  ") }) : null));
    }
}

function skeleton() {
    return h("li", { class: "session-row skeleton", "aria-hidden": "true" }, h("span"), h("span"));
}

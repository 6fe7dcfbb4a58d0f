// The sessions: search and filters, what was found, and the way to a new session. While no session is
// open, what was found is a table over the whole width, and otherwise a list at the left.
import { announce, byId, h, replace, shortened, timeAgo } from "./dom.js";
import { address, setFilters } from "./address.js";
import { signIn } from "./access.js";
import { icon } from "./icons.js";
import { askForSession } from "./create.js";
import { ManyBar } from "./many.js";
import { drawPaging } from "./paging.js";
import { sessionTable } from "./table.js";
import { paramsText } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

const pageSize = 50;
const skeletonRows = 8;
const typingMilliseconds = 150;
const wide = matchMedia("(min-width: 901px)");
/** @type {[string, string][]} */
const orders = [["changed", "Last changed"], ["id", "Id"], ["app", "App"], ["screen", "Screen"], ["revision", "Revision"], ["watchers", "Watching"]];

export class SessionList {
    /** @param {Model} model @param {Directory} directory @param {(id: string) => void} choose */
    constructor(model, directory, choose) {
        this.model = model;
        this.directory = directory;
        this.choose = choose;
        this.start = 0;
        this.drawnApps = "";
        this.isDrawing = false;
        /** @type {Set<string>} */
        this.selected = new Set();
        this.many = new ManyBar(model, () => [...this.selected], () => this.selectAll());
        /** @type {string | undefined} */
        this.scrolledTo = undefined;
        this.build();
        directory.addEventListener("change", () => this.draw());
        wide.addEventListener("change", () => this.draw());
        const drawSoon = () => this.drawSoon();
        for (const name of ["closed", "session"]) model.on(name, drawSoon);
        byId("sessions").addEventListener("show", () => this.showOpen());
        for (const name of ["closed", "ended"]) model.on(name, () => this.reloadIfUnknown());
        this.draw();
    }

    build() {
        const { directory } = this;
        this.search = h("input", {
            type: "search", id: "session-search", placeholder: "Search id, label, app …",
            "aria-label": "Search sessions by id, label, app or visible route", autocomplete: "off", spellcheck: "false",
            oninput: () => this.typed(),
            onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
        });
        this.filter = h("select", { "aria-label": "Filter by app", onchange: () => this.find({ app: this.filter.value }) });
        this.sort = h("select", { "aria-label": "Sort by", onchange: () => this.find({ sort: this.sort.value }) },
            ...orders.map(([value, text]) => h("option", { value, text })));
        this.labels = h("ul", { class: "labels filter-labels", "aria-label": "Filters" });
        this.filters = h("div", { class: "filters" }, this.search, h("div", { class: "filter-row" }, this.filter, this.sort), this.labels);
        this.count = h("span", { class: "dim", id: "session-count" });
        this.wall = h("a", { class: "quiet small-link", text: "Show on wall" });
        this.summary = h("div", { class: "list-summary" }, this.count, this.wall);
        this.pinned = h("ul", { class: "session-list pinned", "aria-label": "Open session" });
        this.list = h("ul", { class: "session-list", "aria-labelledby": "sessions-title" });
        this.table = h("div", { class: "session-list table-scroll", hidden: true });
        this.paging = h("div", { class: "paging" });
        byId("sessions").replaceChildren(
            h("header", { class: "pane-head" }, h("h2", { id: "sessions-title", text: "Sessions" }),
                h("button", { type: "button", class: "small primary", id: "new-session", data: { key: "new-session" },
                    onclick: () => askForSession(this.model, this.directory, this.choose) }, icon("plus"), "New session")),
            this.filters, this.summary, this.many.element, this.pinned, this.list, this.table, this.paging);
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.find({ text: this.search.value }), typingMilliseconds);
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        const first = byId("sessions").querySelector(".session-list [data-key^='session-']");
        if (!(first instanceof HTMLElement)) return;
        event.preventDefault();
        if (event.key === "Enter") first.click();
        else first.focus();
    }

    /** @param {Partial<import("./address.js").Filters>} changes */
    async find(changes) {
        this.start = 0;
        await this.directory.find(setFilters(changes));
        const { found, countWords } = this.directory;
        announce(found.length === 0 ? "No matching sessions" : found.length === 1 ? `1 session, ${found[0].id}` : countWords);
    }

    selectAll() {
        const { found } = this.directory;
        const isAll = found.every((item) => this.selected.has(item.id));
        this.selected = new Set(isAll ? [] : found.map((item) => item.id));
        this.draw();
    }

    /** Whether there is room for a table, and something to show in it. */
    get isTable() {
        const { state, sessions } = this.directory;
        return wide.matches && !this.model.id && (state === "loading" || (state !== "offline" && sessions.length > 0));
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

    // A stream of all sessions has told what has changed, as far as all are known.
    reloadIfUnknown() {
        const { state, isLive, isComplete } = this.directory;
        if (state !== "loading" && !(isLive && isComplete)) this.directory.load();
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
        const { text, app, labels, sort } = directory.filters;
        // The wall searches too.
        if (document.activeElement !== this.search) this.search.value = text;
        this.filter.value = app;
        this.sort.value = sort.replace("-", "");
        this.drawLabels(labels);
        const found = directory.state === "loading" ? [] : directory.found;
        const isEmpty = directory.state === "ready" && directory.sessions.length === 0;
        this.filters.hidden = isEmpty;
        byId("new-session").hidden = !this.model.mayControl;
        this.summary.hidden = directory.state !== "ready" || isEmpty;
        this.count.textContent = directory.countWords;
        this.wall.href = address({ wall: "" }, directory.filters);
        this.wall.hidden = found.length === 0;
        if (this.start >= found.length) this.start = 0;
        const page = found.slice(this.start, this.start + pageSize);
        const { isTable } = this;
        byId("columns").classList.toggle("choosing", isTable);
        byId("columns").classList.toggle("beginning", !isTable && !this.model.id);
        this.list.hidden = isTable && page.length > 0;
        this.table.hidden = !this.list.hidden;
        this.drawPinned(page);
        replace(this.list, ...(this.list.hidden ? [] : this.rows(page, isEmpty)));
        this.drawTable(this.table.hidden ? [] : page);
        drawPaging(this.paging, { start: this.start, size: pageSize, total: found.length, what: "Sessions" }, (start) => {
            this.start = start;
            this.draw();
            this.list.scrollTop = this.table.scrollTop = 0;
        });
        this.showOpen();
    }

    /** @param {any[]} page */
    drawTable(page) {
        const { directory, selected } = this;
        const known = new Set(directory.found.map((item) => item.id));
        for (const id of selected) if (!known.has(id) && directory.state === "ready") selected.delete(id);
        this.many.element.hidden = page.length === 0 || !this.model.mayControl;
        this.many.draw(known.size);
        replace(this.table, page.length > 0 && sessionTable(page, selected, directory.filters.sort, {
            sort: (sort) => this.find({ sort }), choose: this.choose, select: () => this.draw(),
        }));
    }

    /** @param {string[]} labels */
    drawLabels(labels) {
        replace(this.labels, ...labels.map((label) => h("li", {}, h("button", { type: "button", text: `${label.replace(":", ": ")} ✕`,
            "aria-label": `Without the filter ${label}`, data: { key: `filter-${label}` },
            onclick: () => this.find({ labels: labels.filter((other) => other !== label) }) }))));
        this.labels.hidden = labels.length === 0;
    }

    // The open session is scrolled to once, when it has been opened elsewhere.
    showOpen() {
        const { id } = this.model;
        if (id === this.scrolledTo) return;
        const row = this.list.querySelector("[aria-current]");
        // Whether the list is visible is asked last, since the page is laid out for the answer.
        if (id && ((!row && this.pinned.hidden) || this.list.getClientRects().length === 0)) return;
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
        const isSignIn = this.directory.error?.status === 401;
        if (isSignIn) return h("li", { class: "none" }, h("p", { text: "Sign in to see the sessions." }),
            h("button", { type: "button", class: "small primary", text: "Sign in", data: { key: "list-again" }, onclick: signIn }));
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

    /** @param {any} listed */
    row(listed) {
        const { model } = this;
        const isOpen = listed.id === model.id;
        const item = model.session?.id === listed.id ? { ...listed, ...model.session, watchers: model.watchers.length } : listed;
        const watchers = item.watchers ?? 0;
        const place = [item.visible.route, paramsText(item.visible.params)].filter(Boolean).join(" ");
        return h("li", {}, h("button", {
            type: "button", class: "session-row", "aria-current": isOpen ? "true" : undefined,
            data: { key: `session-${item.id}` }, onclick: () => this.choose(item.id),
        },
        shortened(item.id, { class: "session-id" }),
        h("span", { class: "session-facts" },
            h("span", { class: "app", text: `${item.app ?? "free-form"} ·` }), h("span", { class: "session-route", text: place })),
        h("span", { class: "session-end" }, watchers > 0 && h("span", { class: "watchers", title: `${watchers} watching` }, icon("eye"),
            h("span", { text: String(watchers) }), h("span", { class: "visually-hidden", text: " watching" })),
        h("span", { class: "session-time", text: timeAgo(item.updatedAt) }))));
    }
}

function skeleton() {
    return h("li", { class: "session-row skeleton", "aria-hidden": "true" }, h("span"), h("span"));
}

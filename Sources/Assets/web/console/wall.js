// Many sessions at once, as small phones that follow them live. What is tapped on a selected phone
// happens on all that are selected; the bar above them does the same with any link or command.
import { byId, codeLine, h, notifyError, replace, shortened } from "./dom.js";
import { address, setFilters } from "./address.js";
import { ManyBar } from "./many.js";
import { drawPaging } from "./paging.js";
import { phone } from "./phone.js";
import { SessionView } from "./view.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

/** A page: as many as can be told apart on a screen; each is drawn at each of its changes. */
const pageSize = 24;
const typingMilliseconds = 250;
const pauseMilliseconds = 100;

export class WallPhone extends SessionView {
    /** @param {string} id @param {(phone: WallPhone, name: string, body: any) => Promise<any>} steer */
    constructor(id, steer) {
        super();
        this.id = id;
        this.steer = steer;
        this.place = h("div", { class: "wall-screen" });
        this.box = h("input", { type: "checkbox", "aria-label": `Select ${id}` });
        this.element = h("li", { class: "wall-phone" }, this.place, h("div", { class: "wall-name" },
            h("label", {}, this.box), h("a", { href: address({ session: id }), "aria-label": `Open ${id}` }, shortened(id))));
        this.on("session", () => this.show());
        this.place.append(h("div", { class: "phone skeleton", "aria-hidden": "true" }, h("div", { class: "screen" })));
    }

    /** @param {string} name @param {any} body */
    async run(name, body = {}) {
        return this.steer(this, name, body);
    }

    show() {
        if (this.session) replace(this.place, phone(this));
    }
}

export class Wall {
    /** @param {Model} model @param {Directory} directory */
    constructor(model, directory) {
        this.model = model;
        this.directory = directory;
        /** @type {Map<string, WallPhone>} */
        this.phones = new Map();
        /** @type {Map<string, Promise<any>>} */
        this.reading = new Map();
        this.stop = () => {};
        this.isShown = false;
        /** @type {string | null} The ids of what is shown, as far as something is. */
        this.followed = null;
        this.start = 0;
        this.bar = new ManyBar(model, () => this.chosen, () => this.selectAll());
        this.build();
        directory.addEventListener("change", () => this.isShown && this.update());
        model.on("requests", () => this.isShown && this.drawCurl());
    }

    build() {
        this.search = h("input", { type: "search", "aria-label": "Search sessions for the wall", placeholder: "Search id, label, app …",
            autocomplete: "off", spellcheck: "false", oninput: () => this.typed() });
        this.count = h("span", { class: "dim", role: "status" });
        this.hint = h("span", { class: "dim", role: "status" });
        this.paging = h("div", { class: "paging" });
        this.grid = h("ul", { class: "wall-grid", "aria-label": "Phones" });
        this.curl = h("div", { class: "curl" });
        byId("wall").replaceChildren(
            h("header", { class: "page-head" }, h("h2", { text: "Wall" }), this.search, this.count, this.paging, this.hint), this.bar.element, this.grid, this.curl);
        this.grid.addEventListener("change", () => this.drawBar());
    }

    open() {
        this.isShown = true;
        this.search.value = this.directory.filters.text;
        this.update();
    }

    close() {
        this.isShown = false;
        this.stop();
        this.stop = () => {};
        this.followed = null;
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.start = 0;
            this.directory.find(setFilters({ text: this.search.value }));
        }, typingMilliseconds);
    }

    // Sorted by id: phones that change places at each change could not be watched.
    update() {
        const { directory } = this;
        if (directory.state === "loading") return;
        const found = directory.found.map((item) => item.id).sort();
        if (this.start >= found.length) this.start = 0;
        const shown = found.slice(this.start, this.start + pageSize);
        this.count.textContent = directory.countWords;
        drawPaging(this.paging, { start: this.start, size: pageSize, total: found.length, what: "Phones" }, (start) => {
            this.start = start;
            this.update();
            this.grid.scrollTop = 0;
        });
        const key = shown.join(" ");
        if (key === this.followed) return;
        this.followed = key;
        this.phones = new Map(shown.map((id) => [id, this.phones.get(id) ?? new WallPhone(id, (...tap) => this.tapped(...tap))]));
        const none = directory.isFiltered ? [h("p", { text: "No matching sessions." }), h("a", { class: "button", href: "#wall=", text: "Show all sessions" })]
            : [h("p", { text: "No sessions yet. The wall shows each one as a live phone." }), h("a", { class: "button", href: "#", text: "Create one on the Sessions page" })];
        replace(this.grid, ...(shown.length > 0 ? [...this.phones.values()].map((item) => item.element)
            : [h("li", { class: "none" }, ...none)]));
        this.bar.element.hidden = shown.length === 0 || !this.model.mayControl;
        this.drawBar();
        this.follow(shown);
    }

    /** @param {string[]} ids */
    follow(ids) {
        this.stop();
        this.stop = () => {};
        if (ids.length === 0) return;
        this.stop = this.model.client.subscribeAll({
            onSnapshot: ({ session }) => this.take(session, true),
            onChange: ({ session }) => this.take(session),
            onEnd: () => this.directory.load(),
            onStatus: (status) => {
                this.model.setStatus(status);
                for (const view of this.phones.values()) {
                    view.isOnline = status.state === "live";
                    view.emit("session");
                }
            },
            onError: (error) => {
                // One of them has gone in the meantime.
                this.followed = null;
                if (/** @type {any} */ (error).code === "session-not-found") this.directory.load();
                else notifyError(error);
            },
        }, { sessions: ids });
    }

    /** @param {any} session @param {boolean} [isSnapshot] After a restore it may be of a lower revision. */
    async take(session, isSnapshot = false) {
        const view = this.phones.get(session.id);
        if (!view || (!isSnapshot && view.session?.revision > session.revision
            && view.session.createdAt === session.createdAt)) return;
        view.session = session;
        view.learnNames(session);
        view.emit("session");
        const { app } = session;
        if (!app) return;
        const document = await this.readApp(app);
        if (document) view.app = { ...document, id: app };
        view.emit("session");
    }

    // An app may be replaced between any two changes. Those that follow each other share one
    // reading, which begins after them.
    /** @param {string} app */
    readApp(app) {
        const reading = this.reading.get(app) ?? this.readSoon(app);
        this.reading.set(app, reading);
        return reading;
    }

    /** @param {string} app */
    async readSoon(app) {
        await new Promise((go) => setTimeout(go, pauseMilliseconds));
        this.reading.delete(app);
        // A token that may not read apps shows routes by their names.
        return this.model.client.app(app).catch(() => null);
    }

    // Steering

    get chosen() {
        return [...this.phones.values()].filter((item) => item.box.checked).map((item) => item.id);
    }

    selectAll() {
        const isAll = this.chosen.length === this.phones.size;
        for (const item of this.phones.values()) item.box.checked = !isAll;
        this.drawBar();
    }

    drawBar() {
        const count = this.chosen.length;
        this.bar.draw(this.phones.size);
        this.hint.textContent = count > 1 ? `A tap on a selected phone goes to all ${count}.` : "";
        for (const item of this.phones.values()) item.element.classList.toggle("chosen", item.box.checked);
    }

    /** @param {WallPhone} tapped @param {string} name @param {any} body */
    tapped(tapped, name, body) {
        const { chosen } = this;
        if (!tapped.box.checked || chosen.length === 1) return this.bar.send([tapped.id], name, body);
        // On the others the sheet on top has another id.
        const { sheet: _, ...common } = body;
        return this.bar.send(chosen, name, common);
    }

    drawCurl() {
        const [newest] = this.model.requests;
        replace(this.curl, newest ? codeLine("curl line of the last tap", "curl line", newest) : null);
    }
}

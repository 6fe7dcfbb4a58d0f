// Many sessions at once, as small phones that follow them live. What is tapped on a selected phone
// happens on all that are selected; the bar above them does the same with any link or command.
import { announce, byId, codeLine, h, notify, notifyError, replace } from "./dom.js";
import { phone } from "./phone.js";
import { SessionView } from "./view.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

/** As many as can be told apart on a screen; each is drawn at each of its changes. */
const phonesMax = 24;
const typingMilliseconds = 250;

export class WallPhone extends SessionView {
    /** @param {string} id @param {(phone: WallPhone, name: string, body: any) => Promise<any>} steer */
    constructor(id, steer) {
        super();
        this.id = id;
        this.steer = steer;
        this.place = h("div", { class: "wall-screen" });
        this.box = h("input", { type: "checkbox", "aria-label": `Select ${id}` });
        this.element = h("li", { class: "wall-phone" }, this.place, h("div", { class: "wall-name" },
            h("label", {}, this.box), h("a", { href: `#${new URLSearchParams({ session: id })}`, text: id, title: `Open ${id}` })));
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
        this.apps = new Map();
        this.stop = () => {};
        this.isShown = false;
        this.followed = "";
        this.build();
        directory.addEventListener("change", () => this.isShown && this.update());
        model.on("requests", () => this.isShown && this.drawCurl());
    }

    build() {
        this.search = h("input", { type: "search", "aria-label": "Search sessions for the wall", placeholder: "Search id, label, app, route …",
            autocomplete: "off", spellcheck: "false", oninput: () => this.typed() });
        this.count = h("span", { class: "dim", role: "status" });
        this.hint = h("span", { class: "dim", role: "status" });
        this.all = h("button", { type: "button", class: "small", text: "Select all", onclick: () => this.selectAll() });
        this.link = h("input", { type: "text", id: "wall-link", "aria-label": "Link for the selected sessions", placeholder: "Link, such as shop://cart",
            autocomplete: "off", spellcheck: "false", inputmode: "url" });
        const act = (/** @type {string} */ text, /** @type {string} */ name, body = {}) =>
            h("button", { type: "button", class: "small", text, onclick: () => this.send(this.chosen, name, body) });
        this.bar = h("form", { class: "wall-bar", "aria-label": "Steer the selected sessions", onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            if (this.link.value.trim()) this.send(this.chosen, "open", { url: this.link.value.trim() });
        } }, this.all, act("Back", "back"), act("Root", "root", { scope: "all" }), act("Undo", "undo"), this.link,
        h("button", { type: "submit", class: "small primary", text: "Open link" }));
        this.grid = h("ul", { class: "wall-grid", "aria-label": "Phones" });
        this.curl = h("div", { class: "curl" });
        byId("wall").replaceChildren(
            h("header", { class: "page-head" }, h("h2", { text: "Wall" }), this.search, this.count, this.hint), this.bar, this.grid, this.curl);
        this.grid.addEventListener("change", () => this.drawBar());
    }

    /** @param {string} text @param {string} app */
    open(text, app) {
        this.isShown = true;
        this.search.value = text;
        this.directory.find({ text, app });
        this.update();
    }

    close() {
        this.isShown = false;
        this.stop();
        this.stop = () => {};
        this.followed = "";
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const { app } = this.directory;
            const query = new URLSearchParams({ wall: this.search.value, ...(app ? { app } : {}) });
            history.replaceState(null, "", `#${query}`);
            this.directory.find({ text: this.search.value });
        }, typingMilliseconds);
    }

    // Sorted by id: phones that change places at each change could not be watched.
    update() {
        const { directory } = this;
        if (directory.state === "loading") return;
        const found = directory.found.map((item) => item.id).sort();
        const shown = found.slice(0, phonesMax);
        this.count.textContent = found.length > phonesMax ? `The first ${phonesMax} of ${counted(found.length, "session")}`
            : counted(found.length, "session");
        const key = shown.join(" ");
        if (key === this.followed) return;
        this.followed = key;
        this.phones = new Map(shown.map((id) => [id, this.phones.get(id) ?? new WallPhone(id, (...tap) => this.tapped(...tap))]));
        const none = directory.isFiltered ? "No matching sessions." : "No sessions yet. Create one on the Sessions page.";
        replace(this.grid, ...(shown.length > 0 ? [...this.phones.values()].map((item) => item.element)
            : [h("li", { class: "dim none", text: none })]));
        this.drawBar();
        this.follow(shown);
    }

    /** @param {string[]} ids */
    follow(ids) {
        this.stop();
        this.stop = () => {};
        if (ids.length === 0) return;
        this.stop = this.model.client.subscribeAll({
            onSnapshot: ({ session }) => this.take(session),
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
                this.followed = "";
                if (/** @type {any} */ (error).code === "session-not-found") this.directory.load();
                else notifyError(error);
            },
        }, { sessions: ids });
    }

    /** @param {any} session */
    async take(session) {
        const view = this.phones.get(session.id);
        if (!view || (view.session && view.session.revision > session.revision
            && view.session.createdAt === session.createdAt)) return;
        view.session = session;
        view.learnNames(session);
        view.emit("session");
        if (!session.app || view.app?.id === session.app) return;
        const { app } = session;
        // A token that may not read apps shows routes by their names.
        if (!this.apps.has(app)) this.apps.set(app, this.model.client.app(app).catch(() => null));
        const document = await this.apps.get(app);
        if (document) view.app = { ...document, id: app };
        view.emit("session");
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
        this.bar.classList.toggle("idle", count === 0);
        for (const control of this.bar.elements) control.disabled = control !== this.all && count === 0;
        this.all.disabled = this.phones.size === 0;
        this.all.textContent = count === 0 ? "Select all" : count === this.phones.size ? "Select none" : `${count} selected · all`;
        this.hint.textContent = count > 1 ? `A tap on a selected phone goes to all ${count}.` : "";
        for (const item of this.phones.values()) item.element.classList.toggle("chosen", item.box.checked);
    }

    /** @param {WallPhone} tapped @param {string} name @param {any} body */
    tapped(tapped, name, body) {
        const { chosen } = this;
        if (!tapped.box.checked || chosen.length === 1) return this.send([tapped.id], name, body);
        // On the others the sheet on top has another id.
        const { sheet: _, ...common } = body;
        return this.send(chosen, name, common);
    }

    /** @param {string[]} sessions @param {string} name @param {any} body */
    async send(sessions, name, body) {
        try {
            const { results } = await this.model.client.commandAll({ command: { command: name, ...body }, sessions });
            const refused = results.filter((row) => row.problem);
            const changed = results.filter((row) => row.changed).length;
            announce(`${name}: ${counted(changed, "session")} changed`);
            if (refused.length > 0) {
                const [first] = refused;
                notify(`${first.session}: ${first.problem?.detail}`, { kind: "problem", title: `${counted(refused.length, "session")} refused ${name}` });
            } else if (changed === 0) notify("No effect on any of them.");
        } catch (error) {
            notifyError(error);
        }
    }

    drawCurl() {
        const [newest] = this.model.requests;
        replace(this.curl, newest ? codeLine("curl line of the last tap", "curl line", newest) : null);
    }
}

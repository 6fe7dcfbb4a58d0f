// The graph of an app on the server, with what its sessions show: all of them, or the way of one.
import { h, notifyError } from "./dom.js";
import { GraphPicture } from "./graph-picture.js";
import { counted } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

const sessionsMax = 200;

export class AppGraph {
    /** @param {Model} model @param {Directory} directory @param {any} app @param {string} session */
    constructor(model, directory, app, session) {
        this.model = model;
        this.directory = directory;
        this.app = app;
        this.session = session;
        /** @type {any} */
        this.state = null;
        this.stop = () => {};
        this.picture = new GraphPicture(app);
        this.select = h("select", { id: "graph-session", onchange: () => this.follow(this.select.value) });
        this.element = h("section", { class: "graph", "aria-label": "Graph" },
            h("div", { class: "graph-head" }, h("h3", { text: "Graph" }),
                h("label", { for: "graph-session", text: "Highlight" }), this.select),
            ...this.picture.elements);
        this.listed = "";
        this.count();
        this.follow(session);
    }

    close() {
        this.stop();
        this.stop = () => {};
    }

    /** @param {string} id */
    follow(id) {
        this.close();
        this.session = id;
        this.state = null;
        if (id) {
            const take = (/** @type {any} */ event) => {
                this.state = event.session;
                this.draw();
            };
            this.stop = this.model.client.subscribe(id, { onSnapshot: take, onChange: take, onEnd: () => this.follow(""), onError: notifyError });
        }
        this.draw();
    }

    /** The sessions of the app, after the list has been read again. */
    count() {
        const ids = this.directory.sessions.filter((item) => item.app === this.app.id).map((item) => item.id).slice(0, sessionsMax);
        const key = ids.join(" ");
        if (key !== this.listed || this.select.options.length === 0) {
            this.listed = key;
            this.select.replaceChildren(h("option", { value: "", text: "all sessions" }),
                ...ids.map((id) => h("option", { value: id, text: id })));
            this.select.value = this.session;
        }
        if (!this.session) this.draw();
    }

    // How many sessions show a node, by the node's key.
    counts() {
        /** @type {Map<string, number>} */
        const counts = new Map();
        for (const item of this.directory.sessions) {
            if (item.app !== this.app.id) continue;
            const key = this.picture.keyOf(item.visible);
            counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        return counts;
    }

    draw() {
        const { picture, session, state } = this;
        const counts = session ? new Map() : this.counts();
        picture.draw(session ? state ? `${session} shows ${picture.titleOf(picture.keyOf(state.visible))}.` : `Opening ${session} …` : this.describe(counts), state, counts);
    }

    /** @param {Map<string, number>} counts */
    describe(counts) {
        const shown = [...counts].map(([key, count]) => `${counted(count, "session")} on ${this.picture.titleOf(key)}`);
        return shown.length > 0 ? `${shown.slice(0, 4).join(", ")}${shown.length > 4 ? " …" : ""}.` : "No session uses this app yet.";
    }
}

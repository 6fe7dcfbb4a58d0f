// The apps: a list, and for each its graph, its links to try, and its document.
import { byId, h, notify, notifyError, openDialog, replace } from "./dom.js";
import { appEditor } from "./app-editor.js";
import { AppGraph } from "./app-graph.js";
import { appLinks } from "./app-links.js";
import { startDemo } from "./create.js";
import { indented } from "./exact.js";
import { icon } from "./icons.js";
import { appPath, send } from "./requests.js";
import { counted } from "./words.js";
import { fragmentOf } from "../play/link.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

export class Apps {
    /** @param {Model} model @param {Directory} directory @param {(id: string) => void} choose */
    constructor(model, directory, choose) {
        this.model = model;
        this.directory = directory;
        this.choose = choose;
        this.isShown = false;
        this.isEditing = false;
        this.id = "";
        /** @type {any} */
        this.app = null;
        /** @type {AppGraph | null} */
        this.graph = null;
        this.list = h("ul", { class: "session-list app-list", "aria-label": "Apps of this server" });
        this.body = h("div", { class: "app-body", tabindex: "-1" });
        byId("apps").replaceChildren(h("div", { class: "app-column" },
            h("header", { class: "pane-head" }, h("h2", { text: "Apps" }),
                h("button", { type: "button", class: "small primary", data: { key: "add-app" }, onclick: () => this.edit(null) }, icon("plus"), "Add")),
            this.list), this.body);
        directory.addEventListener("change", () => this.isShown && this.update());
    }

    /** @param {string} id @param {string} session The one that was open before. */
    async open(id, session) {
        const wasShown = this.isShown;
        this.isShown = true;
        this.session = session;
        if (!wasShown) this.directory.loadApps();
        if (wasShown && id === this.id && this.app) return;
        this.id = id;
        this.drawList();
        await this.load();
    }

    close() {
        this.isShown = false;
        this.graph?.close();
        this.graph = null;
        this.app = null;
    }

    update() {
        this.drawList();
        this.graph?.count();
        if (!this.app && !this.isEditing) this.drawEmpty();
        if (!this.id && this.directory.apps.length > 0 && !this.isEditing) {
            // The first is shown, so that there is something to see.
            history.replaceState(null, "", `#${new URLSearchParams({ apps: this.directory.apps[0].id })}`);
            this.id = this.directory.apps[0].id;
            this.load();
        }
    }

    async load() {
        const { id } = this;
        this.isEditing = false;
        this.graph?.close();
        this.graph = this.app = null;
        if (!id) return this.update();
        replace(this.body, h("p", { class: "dim none", text: `Opening ${id} …` }));
        try {
            const { text } = await send(this.model.client, "GET", appPath(id));
            if (this.id !== id || !this.isShown || this.isEditing) return;
            this.app = { ...JSON.parse(text), id };
            this.draw(text);
        } catch (error) {
            if (this.isEditing) return;
            replace(this.body, h("div", { class: "empty failure", role: "alert" }, h("h2", { text: `${id} cannot be shown` }),
                h("p", { class: "dim", text: /** @type {Error} */ (error).message })));
        }
        this.drawList();
    }

    drawList() {
        const { apps, sessions } = this.directory;
        for (const button of byId("apps").querySelectorAll("[data-key=add-app], [data-key=edit-app], [data-key=delete-app]")) {
            /** @type {HTMLElement} */ (button).hidden = !this.model.mayControl;
        }
        replace(this.list, ...apps.map((app) => {
            const count = sessions.filter((item) => item.app === app.id).length;
            return h("li", {}, h("a", { class: "session-row", href: `#${new URLSearchParams({ apps: app.id })}`,
                "aria-current": app.id === this.id && !this.isEditing ? "true" : undefined, data: { key: `app-${app.id}` } },
            h("span", { class: "session-id", text: app.title ?? app.id }), h("span", { class: "session-time", text: String(count), title: counted(count, "session") }),
            h("span", { class: "session-facts", text: app.id })));
        }));
        // On a phone they are in one line.
        this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    drawEmpty() {
        if (this.id || this.directory.apps.length > 0) return;
        replace(this.body, h("div", { class: "empty" }, h("h2", { text: "No apps yet" }),
            h("p", { class: "dim", text: "An app declares the screens that exist: tabs, routes with their params, sheets and deep links. Its sessions accept nothing else." }),
            h("div", { class: "choices", hidden: !this.model.mayControl },
                h("button", { type: "button", class: "primary", text: "Add an app", data: { key: "empty-add" }, onclick: () => this.edit(null) }),
                h("button", { type: "button", text: "Start with the demo app", data: { key: "empty-demo" }, onclick: () => startDemo(this.model, this.directory, this.choose) }))));
    }

    /** @param {string} text */
    draw(text) {
        const { app, model, directory } = this;
        const session = directory.sessions.find((item) => item.id === this.session && item.app === app.id);
        this.graph = new AppGraph(model, directory, app, session?.id ?? "");
        const routes = Object.keys(app.routes ?? {}).length;
        const facts = [counted(app.tabs.length, "tab"), counted(routes, "route"), counted((app.links ?? []).length, "link")];
        replace(this.body,
            h("header", { class: "stage-head" }, h("div", { class: "stage-name" }, h("h2", { text: app.title ?? app.id }),
                h("p", { class: "dim" }, h("code", { text: app.id }), ` · ${facts.join(" · ")}`)),
            h("div", { class: "app-buttons" },
                h("a", { class: "button small", href: `#${new URLSearchParams({ wall: "", app: app.id })}`, text: "Show its sessions on the wall" }),
                h("a", { class: "button small", href: "/play", text: "Try it", title: "Open it in the playground", data: { key: "try-app" } }),
                h("button", { type: "button", class: "small", text: "Edit", data: { key: "edit-app" }, onclick: () => this.editStored() }),
                h("button", { type: "button", class: "small", text: "Delete", data: { key: "delete-app" }, onclick: () => this.remove() }))),
            this.graph.element, appLinks(model, app, () => this.graph?.session ?? "", this.choose));
        fragmentOf(indented(text)).then((fragment) => {
            const link = this.body.querySelector("[data-key=try-app]");
            if (fragment === null) link?.remove();
            else link?.setAttribute("href", `/play${fragment}`);
        });
    }

    // The document may have been replaced since it was drawn.
    async editStored() {
        const { id } = this;
        try {
            const { text, etag } = await send(this.model.client, "GET", appPath(id));
            if (this.id === id && this.isShown && !this.isEditing) this.edit({ id, text, etag });
        } catch (error) {
            notifyError(error);
        }
    }

    /** @param {import("./app-editor.js").Stored | null} app The one to change, or null for a new one. */
    edit(app) {
        this.isEditing = true;
        this.graph?.close();
        this.graph = null;
        const done = (/** @type {string} */ id) => {
            this.isEditing = false;
            this.directory.loadApps();
            this.id = id;
            history.replaceState(null, "", `#${new URLSearchParams({ apps: id })}`);
            this.load();
        };
        replace(this.body, appEditor(this.model, app, done, () => (app ? this.load() : done(this.id))));
        this.body.querySelector("textarea")?.focus();
        this.drawList();
    }

    remove() {
        const { id } = this.app;
        const remove = async () => {
            try {
                await this.model.client.deleteApp(id);
                dialog.close();
                notify(`App ${id} deleted.`);
                this.id = "";
                this.app = null;
                history.replaceState(null, "", "#apps=");
                await this.directory.loadApps();
                this.update();
            } catch (error) {
                dialog.close();
                notifyError(error);
            }
        };
        const dialog = openDialog(`Delete ${id}?`, h("p", { text: "An app can be deleted once no session uses it." }),
            h("footer", { class: "dialog-foot" }, h("button", { type: "button", text: "Cancel", autofocus: true, onclick: () => dialog.close() }),
                h("button", { type: "button", class: "danger", text: "Delete", onclick: remove })));
    }
}

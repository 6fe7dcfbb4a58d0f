// The list of sessions: by id, a page at a time, so that a hundred thousand take no more work than
// ten. The page is read again every few seconds while the window is visible.
import { announce, byId, h, notify, notifyError, openDialog, replace, timeAgo } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("./model.js").Model} Model */

const pageSize = 30;
const refreshMilliseconds = 5_000;
const typingMilliseconds = 250;

/**
 * @param {Model} model
 * @param {(id: string) => void} choose
 * @param {(error: any) => void} refused
 */
export function showSessions(model, choose, refused) {
    const view = new SessionList(model, choose, refused);
    view.build();
    view.load();
    view.loadApps();
    setInterval(() => {
        if (!document.hidden) view.load();
    }, refreshMilliseconds);
    for (const name of ["closed", "session", "ended"]) model.on(name, () => view.changed());
    return view;
}

class SessionList {
    /**
     * @param {Model} model
     * @param {(id: string) => void} choose
     * @param {(error: any) => void} refused
     */
    constructor(model, choose, refused) {
        this.model = model;
        this.choose = choose;
        this.refused = refused;
        /** @type {any} */
        this.page = { sessions: [] };
        /**
         * Cursors of the pages before this one; the first page has none.
         *
         * @type {(string | undefined)[]}
         */
        this.before = [];
        /** @type {string | undefined} */
        this.cursor = undefined;
        /** @type {any[]} */
        this.apps = [];
    }

    build() {
        this.search = h("input", {
            type: "search", placeholder: "Find by start of id", "aria-label": "Find sessions whose id starts with",
            autocomplete: "off", spellcheck: "false", oninput: () => this.typed(),
        });
        this.filter = h("select", { "aria-label": "Filter by app", onchange: () => this.first() },
            h("option", { value: "", text: "All apps" }));
        this.list = h("ul", { class: "session-list" });
        this.paging = h("div", { class: "paging" });
        byId("sessions").replaceChildren(
            h("header", { class: "pane-head" }, h("h2", { id: "sessions-title", text: "Sessions" }),
                h("button", { type: "button", class: "small primary", id: "new-session", onclick: () => this.create() },
                    icon("plus"), "New")),
            h("div", { class: "filters" }, this.search, this.filter), this.list, this.paging);
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.first(), typingMilliseconds);
    }

    first() {
        this.before = [];
        this.turnTo(undefined);
    }

    /** @param {string | undefined} cursor */
    async turnTo(cursor) {
        this.cursor = cursor;
        await this.load();
        const { sessions, next } = this.page;
        const last = sessions.at(-1);
        if (!last) return announce("No matching sessions");
        const range = sessions.length === 1 ? `1 session, ${last.id}`
            : `${sessions.length} sessions, ${sessions[0].id} to ${last.id}`;
        announce(next ? `${range}, and more` : range);
    }

    async loadApps() {
        try {
            this.apps = (await this.model.client.apps()).apps;
        } catch {
            this.apps = [];
        }
        const { value } = this.filter;
        this.filter.replaceChildren(h("option", { value: "", text: "All apps" }),
            ...this.apps.map((app) => h("option", { value: app.id, text: app.title ?? app.id })));
        this.filter.value = value;
    }

    async load() {
        this.request?.abort();
        const request = (this.request = new AbortController());
        try {
            const page = await this.model.client.list({
                q: this.search.value.trim(), app: this.filter.value, cursor: this.cursor, limit: pageSize,
                signal: request.signal,
            });
            if (request.signal.aborted) return;
            this.page = page;
            this.draw();
        } catch (error) {
            if (!request.signal.aborted) this.refused(error);
        }
    }

    // The open session is known from its stream, sooner than from the next reading of the page.
    changed() {
        const { session } = this.model;
        if (!session) {
            if (this.drawnOpen) this.load();
        } else if (!this.page.sessions.some((/** @type {any} */ item) => item.id === session.id)) {
            if (this.drawnOpen !== session.id) this.load();
        }
        this.drawnOpen = session?.id;
        this.draw();
    }

    draw() {
        const { session } = this.model;
        const rows = this.page.sessions.map((/** @type {any} */ item) =>
            this.row(
                item.id === session?.id ? { ...item, ...session, watchers: item.watchers } : item,
            ));
        replace(this.list, ...rows);
        if (rows.length === 0) {
            const isFiltered = this.search.value || this.filter.value;
            replace(
                this.list,
                h(
                    "li",
                    {
                        class: "dim none",
                        text: isFiltered ? "No matching sessions." : "No sessions yet.",
                    },
                ),
            );
        }
        replace(this.paging,
            this.before.length > 0 ? h("button", { type: "button", class: "small", text: "← Back", data: { key: "page-back", heir: "" }, onclick: () => this.turnTo(this.before.pop()) }) : h("span"),
            this.page.next ? h("button", { type: "button", class: "small", text: "More →", data: { key: "page-more", heir: "" }, onclick: () => {
                this.before.push(this.cursor);
                this.turnTo(this.page.next);
            } }) : null);
    }

    /** @param {any} item */
    row(item) {
        const isOpen = item.id === this.model.id;
        const watchers = item.watchers ?? 0;
        return h("li", {}, h("button", {
            type: "button", class: "session-row", "aria-current": isOpen ? "true" : undefined,
            data: { key: `session-${item.id}` }, onclick: () => this.choose(item.id),
        },
        h("span", { class: "session-id", text: item.id }),
        h("span", { class: "session-time", text: timeAgo(item.updatedAt) }),
        h("span", { class: "session-facts" },
            h("span", { class: "app", text: item.app ?? "free-form" }),
            h("span", { class: "session-route", text: item.visible.route })),
        h("span", { class: "watchers", title: `${watchers} watching` }, icon("eye"),
            h("span", { text: String(watchers) }), h(
                "span", { class: "visually-hidden", text: " watching" },
            ))));
    }

    /** @param {string} app */
    async templates(app) {
        if (!app) return [];
        // A token that may not read apps creates sessions without a template.
        const document = await this.model.client.app(app).catch(() => null);
        return Object.entries(document?.templates ?? {}).map(([name, template]) =>
            h("option", { value: name, text: template.title ?? name }));
    }

    create() {
        const error = h("p", { class: "form-error", role: "alert" });
        const id = h(
            "input",
            {
                type: "text", id: "new-id", autocomplete: "off", spellcheck: "false",
                placeholder: "leave empty for a random id",
            },
        );
        const app = h("select", { id: "new-app" }, h("option", { value: "", text: "None (free-form)" }),
            ...this.apps.map(
                (item) => h(
                    "option",
                    {
                        value: item.id, text: item.title ?? item.id,
                        selected: item === this.apps[0],
                    },
                ),
            ));
        const tabs = h(
            "input", { type: "text", id: "new-tabs", autocomplete: "off", value: "main" },
        );
        const tabsField = h(
            "div", { class: "field" },
            h("label", { for: "new-tabs", text: "Tabs, separated by commas" }), tabs,
        );
        const template = h("select", { id: "new-template" });
        const templateField = h("div", { class: "field", hidden: true },
            h("label", { for: "new-template", text: "Begin with" }), template);
        const toggle = async () => {
            tabsField.hidden = app.value !== "";
            templateField.hidden = true;
            const { value } = app;
            const templates = await this.templates(value);
            if (app.value !== value) return;
            template.replaceChildren(h("option", { value: "", text: "The first tab" }), ...templates);
            templateField.hidden = templates.length === 0;
        };
        app.addEventListener("change", toggle);
        toggle();
        const submit = async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const names = tabs.value.split(",").map(
                (/** @type {string} */ name) => name.trim(),
            ).filter(Boolean);
            try {
                const session = await this.model.client.create({
                    ...(id.value.trim() ? { id: id.value.trim() } : {}),
                    ...(app.value ? { app: app.value } : { tabs: names }),
                    ...(templateField.hidden || !template.value ? {} : { template: template.value }),
                });
                dialog.close();
                notify(`Session ${session.id} created.`);
                this.choose(session.id);
                this.load();
            } catch (thrown) {
                if (!(/** @type {any} */ (thrown).problem)) return notifyError(thrown);
                error.textContent = /** @type {any} */ (thrown).message;
            }
        };
        const dialog = openDialog("New session", h("form", { class: "dialog-form", onsubmit: submit },
            h("div", { class: "field" }, h("label", { for: "new-app", text: "App" }), app),
            h(
                "div", { class: "field" }, h("label", { for: "new-id", text: "Id" }), id,
            ), tabsField, templateField, error,
            h("footer", { class: "dialog-foot" },
                h("button", { type: "button", text: "Cancel", onclick: () => dialog.close() }),
                h("button", { type: "submit", class: "primary", text: "Create" }))));
        app.focus();
    }
}

// One session as it is drawn: its state, what its app declares, and the words for both. The open
// session (`model.js`) and each phone of the wall (`wall.js`) are one.
import { Drawing } from "./drawing.js";
import { filled, paramsText, words } from "./words.js";

/** Entries and sheets that are remembered, for the timeline's words. */
const namesMax = 2_000;

/** @param {any} object @param {string} name Such as `constructor`, which must find nothing inherited. */
function own(object, name) {
    return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

export class SessionView extends Drawing {
    constructor() {
        super();
        /** @type {any} The newest state. */
        this.session = null;
        /** @type {any} An older state that is looked at. */
        this.past = null;
        /** @type {any} What may be done now. */
        this.allowed = null;
        /** @type {any} The session's app, as far as it may be read. */
        this.app = null;
        this.mayControl = true;
        this.isOnline = true;
        /** @type {Map<string, { route: string, params?: any }>} Entries and sheets, also former ones. */
        this.names = new Map();
    }

    /** The session that is drawn. */
    get shown() {
        return this.past ?? this.session;
    }

    /** Whether nothing can be changed here and now. */
    get isStill() {
        return Boolean(this.past) || !this.mayControl || !this.isOnline;
    }

    /**
     * Runs a command and shows its result.
     *
     * @param {string} _name
     * @param {any} [_body]
     * @returns {Promise<any>} The answer, or nothing when it was refused.
     */
    async run(_name, _body) {}

    /**
     * The same for a caller that shows the refusal itself.
     *
     * @param {string} name @param {any} body
     * @returns {Promise<any>}
     */
    async attempt(name, body) {
        return this.run(name, body);
    }

    /** @param {any} session */
    learnNames(session) {
        for (const container of [...session.tabs, ...session.sheets]) {
            if (container.route) this.names.set(container.id, container);
            if (container.root) this.names.set(container.id, container.root);
            for (const entry of container.path) this.names.set(entry.id, entry);
        }
        for (const id of this.names.keys()) {
            if (this.names.size <= namesMax) break;
            this.names.delete(id);
        }
    }

    // Declarations of the app

    /** @param {string} name */
    route(name) {
        return own(this.app?.routes, name);
    }

    /** @param {string} name */
    fact(name) {
        return own(this.app?.facts, name);
    }

    /** @param {string} name */
    guard(name) {
        return own(this.app?.guards, name);
    }

    // Words

    /** @param {string} route @param {any} [params] */
    routeTitle(route, params) {
        const known = [...(this.allowed?.push ?? []), ...(this.allowed?.present ?? [])];
        const declared = this.route(route)?.title ?? known.find((item) => item.route === route)?.title;
        return filled(declared, params) ?? words(route);
    }

    /**
     * The title of an entry, a sheet or a root: its own, if the session has titles.
     *
     * @param {{ route: string, title?: string, params?: any }} screen
     * @returns {string}
     */
    screenTitle(screen) {
        return screen.title ?? this.routeTitle(screen.route, screen.params);
    }

    /**
     * An entry or a sheet, with the params that tell it from others: `Post id 42`.
     *
     * @param {{ route: string, title?: string, params?: any }} entry
     */
    screenName(entry) {
        return [this.screenTitle(entry), paramsText(entry.params)].filter(Boolean).join(" ");
    }

    /** @param {string} id Of an entry, a sheet or a tab. */
    nameOf(id) {
        const known = this.names.get(id);
        if (known) return this.screenName(known);
        return this.shown?.tabs.some((/** @type {any} */ tab) => tab.id === id) ? this.tab(id).title : id;
    }

    /** @param {string} id @returns {{ title: string, icon?: string, root?: string, params?: any }} */
    tab(id) {
        const tab = this.app?.tabs?.find((/** @type {any} */ item) => item.id === id)
            ?? this.allowed?.tabs?.find((/** @type {any} */ item) => item.id === id);
        const { route: root, params } = typeof tab?.root === "object" ? tab.root : { route: tab?.root, params: undefined };
        return { icon: tab?.icon, root, params, title: tab?.title ?? words(id) };
    }

    /**
     * The root of a tab, as an entry. A session says only what differs from the app.
     *
     * @param {any} tab
     * @returns {{ id: string, route: string, params: any, mark?: string, title: string }}
     */
    rootOf(tab) {
        const { visible } = this.shown;
        const isVisible = visible.container === tab.id && tab.path.length === 0;
        const { root = tab.id, params: declared } = this.tab(tab.id);
        /** @type {any} */
        const shown = isVisible ? visible : tab.root ?? { route: root, params: declared };
        const { route, params, title = this.rootTitle(tab.id, shown.params) } = shown;
        return { id: tab.id, route, params: params ?? {}, mark: tab.root?.mark, title };
    }

    /**
     * The button that leads back to a screen.
     *
     * @param {any} beneath @param {boolean} isOnTop
     * @returns {string}
     */
    backTitle(beneath, isOnTop) {
        return (isOnTop ? this.shown.visible.backTitle : undefined) ?? this.screenTitle(beneath);
    }

    /**
     * Whether the token may send a command, as far as is known.
     *
     * @param {string} command
     */
    may(command) {
        return this.allowed?.commands?.includes(command) ?? true;
    }

    /**
     * The title of a tab's root.
     *
     * @param {string} id @param {any} [params]
     */
    rootTitle(id, params) {
        const { root, title } = this.tab(id);
        return root && this.route(root)?.title ? this.routeTitle(root, params) : title;
    }

    /** @param {any} visible */
    titleOf(visible) {
        const isRoot = this.shown?.tabs.some((/** @type {any} */ tab) => tab.id === (visible.entry ?? visible.container));
        return visible.title ?? (isRoot ? this.rootTitle(visible.container) : this.routeTitle(visible.route));
    }
}

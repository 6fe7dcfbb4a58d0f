// The titles of screens and tabs: those that the session has, otherwise as the app declares them, or
// the name made readable.
import { filled, words } from "../console/words.js";

/** @typedef {{ push?: any[], present?: any[], tabs?: any[], commands?: string[] }} Allowed */

/** More routes than most apps have; the names of others are made readable. */
const titlesMax = 1_000;

export class Titles {
    constructor() {
        /** @type {any} The app, as far as it may be read. */
        this.app = null;
        /** @type {Allowed} What may be done, which has titles as well. */
        this.allowed = {};
        /** @type {Map<string, string>} Titles of routes that could be pushed or presented before. */
        this.known = new Map();
    }

    /** @param {Allowed} allowed */
    learn(allowed) {
        this.allowed = allowed;
        for (const { route, title } of [...(allowed.push ?? []), ...(allowed.present ?? [])]) {
            if (title && this.known.size < titlesMax) this.known.set(route, title);
        }
    }

    /** @param {string} route @param {any} [params] */
    route(route, params) {
        return this.declared(route, params) ?? words(route);
    }

    /**
     * The title that a route has in the app with these params, as far as that is known here.
     *
     * @param {string} route @param {any} [params] @returns {string | undefined}
     */
    declared(route, params) {
        const routes = this.app?.routes ?? {};
        const declared = Object.hasOwn(routes, route) ? routes[route].title : undefined;
        return filled(declared, params) ?? this.known.get(route);
    }

    /**
     * The schema of a route's params, if the app is known.
     *
     * @param {string} route
     */
    params(route) {
        const routes = this.app?.routes ?? {};
        return Object.hasOwn(routes, route) ? routes[route].params : undefined;
    }

    /**
     * The title of an entry, a sheet or a root.
     *
     * @param {{ route: string, title?: string, params?: any }} screen
     */
    screen(screen) {
        return screen.title ?? this.route(screen.route, screen.params);
    }

    /** @param {string} id @returns {any} */
    tab(id) {
        return [...(this.app?.tabs ?? []), ...(this.allowed.tabs ?? [])]
            .find((item) => item.id === id) ?? { id };
    }

    /** @param {string} id @returns {string} */
    tabTitle(id) {
        return this.tab(id).title ?? words(id);
    }

    /**
     * The lowest screen of a tab. A session says it only where it differs from what the app declares.
     *
     * @param {any} session @param {any} tab
     * @returns {{ id: string, route: string, params: Record<string, any>, title: string }}
     */
    root(session, tab) {
        const { visible } = session;
        const isVisible = visible.container === tab.id && tab.path.length === 0;
        const { root = tab.id } = this.tab(tab.id);
        const declared = typeof root === "string" ? { route: root, params: {} } : root;
        const shown = isVisible ? visible : tab.root ?? declared;
        const { route, params = {}, title } = shown;
        const own = title ?? this.declared(route, params);
        return { id: tab.id, route, params, title: own ?? this.rootTitle(tab.id, route) };
    }

    /** @param {string} id @param {string} route */
    rootTitle(id, route) {
        return this.app && route !== id ? words(route) : this.tabTitle(id);
    }
}

// The titles of routes and tabs: as the app declares them, or the name made readable.

/** @typedef {{ push?: any[], present?: any[], tabs?: any[] }} Allowed */

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

    /** @param {string} route */
    route(route) {
        const routes = this.app?.routes ?? {};
        const declared = Object.hasOwn(routes, route) ? routes[route].title : undefined;
        return declared ?? this.known.get(route) ?? words(route);
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
     * The title of what a tab shows when nothing is pushed onto it.
     *
     * @param {string} id
     * @returns {string}
     */
    root(id) {
        const { root } = this.tab(id);
        return root ? this.route(root) : this.tabTitle(id);
    }
}

/**
 * `contactDetail` as `Contact detail`.
 *
 * @param {string} name
 */
export function words(name) {
    const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._~-]+/g, " ");
    return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

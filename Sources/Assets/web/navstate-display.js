// `<navstate-display session="kiosk-1" server="https://navstate.example">`: one session as a screen, on
// any page. The page at /display is one, edge to edge.
//
//     this file         the element: start, stream, taps
//     display/memory    what was shown last
//     display/screen    the drawing; dialog: alerts and confirmations; params: what a screen was given
//     display/titles    the names of screens
//     display/movement  the direction in which a new screen comes
//     display/style     how it looks
//
// Attributes: `session`; `server`, by default the one that this module comes from; `token`, if the
// server asks for one; `as`, the name by which others know the display; `view`, with which nothing can
// be tapped. A `show` event has the session and the title that are drawn.
//
// It keeps what it shows until it knows better: when the connection is lost, when the browser puts
// the tab to sleep, and when the session is gone for a while. A display that nobody can reach for
// weeks must come back by itself, so nothing here ends for good.
import { createClient } from "./navstate.js";
import { loadRules } from "./navstate-rules.js";
import { RulesSession } from "./rules-session.js";
import { forget, remember, remembered } from "./display/memory.js";
import { movement, nowhere, placeOf } from "./display/movement.js";
import { emptyScreen, layers } from "./display/screen.js";
import { style } from "./display/style.js";
import { Titles } from "./display/titles.js";
import { h } from "./console/dom.js";
import { isForSession, mayChange } from "./console/rights.js";

/** A connection that is back sooner is not worth a word. */
const patienceMilliseconds = 2_000;
/** How long after the end of the stream the session is looked for again. */
const returnMilliseconds = 5_000;
/** How long a word about a tap can be read. */
const hintMilliseconds = 4_000;
/**
 * A tap that shows nothing until the server has answered is dropped by then: the next visitor did not
 * make it. One that is shown at once is sent when the server is back.
 */
const tapMilliseconds = 2_000;

export class NavstateDisplay extends HTMLElement {
    static observedAttributes = ["session", "server", "token", "as", "view"];

    constructor() {
        super();
        this.screen = h("div", { id: "screen", class: "screen", "aria-live": "polite" });
        this.hint = h("p", { id: "hint", class: "hint", role: "status" });
        const root = this.attachShadow({ mode: "open" });
        root.adoptedStyleSheets = [style];
        root.append(h("div", { class: "frame" }, this.screen, this.hint));
        /** @type {RulesSession | undefined} */
        this.live = undefined;
        this.isStarting = false;
        this.client = createClient();
        this.titles = new Titles();
        /** @type {any} What is shown. */
        this.session = null;
        this.mayTap = false;
        this.isControlKnown = false;
        /** The screen that was drawn last, for the direction of the movement. */
        this.last = nowhere;
        /** Whether a tap has no answer yet. Until then others do nothing: they were meant for what is gone. */
        this.isWaiting = false;
        /** The number of the newest request for what is allowed. */
        this.asked = 0;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.patience = undefined;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.again = undefined;
    }

    connectedCallback() {
        this.startSoon();
    }

    disconnectedCallback() {
        this.end();
    }

    attributeChangedCallback() {
        if (this.isConnected) this.startSoon();
    }

    /** Once for all attributes that are set together. */
    startSoon() {
        if (this.isStarting) return;
        this.isStarting = true;
        queueMicrotask(() => {
            this.isStarting = false;
            if (this.isConnected) this.start();
        });
    }

    /** The URL of the server. */
    get server() {
        return new URL(this.getAttribute("server") ?? import.meta.url, location.href).origin;
    }

    end() {
        const { live } = this;
        this.live = undefined;
        live?.close();
        clearTimeout(this.again);
        clearTimeout(this.patience);
        this.patience = undefined;
        this.asked += 1;
    }

    start() {
        this.end();
        this.titles = new Titles();
        this.session = null;
        this.mayTap = this.isControlKnown = false;
        this.last = nowhere;
        const id = this.getAttribute("session");
        this.client = createClient({ url: this.server, token: this.getAttribute("token") ?? undefined });
        if (!id) {
            return this.screen.replaceChildren(emptyScreen("No session", "Open this page by a link that names one, such as the one that the console’s Share dialog makes."));
        }
        const kept = remembered(this.server, id);
        if (kept) {
            this.session = kept.session;
            this.titles.app = kept.app;
            this.titles.known = new Map(kept.known);
            this.titles.learn(kept.allowed);
            this.draw();
        }
        this.follow(id);
    }

    /** @param {string} id */
    follow(id) {
        this.live?.close();
        /** @type {RulesSession} */
        const live = new RulesSession(this.client, id, {
            as: this.name, signals: true,
            onShow: (session) => this.show(live, session),
            onConfirm: (session) => this.confirmed(live, session),
            onApp: () => live.state && this.show(live, live.state),
            onSignal: (event) => this.heard(event),
            onStatus: ({ state }) => this.showStatus(state),
            onEnd: () => this.lost(id, "This session has ended", `The display continues as soon as there is a session “${id}” again.`),
            onError: (/** @type {any} */ error) => this.refused(id, error),
        });
        this.live = live;
        live.start().catch(() => {});
        // Where they cannot be loaded, a tap is shown when the server has answered.
        if (!this.hasAttribute("view")) loadRules().then((rules) => live.use(rules)).catch(() => {});
    }

    /** The name by which others know the display. */
    get name() {
        return this.getAttribute("as") ?? "display";
    }

    /**
     * A second tap on the selected tab shows the top of its root. Other signals belong to the app.
     *
     * @param {import("./navstate.js").SignalEvent} signal
     */
    heard({ name, data }) {
        if (name !== "reselect" || data?.tab !== this.session?.selectedTab) return;
        this.screen.querySelector(".on-top .content")?.scrollTo({ top: 0, behavior: "smooth" });
    }

    /** @param {string} id @param {any} error */
    refused(id, error) {
        const isToken = error.status === 401 || error.status === 403;
        if (isToken && this.client.token) return this.lost(id, "This link is no longer valid", `Ask for a new link to the session “${id}”.`);
        if (isToken) {
            return this.lost(id, "This display needs a link of its own",
                `The server asks for an access token. Ask whoever runs it for a link to the session “${id}”, such as the one that the console’s Share dialog makes.`);
        }
        this.lost(id, `Waiting for “${id}”`, "The display begins as soon as there is a session with this name.");
    }

    /** @param {string} id @param {string} title @param {string} text */
    lost(id, title, text) {
        this.session = null;
        const { live } = this;
        this.live = undefined;
        live?.close();
        this.last = nowhere;
        forget(this.server, id);
        this.showStatus("live");
        this.screen.className = "screen";
        this.screen.replaceChildren(emptyScreen(title, text));
        this.tell(title);
        this.again = setTimeout(() => this.follow(id), returnMilliseconds);
    }

    /** @param {string} state */
    showStatus(state) {
        if (state === "live") {
            clearTimeout(this.patience);
            this.patience = undefined;
            this.screen.removeAttribute("data-away");
            this.hint.textContent = "";
        }
        if (state === "waiting") {
            this.patience ??= setTimeout(() => {
                this.screen.setAttribute("data-away", "");
                this.hint.textContent = "Reconnecting …";
            }, patienceMilliseconds);
        }
    }

    /** @param {RulesSession} live @param {any} newest */
    async show(live, newest) {
        const { titles, client } = this;
        const isKnown = JSON.stringify(this.session) === JSON.stringify(newest);
        this.session = newest;
        // A state that the screen has already is not drawn again.
        if (!isKnown) this.draw();
        this.asked += 1;
        const number = this.asked;
        // A token for one session may be limited, which the server knows.
        const reading = isForSession(client.token) ? client.allowed(live.id) : live.allowed();
        const [app, allowed, may] = await Promise.all([
            this.appOf(newest), reading.catch(() => titles.allowed),
            this.mayControl(live.id),
        ]);
        if (number !== this.asked || !this.session) return;
        const before = JSON.stringify([titles.app, titles.allowed, this.mayTap]);
        [titles.app, this.mayTap] = [app, may];
        titles.learn(allowed);
        if (JSON.stringify([app, allowed, may]) !== before) this.draw();
        remember(this.server, live.id, { session: live.confirmed, app, allowed, known: [...titles.known] });
    }

    /** @param {RulesSession} live @param {any} session */
    async confirmed(live, { revision }) {
        // It is drawn in this turn.
        await undefined;
        // Another display of the same name may be meant, or the stream is down: the next one is told.
        await this.client.shown(live.id, { as: this.name, revision }).catch(() => {});
    }

    /** @param {any} shown */
    async appOf(shown) {
        // A token for one session does not reach the app; the titles then come from what is allowed.
        if (!shown.app || isForSession(this.client.token)) return null;
        // It may have been replaced since the last change.
        return this.client.app(shown.app).catch(() => this.titles.app);
    }

    /** @param {string} id */
    async mayControl(id) {
        if (this.hasAttribute("view")) return false;
        if (this.isControlKnown) return this.mayTap;
        const may = await mayChange(() => this.client.undo(id, {}, { dryRun: true }));
        this.isControlKnown = may !== undefined;
        return may ?? this.mayTap;
    }

    /**
     * Sends a command. What it does is shown at once, or else that it waits for its answer.
     *
     * @param {string} command @param {object} [body]
     */
    async tap(command, body = {}) {
        const { live } = this;
        if (this.isWaiting || !this.session || !live) return;
        const say = (/** @type {any} */ error) => {
            if (live === this.live) this.say(error.status ? error.message : "The server does not respond. Please try again.");
        };
        if (live.predicts) return void live.command(command, body).catch(say);
        this.isWaiting = true;
        const pressed = this.shadowRoot?.activeElement;
        for (const element of [this.screen, pressed]) element?.setAttribute("aria-busy", "true");
        try {
            await live.command(command, body, { signal: /** @type {any} */ (AbortSignal).timeout(tapMilliseconds) });
        } catch (error) {
            say(error);
        } finally {
            this.isWaiting = false;
            for (const element of [this.screen, pressed]) element?.removeAttribute("aria-busy");
        }
    }

    /** @param {string} text */
    say(text) {
        this.hint.textContent = text;
        setTimeout(() => {
            if (this.hint.textContent === text) this.hint.textContent = "";
        }, hintMilliseconds);
    }

    draw() {
        const { screen, session } = this;
        const now = placeOf(session);
        const hadFocus = Boolean(this.shadowRoot?.activeElement);
        const content = () => screen.querySelector(".on-top .content");
        // The same screen, drawn again, stays where it was scrolled to.
        const top = now.visible === this.last.visible ? content()?.scrollTop : 0;
        screen.className = `screen ${movement(this.last, now)}`;
        screen.replaceChildren(...layers({ session, titles: this.titles, act: this.mayTap ? this.tap.bind(this) : null }));
        if (top) content()?.scrollTo(0, top);
        const heading = screen.querySelector(".on-top h1");
        this.tell(heading?.textContent ?? "");
        // A new screen begins at its title, for the keyboard and for a screen reader. On a page with
        // other things the focus is not taken away from them.
        const isAlone = document.activeElement === document.body || document.activeElement === this;
        if (hadFocus || (isAlone && this.last.visible !== "" && now.visible !== this.last.visible)) heading?.focus({ preventScroll: true });
        this.last = now;
    }

    /** @param {string} title */
    tell(title) {
        this.dispatchEvent(new CustomEvent("show", { detail: { title, session: this.session } }));
    }
}

customElements.define("navstate-display", NavstateDisplay);

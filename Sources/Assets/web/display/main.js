// The display: one session as a full screen, for phones, kiosks and links that somebody was given.
//
//     main      this file: start, stream, taps
//     link      the address, the token, what is remembered
//     screen    the drawing
//     dialog    alerts and confirmations
//     titles    the names of screens
//
// It keeps what it shows until it knows better: when the connection is lost, when the browser puts
// the tab to sleep, and when the session is gone for a while. A display that nobody can reach for
// weeks must come back by itself, so nothing here ends for good.
import { createClient } from "../navstate.js";
import { forget, readLink, remember, remembered, stayAwake } from "./link.js";
import { emptyScreen, layers } from "./screen.js";
import { Titles } from "./titles.js";

const screen = /** @type {HTMLElement} */ (document.getElementById("screen"));
const hint = /** @type {HTMLElement} */ (document.getElementById("hint"));
const link = readLink();
const client = createClient({ url: location.origin, token: link.token });
const titles = new Titles();
/** A connection that is back sooner is not worth a word. */
const patienceMilliseconds = 4_000;
/** How long after the end of the stream the session is looked for again. */
const returnMilliseconds = 5_000;
/** How long a refusal of a tap can be read. */
const refusalMilliseconds = 4_000;
/** A tap that is answered sooner needs no sign that it waits. */
const answerMilliseconds = 400;

/** @type {any} What is shown. */
let session = null;
let mayTap = false;
/** What was visible when it was drawn last, for the direction of the movement. */
let last = { depth: 0, sheets: 0, visible: "" };
/** Whether a tap has no answer yet. Until then others do nothing: they were meant for what is gone. */
let isWaiting = false;
/** A server that has no signals refuses to send them. */
let hasSignals = true;
/** The number of the newest request for what is allowed. */
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let patience;

addEventListener("hashchange", () => location.reload());
stayAwake();
start();

function start() {
    if (!link.id) {
        screen.replaceChildren(emptyScreen("No session", "Open this page by a link that names one, such as the one that the console’s Share dialog makes."));
        return;
    }
    const kept = remembered(link.id);
    if (kept) {
        [session, titles.app, titles.known] = [kept.session, kept.app, new Map(kept.known)];
        titles.learn(kept.allowed);
        draw();
    }
    follow(link.id);
}

/** @param {string} id */
function follow(id) {
    client.subscribe(id, {
        onSnapshot: (event) => show(id, event.session),
        onChange: (event) => show(id, event.session),
        onSignal: (event) => heard(event),
        onStatus: ({ state }) => showStatus(state),
        onEnd: () => lost(id, "This session has ended", "The display continues when there is a session with this name again."),
        onError: (/** @type {any} */ error) => refused(id, error),
    }, { as: link.as, signals: hasSignals });
}

/**
 * A second tap on the selected tab shows the top of its root. Other signals belong to the app.
 *
 * @param {import("../navstate.js").SignalEvent} signal
 */
function heard({ name, data }) {
    if (name !== "reselect" || data?.tab !== session?.selectedTab) return;
    screen.querySelector(".on-top .content")?.scrollTo({ top: 0, behavior: "smooth" });
}

/** @param {string} id @param {any} error */
function refused(id, error) {
    if (error.code === "invalid-request" && hasSignals) {
        hasSignals = false;
        return follow(id);
    }
    if (error.status === 401 || error.status === 403) {
        return lost(id, "This link is no longer valid", "Ask for a new one.");
    }
    lost(id, "Nothing to show yet", "The display begins when there is a session with this name.");
}

/** @param {string} id @param {string} title @param {string} text */
function lost(id, title, text) {
    session = null;
    forget(id);
    showStatus("live");
    screen.replaceChildren(emptyScreen(title, text));
    setTimeout(() => follow(id), returnMilliseconds);
}

/** @param {string} state */
function showStatus(state) {
    if (state === "live") {
        clearTimeout(patience);
        patience = undefined;
        hint.textContent = "";
    }
    if (state === "waiting") {
        patience ??= setTimeout(() => (hint.textContent = "Reconnecting …"), patienceMilliseconds);
    }
}

/** @param {string} id @param {any} newest */
async function show(id, newest) {
    const isFirst = session?.app !== newest.app || !titles.app;
    const isKnown = JSON.stringify(session) === JSON.stringify(newest);
    session = newest;
    // What the screen has already is not drawn again.
    if (!isKnown) draw();
    asked += 1;
    const number = asked;
    const [app, allowed, may] = await Promise.all([
        isFirst ? appOf(newest) : titles.app, client.allowed(id).catch(() => titles.allowed),
        mayControl(id),
    ]);
    if (number !== asked || !session) return;
    const before = JSON.stringify([titles.app, titles.allowed, mayTap]);
    [titles.app, mayTap] = [app, may];
    titles.learn(allowed);
    if (JSON.stringify([app, allowed, may]) !== before) draw();
    remember(id, { session, app, allowed, known: [...titles.known] });
    tellShown(id, session.revision);
}

/** @param {any} shown */
async function appOf(shown) {
    // A token for one session does not reach the app; the titles then come from what is allowed.
    if (!shown.app || /^n[sv]t_/.test(link.token ?? "")) return null;
    return client.app(shown.app).catch(() => null);
}

let isControlKnown = false;

/**
 * Whether the token allows control. A command that would only be tried tells it without a change.
 *
 * @param {string} id
 */
async function mayControl(id) {
    if (link.isView) return false;
    if (isControlKnown) return mayTap;
    try {
        await client.undo(id, {}, { dryRun: true });
    } catch (/** @type {any} */ error) {
        if (!error.status) return mayTap;
        isControlKnown = true;
        // A token that is limited to some commands or routes may send those.
        const isLimited = error.problem?.commands !== undefined || error.problem?.routes !== undefined;
        return isLimited || (error.status !== 403 && error.status !== 401);
    }
    isControlKnown = true;
    return true;
}

/** @param {string} id @param {number} revision */
async function tellShown(id, revision) {
    // Another display of the same name may be meant, or the stream is down: the next one is told.
    await client.shown(id, { as: link.as, revision }).catch(() => {});
}

/** @param {string} command @param {object} [body] */
async function tap(command, body = {}) {
    const id = /** @type {string} */ (link.id);
    if (isWaiting) return;
    isWaiting = true;
    const slow = setTimeout(() => screen.setAttribute("aria-busy", "true"), answerMilliseconds);
    try {
        const answer = await client.command(id, /** @type {any} */ (command), body);
        if (session && answer.session.revision > session.revision) show(id, answer.session);
    } catch (/** @type {any} */ error) {
        hint.textContent = error.status ? error.message : "The server cannot be reached at the moment.";
        setTimeout(() => (hint.textContent = ""), refusalMilliseconds);
    } finally {
        isWaiting = false;
        clearTimeout(slow);
        screen.removeAttribute("aria-busy");
    }
}

function draw() {
    const now = place();
    const hadFocus = screen.contains(document.activeElement);
    screen.className = `screen ${movement(now)}`;
    screen.replaceChildren(...layers({ session, titles, act: mayTap ? tap : null }));
    document.title = screen.querySelector(".on-top h1")?.textContent ?? "Display";
    // A new screen begins at its title, for the keyboard and for a screen reader.
    if (hadFocus || now.visible !== last.visible) {
        /** @type {HTMLElement | null} */ (screen.querySelector(".on-top h1"))?.focus({ preventScroll: true });
    }
    last = now;
}

function place() {
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const { container, entry } = session.visible;
    return {
        depth: (session.sheets.at(-1) ?? tab).path.length, sheets: session.sheets.length,
        visible: `${session.id} ${container} ${entry ?? container}`,
    };
}

/** @param {typeof last} now */
function movement(now) {
    if (last.visible === "" || last.visible === now.visible) return "";
    if (now.sheets !== last.sheets) return now.sheets > last.sheets ? "raised" : "";
    return now.depth > last.depth ? "pushed" : now.depth < last.depth ? "popped" : "";
}

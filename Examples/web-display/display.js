// A small app that shows one session of the app `social`, and draws nothing but what that session
// says. Open it beside the console, or twice: what is tapped in one is seen in all.
//
//     confirmed   the newest state that came from the server
//     pending     taps made here that have no response yet
//     view        the confirmed state with the pending taps applied
//
// So a tap is seen at once, and if the server refuses it, or somebody else was faster, the view is
// corrected by simply drawing it again. A change that somebody else made comes with its steps, which
// are drawn one after another; then the display tells the server which revision it shows.
// `predict.js` applies a tap, `steps.js` applies a step, `screens.js` draws a screen.
import { createClient } from "/navstate.js";
import { predict } from "./predict.js";
import { applyStep } from "./steps.js";
import { addPost, drawScreen, element, tabs, titleOf } from "./screens.js";

const query = new URLSearchParams(location.search);
const id = query.get("session") ?? "display-1";
const name = query.get("as") ?? "display";
const client = createClient({ token: new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined });

const millisecondsPerStep = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250;

let confirmed = null;
const pending = [];
// The changes are drawn one after another, however fast they arrive.
let drawn = Promise.resolve();
let shownRevision = 0;
let lastVisible = "";
let lastDrawn = null;

await start();

async function start() {
    try {
        await client.create({ id, app: "social" });
    } catch (error) {
        // It is there already: then this is one more display of it.
        if (error.code !== "session-exists" && error.code !== "forbidden") return say(error.message);
    }
    client.subscribe(id, {
        onSnapshot: (event) => confirm(event.session),
        onChange: (event) => {
            // The result of a dismissed sheet travels in the event, to every display.
            const { command, result } = event.command;
            if (command === "dismiss" && result?.text) addPost(result.text);
            drawn = drawn.then(() => follow(event));
        },
        onEnd: () => say("The session has ended."),
        onError: (error) => say(error.message),
        onStatus: ({ state }) => say({ waiting: "Reconnecting …", live: "" }[state]),
    }, { as: name, steps: true });
}

// Own taps are on the screen already. What others did is shown step by step.
async function follow({ revision, session, steps = [] }) {
    if (confirmed?.revision === revision - 1 && pending.length === 0) {
        for (const step of steps.slice(0, -1)) {
            drawView(applyStep(lastDrawn, step));
            await new Promise((resolve) => setTimeout(resolve, millisecondsPerStep));
            if (confirmed.revision >= revision || pending.length > 0) break;
        }
    }
    confirm(session);
}

// Whoever waits for this display learns from it that the display has followed.
async function tellShown() {
    if (!confirmed || confirmed.revision === shownRevision) return;
    shownRevision = confirmed.revision;
    try {
        await client.shown(id, { as: name, revision: shownRevision });
    } catch (error) {
        // The stream is down at the moment; the next snapshot is told again.
        if (error.code === "watcher-not-found") shownRevision = 0;
        else say(error.message);
    }
}

// An answer and the event of the same change come in any order; the newest revision counts.
function confirm(session) {
    if (!confirmed || session.revision > confirmed.revision) confirmed = session;
    draw();
}

async function tap(command, body = {}) {
    const own = { command, body };
    pending.push(own);
    draw();
    try {
        const answer = await client.command(id, command, body);
        pending.splice(pending.indexOf(own), 1);
        confirm(answer.session);
    } catch (error) {
        pending.splice(pending.indexOf(own), 1);
        say(error.message);
        draw();
    }
}

function say(text) {
    if (text !== undefined) document.getElementById("light").textContent = text;
}

// Drawing

function draw() {
    if (!confirmed) return;
    drawView(pending.reduce((session, { command, body }) => predict(session, command, body), confirmed));
    if (pending.length === 0) tellShown();
}

function drawView(view) {
    lastDrawn = view;
    const tab = view.tabs.find((item) => item.id === view.selectedTab);
    const layers = [drawPage(tab, view.sheets.length === 0)];
    view.sheets.forEach((sheet, index) => layers.push(sheet.buttons
        ? drawDialog(sheet) : drawSheet(sheet, index === view.sheets.length - 1)));
    const isBarHidden = view.sheets.length > 0 || view.visible.tabBarHidden;
    const app = document.getElementById("app");
    const typing = document.activeElement?.localName === "textarea" ? document.activeElement : null;
    app.replaceChildren(...layers, isBarHidden ? "" : drawTabBar(view));
    app.dataset.revision = String(confirmed.revision);
    moveFocus(app, view);
    if (typing?.isConnected) typing.focus();
}

function drawPage(tab, isOnTop) {
    // The root of a tab is its lowest entry; the session says it where it is not as the app declares it.
    const screens = [tab.root ?? { route: tab.id, params: {} }, ...tab.path];
    const [below, top] = [screens.at(-2), screens.at(-1)];
    const hasBack = below && !top.locked;
    return element("section", { class: "page", inert: !isOnTop },
        element("header", {},
            hasBack ? element("button", { class: "back", onclick: () => tap("back"), text: `‹ ${titleOf(below)}` }) : element("span"),
            element("h1", { text: titleOf(top) }), element("span")),
        drawScreen(top, tap));
}

// The press names the dialog, so that a late one answers no other question.
function drawDialog(dialog) {
    return element("section", { class: `dialog ${dialog.style}`, role: "alertdialog", "aria-label": dialog.title },
        element("div", { class: "box" }, element("h1", { text: dialog.title }), element("p", { text: dialog.message ?? "" }),
            ...dialog.buttons.map((button) => element("button", {
                class: `row ${button.role ?? ""}`, text: button.title,
                onclick: () => tap("dismiss", { sheet: dialog.id, button: button.id }),
            }))));
}

function drawSheet(sheet, isOnTop) {
    const top = sheet.path[sheet.path.length - 1];
    const close = sheet.dismissible === false ? element("span")
        : element("button", { class: "close", onclick: () => tap("dismiss", { sheet: sheet.id }), text: "Cancel" });
    return element("section", { class: `sheet ${sheet.style}`, inert: !isOnTop, role: "dialog", "aria-label": titleOf(sheet) },
        element("header", {},
            top ? backOn(sheet, top) : close,
            element("h1", { text: titleOf(top ?? sheet) }), element("span")),
        drawScreen(top ?? sheet, tap));
}

function backOn(sheet, top) {
    if (top.locked) return element("span");
    const below = sheet.path.at(-2) ?? sheet;
    return element("button", { class: "back", onclick: () => tap("back"), text: `‹ ${titleOf(below)}` });
}

function drawTabBar(view) {
    return element("nav", { "aria-label": "Tabs" }, ...view.tabs.filter((tab) => !tab.hidden).map((tab) =>
        element("button", { class: "tab", "aria-current": tab.id === view.selectedTab ? "page" : undefined, onclick: () => tap("select", { tab: tab.id }) },
            element("span", { class: "symbol", "aria-hidden": "true", text: tabs.get(tab.id)?.symbol ?? "•" }),
            element("span", { text: tabs.get(tab.id)?.title ?? tab.id }),
            tab.badge === undefined ? "" : element("b", { text: String(tab.badge) }))));
}

// A new screen begins at its title, for the keyboard and for a screen reader.
function moveFocus(app, view) {
    const active = view.sheets.at(-1) ?? view.tabs.find((tab) => tab.id === view.selectedTab);
    const visible = `${active.id} ${active.path.at(-1)?.id ?? ""}`;
    if (visible === lastVisible) return;
    const title = [...app.querySelectorAll("h1")].at(-1);
    title.tabIndex = -1;
    if (lastVisible) title.focus({ preventScroll: true });
    title.closest("section").classList.add("new");
    lastVisible = visible;
}

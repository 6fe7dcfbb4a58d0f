// The console: sessions as pictures, and a way to try every command.
//
//     begin, main, address, areas, status, access   start, the address, the connection, signing in
//     view, model, history    one session as it is drawn; the open one; its former states
//     drawing                 tells the views what has changed
//     directory               what is known of all sessions, and the search
//     sessions, table, many, paging, create   the list, and new sessions
//     stage, welcome, phone, stack, labels, params, facts, time   middle: the open session
//     panels: timeline, json, links, commands   right
//     diff, script, recorder  what can be made of the history
//     wall                    many phones at once
//     apps, app-graph, graph-picture, graph-layout, graph-notes, app-links   the apps
//     app-editor, document-editor, app-schema   their editor: the checks, and what may be proposed
//     code-field, folded-text, proposal-list, json-tree       a field for JSON
//     share, qr               a link for another device
//     exact, requests         JSON whose numbers stay as they are written
//     palette, keys, appearance, theme          find, keys, light and dark
//     dom, icons, symbols, form, actions, copy, curl, editing, words, files, link-form   what these share
//
// It uses only the public API, through navstate.js. There is no build step: the server sends these files
// as they are, and also, so that a browser has one request to make, all together as start.js.
import { choose, directory, isForOneSession, model } from "./begin.js";
import { refused, showAccess } from "./access.js";
import { address, filtersOf, fragment, keptToken, pageOf } from "./address.js";
import { showAppearance } from "./appearance.js";
import { showArea, showAreas } from "./areas.js";
import { byId, notifyError } from "./dom.js";
import { closeEditor } from "./editing.js";
import { command, listenForKeys, showKeys } from "./keys.js";
import { openPalette } from "./palette.js";
import { showPanels } from "./panels.js";
import { mayChange } from "./rights.js";
import { SessionList } from "./sessions.js";
import { Stage } from "./stage.js";
import { letGoWhenHidden, showStatus } from "./status.js";
import { Wall } from "./wall.js";

/** @type {Promise<import("./apps.js").Apps> | null} */
let appsPage = null;
/** The session to come back to from another page. */
let last = "";
const wasView = fragment().has("view");

showStatus(model, directory);
showAreas({ ...(isForOneSession ? {} : { sessions: "List" }), stage: "Screen", details: "Details" },
    isForOneSession || fragment().has("session") ? "stage" : "sessions");
showPanels(model);
new Stage(model, directory, choose);
const pages = directory ? showPages(directory) : null;
if (!directory) hideList();
listen();
follow();

/** @param {import("./directory.js").Directory} directory */
function showPages(directory) {
    new SessionList(model, directory, choose);
    let wasRefused = false;
    let isFirst = true;
    const changed = () => {
        showLinks(directory);
        // On a small screen an empty list would be all that one sees of an empty server.
        if (isFirst && directory.state === "ready" && directory.sessions.length === 0) showArea("stage");
        isFirst = isFirst && directory.state === "loading";
        const isRefused = directory.state === "refused";
        if (isRefused && !wasRefused) refused(directory.error);
        wasRefused = isRefused;
    };
    directory.addEventListener("change", changed);
    // The list may have come before this.
    changed();
    /** @type {Wall | undefined} */
    let wall;
    return {
        /** @param {boolean} isShown */
        showWall(isShown) {
            if (isShown) (wall ??= new Wall(model, directory)).open();
            else wall?.close();
        },
    };
}

function loadApps() {
    appsPage ??= import("./apps.js").then(({ Apps }) => new Apps(model, /** @type {any} */ (directory), choose));
    return appsPage;
}

function hideList() {
    byId("columns").classList.add("single");
    for (const id of ["sessions", "pages", "token-button", "find"]) byId(id).hidden = true;
}

function listen() {
    addEventListener("hashchange", follow);
    model.on("closed", () => (document.title = "navstate"));
    model.on("session", () => (document.title = `${model.id} · navstate`));
    model.on("closed", closeEditor);
    model.on("closed", () => (model.recorder = null));
    model.on("ended", () => history.replaceState(null, "", address({})));
    byId("token-button").textContent = keptToken() ? "Signed in" : "Sign in";
    byId("token-button").addEventListener("click", showAccess);
    if (directory && keptToken()) findRights();
    byId("keys").addEventListener("click", showKeys);
    byId("find").addEventListener("click", find);
    byId("find-keys").textContent = `${command} K`;
    showAppearance(byId("appearance"));
    listenForKeys(model, { find, step });
    // Times are relative, so they are wrong after a while without anything having happened.
    setInterval(() => model.session && !document.hidden && model.emit("history"), 30_000);
    letGoWhenHidden(model, directory);
    addEventListener("pointerdown", () => model.hold(), true);
    for (const name of ["pointerup", "pointercancel"]) {
        // The click follows at once.
        addEventListener(name, () => setTimeout(() => model.release()), true);
    }
    byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
        // The fragment names the open session.
        event.preventDefault();
        const page = pageOf(fragment());
        if (page === "sessions") showArea("stage");
        byId(page === "sessions" ? "stage" : page).focus();
    });
}

function find() {
    if (directory) openPalette(directory, choose);
}

/**
 * Opens the session that follows in the list, or the one before.
 *
 * @param {number} by
 */
function step(by) {
    const found = directory?.found ?? [];
    const at = found.findIndex((item) => item.id === model.id);
    const next = found[at < 0 ? 0 : at + by];
    if (next && pageOf(fragment()) === "sessions") choose(next.id);
}

/** A token may be for reading alone. Then the console offers nothing else. */
async function findRights() {
    if (await mayChange(() => model.client.create({}, { dryRun: true })) !== false) return;
    model.mayControl = false;
    for (const name of ["session", "closed"]) model.emit(name);
    directory?.changed();
}

function follow() {
    const values = fragment();
    // A shared link that is pasted over an open console.
    if (values.has("token") || values.has("view") !== wasView) return location.reload();
    const page = pages ? pageOf(values) : "sessions";
    if (page !== "apps") directory?.find(filtersOf(values));
    showPage(page);
    const id = values.get("session");
    if (id) last = id;
    if (id && id !== model.id) {
        model.open(id);
        showArea("stage");
    } else if (!id && model.id) model.close();
    pages?.showWall(page === "wall");
    if (page === "apps") openApps().catch(notifyError);
    else appsPage?.then((apps) => apps.close());
}

async function openApps() {
    const apps = await loadApps();
    // Another page may have been opened meanwhile.
    const values = fragment();
    if (pageOf(values) === "apps") await apps.open(values.get("apps") ?? "", last);
}

/** @param {import("./address.js").Page} page */
function showPage(page) {
    byId("columns").hidden = byId("areas").hidden = page !== "sessions";
    byId("wall").hidden = page !== "wall";
    byId("apps").hidden = page !== "apps";
    for (const link of byId("pages").querySelectorAll("a")) {
        const isHere = link.dataset.page === page;
        if (isHere) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
}

/**
 * The pages keep what is searched for.
 *
 * @param {import("./directory.js").Directory} directory
 */
function showLinks({ filters }) {
    const [sessions, wall] = byId("pages").querySelectorAll("a");
    sessions.href = address({}, filters);
    wall.href = address({ wall: "" }, filters);
}

// The console: sessions as pictures, and a way to try every command.
//
//     main        start, the address, the token, the state of the connection
//     model       the state, and all requests
//     sessions    left: the list, and creating one
//     stage       middle: phone, stack and the curl line of every click
//     timeline, tools   right: history, JSON, deep links, any command
//     share, qr   a link for another device
//     dom, icons, form, actions, curl   what these share
//
// It uses only the public API, through navstate.js. There is no build step: the browser loads these
// files as they are. The address names the open session (`#session=kiosk-1`); a shared
// one may hold a token, which is taken out of it at once and kept for this browser tab alone.
import { announce, byId, h, notifyError, openDialog, replace } from "./dom.js";
import { Model } from "./model.js";
import { showSessions } from "./sessions.js";
import { showStage } from "./stage.js";
import { showTimeline } from "./timeline.js";
import { showCommands, showJSON, showLinks } from "./tools.js";

const model = new Model();
const isForOneSession = readAddress();
showStatus();
showAreas();
showDetails();
showStage(model, choose);
if (isForOneSession) hideList();
else showSessions(model, choose, refused);
addEventListener("hashchange", follow);
model.on("closed", () => (document.title = "navstate"));
model.on("session", () => (document.title = `${model.id} · navstate`));
model.on("ended", () => history.replaceState(null, "", location.pathname));
byId("token-button").addEventListener("click", () => askForToken());
// Times are relative, so they are wrong after a while without anything having happened.
setInterval(() => model.session && !document.hidden && model.emit("history"), 30_000);
letGoWhenHidden();
addEventListener("pointerdown", () => model.hold(), true);
for (const name of ["pointerup", "pointercancel"]) {
    // The click follows at once.
    addEventListener(name, () => setTimeout(() => model.release()), true);
}
byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
    // The fragment names the open session.
    event.preventDefault();
    showArea("stage");
    byId("stage").focus();
});
follow();

// The address

/** Takes the token out of the address. Answers whether it is one for a single session. */
function readAddress() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("token");
    if (token) {
        sessionStorage.setItem("token", token);
        sessionStorage.setItem("single", fragment.get("session") ?? "");
        fragment.delete("token");
        history.replaceState(null, "", `#${fragment}`);
    }
    model.connect(sessionStorage.getItem("token") ?? undefined);
    model.mayControl = !fragment.has("view");
    const single = sessionStorage.getItem("single");
    return fragment.has("view") || Boolean(single && single === fragment.get("session"));
}

function follow() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    // A shared link that is pasted over an open console.
    if (fragment.has("token") || fragment.has("view") === model.mayControl) {
        return location.reload();
    }
    const id = fragment.get("session");
    if (id && id !== model.id) {
        model.open(id);
        showArea("stage");
    } else if (!id && model.id) {
        model.close();
    }
}

/** @param {string} id */
function choose(id) {
    const fragment = `#${new URLSearchParams({ session: id })}`;
    if (location.hash === fragment) showArea("stage");
    else location.hash = fragment;
}

// Access

function hideList() {
    byId("columns").classList.add("single");
    byId("sessions").hidden = true;
    byId("token-button").hidden = true;
}

let isAsking = false;
let wasAsked = false;

/** @param {any} error */
function refused(error) {
    // After the dialog has been closed, it does not open again each time the list is read.
    if (error?.status === 401) return wasAsked || askForToken(error.message);
    if (error?.problem) notifyError(error);
    // The status line says that the server cannot be reached; this is not repeated here.
    else if (model.status.state === "idle") model.setStatus({ state: "lost" });
}

/** @param {string} [why] */
function askForToken(why) {
    if (isAsking) return;
    isAsking = wasAsked = true;
    const input = h(
        "input",
        { type: "password", id: "token", autocomplete: "off", required: true, autofocus: true },
    );
    const submit = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        sessionStorage.setItem("token", input.value.trim());
        sessionStorage.removeItem("single");
        location.reload();
    };
    const forget = () => {
        sessionStorage.removeItem("token");
        location.reload();
    };
    const dialog = openDialog("Token", h("form", { class: "dialog-form", onsubmit: submit },
        why ? h("p", { class: "form-error", text: why }) : null,
        h(
            "p",
            {
                class: "dim",
                text: "The server’s operator has the token. It is kept for this browser tab only.",
            },
        ),
        h("div", { class: "field" }, h("label", { for: "token", text: "Token" }), input),
        h("footer", { class: "dialog-foot" },
            sessionStorage.getItem("token") ? h(
                "button", { type: "button", text: "Forget token", onclick: forget },
            ) : null,
            h("button", { type: "submit", class: "primary", text: "Use token" }))));
    dialog.addEventListener("close", () => (isAsking = false));
}

// The state of the connection

function showStatus() {
    const place = byId("status");
    let said = "";
    const draw = () => {
        const { state, milliseconds = 0, since } = model.status;
        const left = Math.max(0, Math.ceil((since + milliseconds - Date.now()) / 1000));
        const words = {
            idle: "", connecting: model.session ? "Reconnecting …" : "Connecting …", live: "Live",
            waiting: left > 0 ? `Reconnecting in ${left} s` : "Reconnecting …", lost: "No connection",
        }[/** @type {"idle"} */ (state)] ?? "";
        place.className = `status ${state}`;
        if (place.textContent !== words) place.textContent = words;
        document.body.classList.toggle(
            "offline", state === "waiting" || (state === "connecting" && model.session),
        );
        const toSay = state === "waiting" ? "Connection lost. Reconnecting." : state === "live" && said ? "Reconnected." : "";
        if (toSay && toSay !== said) announce(toSay);
        if (state === "waiting") said = toSay;
        if (state === "live") said = "";
    };
    // The seconds are counted down on the screen; a screen reader is told only once.
    place.setAttribute("aria-live", "off");
    model.on("status", draw);
    model.on("session", draw);
    setInterval(() => model.status.state === "waiting" && draw(), 250);
    draw();
}

// Over HTTP/1.1 a browser opens six connections to a server, and each stream keeps one: seven open
// consoles would wait for each other. A console in the background therefore closes its stream after
// a while.
function letGoWhenHidden() {
    const graceMilliseconds = 60_000;
    /** @type {any} */
    let timer;
    document.addEventListener("visibilitychange", () => {
        clearTimeout(timer);
        if (document.hidden) timer = setTimeout(() => model.pause(), graceMilliseconds);
        else if (model.status.state === "idle") model.follow();
    });
}

// Areas: on small screens one is shown at a time

function showAreas() {
    const names = { sessions: "Sessions", stage: "Screen", details: "Details" };
    byId("areas").append(...Object.entries(names).map(([id, title]) =>
        h("button", { type: "button", text: title, id: `area-${id}`, onclick: () => showArea(id) })));
    showArea(new URLSearchParams(location.hash.slice(1)).has("session") ? "stage" : "sessions");
}

/** @param {string} id */
function showArea(id) {
    byId("columns").dataset.area = id;
    for (const button of byId("areas").children) {
        if (button.id === `area-${id}`) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
    }
    // The element with the focus may be hidden now.
    const active = document.activeElement;
    if (active?.closest("section") && active.getClientRects().length === 0) byId(id).focus();
}

// The panels on the right, as tabs (WAI-ARIA Authoring Practices: one tab stop, arrows move)

function showDetails() {
    const panels = [
        { id: "timeline", title: "Timeline", show: showTimeline },
        { id: "json", title: "JSON", show: showJSON },
        { id: "links", title: "Links", show: showLinks },
        { id: "command", title: "Command", show: showCommands },
    ];
    const tabs = panels.map(({ id, title }) => h("button", {
        type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, text: title,
        onclick: () => select(id),
    }));
    const bodies = panels.map(({ id }) => h("div", {
        role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: `panel panel-${id}`,
    }));
    const select = (/** @type {string} */ id) => {
        tabs.forEach((tab, index) => {
            const isSelected = panels[index].id === id;
            tab.setAttribute("aria-selected", String(isSelected));
            tab.tabIndex = isSelected ? 0 : -1;
            bodies[index].hidden = !isSelected;
            // A hidden panel is not drawn.
            if (isSelected) bodies[index].dispatchEvent(new Event("show"));
        });
    };
    const bar = h("div", { role: "tablist", "aria-label": "Details", class: "tablist" }, ...tabs);
    bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const at = tabs.indexOf(/** @type {any} */ (document.activeElement));
        const to = {
            ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1,
        }[/** @type {"ArrowLeft"} */ (event.key)];
        if (to === undefined || at < 0) return;
        event.preventDefault();
        const next = tabs[(to + tabs.length) % tabs.length];
        next.focus();
        next.click();
    });
    replace(byId("details"), bar, ...bodies);
    panels.forEach(({ show }, index) => show(model, bodies[index]));
    select("timeline");
}

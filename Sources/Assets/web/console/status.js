// The state of the connection: a line in the head, a strip while the server is away, and a thin bar
// while a request takes its time.
import { announce, byId } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */

/** @param {Model} model @param {Directory | null} directory */
function stateOf(model, directory) {
    const { state } = model.status;
    if (state !== "idle") return state;
    if (directory?.state === "offline") return "lost";
    return directory?.isLive ? "live" : "idle";
}

/** @param {Model} model @param {Directory | null} directory */
export function showStatus(model, directory) {
    const place = byId("status");
    const strip = byId("offline");
    let said = "";
    const draw = () => {
        const state = stateOf(model, directory);
        const { milliseconds = 0, since } = model.status;
        const left = Math.max(0, Math.ceil((since + milliseconds - Date.now()) / 1000));
        const words = {
            idle: "", connecting: model.session ? "Reconnecting …" : "Connecting …", live: "Live",
            waiting: left > 0 ? `Reconnecting in ${left} s` : "Reconnecting …", lost: "No connection",
        }[/** @type {"idle"} */ (state)] ?? "";
        place.className = `status ${state}`;
        if (place.textContent !== words) place.textContent = words;
        const isAway = state === "waiting" || state === "lost" || (state === "connecting" && model.status.attempt > 0);
        document.body.classList.toggle("offline", isAway);
        strip.hidden = !isAway;
        byId("view-only").hidden = model.mayControl;
        const toSay = state === "waiting" ? "Connection lost. Reconnecting." : state === "live" && said ? "Reconnected." : "";
        if (toSay && toSay !== said) announce(toSay);
        if (state === "waiting") said = toSay;
        if (state === "live") said = "";
    };
    // The seconds are counted down on the screen; a screen reader is told only once.
    place.setAttribute("aria-live", "off");
    model.on("status", draw);
    model.on("session", draw);
    for (const name of ["change", "live"]) directory?.addEventListener(name, draw);
    setInterval(() => model.status.state === "waiting" && draw(), 250);
    draw();
}

// Over HTTP/1.1 a browser opens six connections to a server, and each stream keeps one: seven open
// consoles would wait for each other. A console in the background therefore closes its stream after
// a while, and that of the list at once.
/** @param {Model} model @param {Directory | null} directory */
export function letGoWhenHidden(model, directory) {
    const graceMilliseconds = 60_000;
    /** @type {any} */
    let timer;
    document.addEventListener("visibilitychange", () => {
        clearTimeout(timer);
        if (document.hidden) directory?.unfollow();
        else directory?.follow();
        if (document.hidden) timer = setTimeout(() => model.wanted && model.pause(), graceMilliseconds);
        else if (model.status.state === "idle") model.follow();
    });
}

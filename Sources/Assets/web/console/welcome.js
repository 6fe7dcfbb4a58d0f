// The middle while no session is shown: nothing chosen, nothing there yet, on its way, or refused.
import { codeLine, h } from "./dom.js";
import { askForSession, startBlank, startDemo } from "./create.js";
import { curlLine } from "./curl.js";
import { command } from "./keys.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./directory.js").Directory} Directory */
/** @typedef {(id: string) => void} Choose */

/** @param {Model} model @param {Directory | null} directory @param {Choose} choose */
export function welcome(model, directory, choose) {
    if (model.failure) return failure(model, directory, choose);
    if (model.wanted) return opening(model);
    if (!directory || directory.state === "loading" || directory.state === "refused") return h("div", { class: "empty" });
    if (directory.state === "offline") return offline();
    if (directory.state === "ready" && directory.sessions.length === 0) return firstSteps(model, directory, choose);
    return h("div", { class: "empty" }, ghost(),
        h("p", { text: "Choose a session to watch and control it." }),
        h("p", { class: "dim keys" }, "Press ", h("kbd", { text: `${command} K` }), " to find one."));
}

function ghost() {
    return h("div", { class: "phone ghost", "aria-hidden": "true" }, h("div", { class: "screen" },
        h("div", { class: "ghost-title" }), h("div", { class: "ghost-rows" }), h("div", { class: "ghost-bar" })));
}

/** @param {Model} model */
function opening(model) {
    return h("div", { class: "empty", "aria-busy": "true" }, h("div", { class: "phone skeleton", "aria-hidden": "true" },
        h("div", { class: "screen" }, h("div", { class: "ghost-title" }), h("div", { class: "ghost-rows" }))),
    h("p", { text: `Opening ${model.wanted} …` }));
}

function offline() {
    return h("div", { class: "empty" }, h("h2", { text: "The server cannot be reached" }),
        h("p", { class: "dim", text: "Check that it is running. The console connects by itself as soon as it answers." }));
}

/** @param {Model} model @param {Directory | null} directory @param {Choose} choose */
function failure(model, directory, choose) {
    const { failure: error, wanted = "" } = model;
    const isMissing = error.code === "session-not-found";
    const list = directory ? h("a", { class: "button", href: "#", text: "Back to the list" }) : null;
    const act = isMissing
        ? directory && model.mayControl ? h("button", { type: "button", class: "primary", text: `Create ${wanted}`,
            onclick: () => askForSession(model, directory, choose, wanted) }) : null
        : h("button", { type: "button", class: "primary", text: "Try again", onclick: () => model.follow() });
    const title = isMissing ? `There is no session ${wanted}` : `${wanted} cannot be opened`;
    const words = isMissing ? "It may have been deleted or have expired, or its name is spelled differently."
        : error.message;
    return h("div", { class: "empty failure", role: "alert" }, h("h2", { text: title }),
        h("p", { class: "dim", text: words }), h("div", { class: "choices" }, act, list));
}

/** @param {Model} model @param {Directory} directory @param {Choose} choose */
function firstSteps(model, directory, choose) {
    const withToken = Boolean(model.client.token);
    const blank = curlLine({ method: "POST", url: `${location.origin}/v1/sessions`, body: '{"tabs":["main"]}' }, withToken);
    const demo = `curl -s ${location.origin}/console/demo-app.json | ${curlLine({ method: "PUT",
        url: `${location.origin}/v1/apps/shop`, body: "@-" }, withToken)}`;
    return h("div", { class: "empty first" },
        h("h2", { text: "Your app’s navigation, held by a server" }),
        h("p", { class: "dim", text: "A session is one screen’s tabs, pushed screens and sheets. Every device that follows it shows the same, and anyone with access can control it: from here, by curl, or from code." }),
        h("div", { class: "choices", hidden: !model.mayControl },
            choice("Start with the demo app", "primary", "A small shop with a login, sheets and deep links.", demo,
                () => startDemo(model, directory, choose)),
            choice("Blank session", "", "One tab, and any route you like.", blank,
                () => startBlank(model, directory, choose))));
}

/** @param {string} title @param {string} kind @param {string} words @param {string} line @param {() => void} act */
function choice(title, kind, words, line, act) {
    const start = async () => {
        button.disabled = true;
        await act();
        button.disabled = false;
    };
    const button = h("button", { type: "button", class: kind, text: title, onclick: start });
    return h("div", { class: "choice" }, button, h("p", { class: "dim", text: words }),
        codeLine(`curl line: ${title}`, `curl line for ${title}`, line));
}

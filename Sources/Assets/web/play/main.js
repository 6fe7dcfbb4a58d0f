// The playground: an app's document on the left, and the app on the right, by the rules of the server.
//
//     main, link            start; the address, which holds the document and the commands
//     model, engine         the session, and the thread in which the rules run (worker)
//     phone                 the screen
//     try, findings, steps  what may be done, the result of an exploration, what was done
//
// Nothing is sent to a server. The page is also a folder's, which `navstate playground` makes; then it
// holds its files itself.
import { showAppearance } from "../console/appearance.js";
import { showArea, showAreas } from "../console/areas.js";
import { showCommands } from "../console/commands.js";
import { DocumentEditor, faultsOf } from "../console/document-editor.js";
import { byId, copy, h, notify, notifyError, replace } from "../console/dom.js";
import { factsGroup, pendingBanner } from "../console/facts.js";
import { fileText, heldText } from "../console/files.js";
import { GraphPicture } from "../console/graph-picture.js";
import { icon } from "../console/icons.js";
import { showJSON } from "../console/json.js";
import { showPanels } from "../console/panels.js";
import { counted } from "../console/words.js";
import { Findings } from "./findings.js";
import { linkTo, readLink } from "./link.js";
import { PlayModel } from "./model.js";
import { PlayPhone } from "./phone.js";
import { showSteps } from "./steps.js";
import { showTry } from "./try.js";

const addressMilliseconds = 400;
const model = new PlayModel();
const editor = new DocumentEditor(judge);
const findings = new Findings(model, editor);
let addressTimer = 0;
/** The fragment that this page has written itself. */
let written = "";

showDocument();
showStage();
showAppearance(byId("appearance"));
showAreas({ sessions: "Document", stage: "Screen", details: "Try" }, "stage");
showPanels(model, [
    { id: "graph", title: "Graph", show: showGraph, changes: false }, { id: "try", title: "Try", show: showTry, changes: true },
    { id: "command", title: "Command", show: showCommands, changes: true },
    { id: "findings", title: "Findings", show: (...given) => findings.show(...given), changes: false },
    { id: "steps", title: "Steps", show: showSteps, changes: false }, { id: "json", title: "JSON", show: showJSON, changes: false },
]);
// A page that holds its files has no console beside it.
if (heldText("/play/worker.js") !== undefined) for (const id of ["pages", "api"]) byId(id).hidden = true;
byId("copy-link").addEventListener("click", copyLink);
byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    showArea("stage");
    byId("stage").focus();
});
addEventListener("hashchange", () => location.hash !== written && begin());
model.on("session", writeSoon);
editor.field.text.addEventListener("input", writeSoon);
begin();

async function begin() {
    let found = null;
    try {
        found = await readLink(location.hash);
    } catch {
        notify("The link cannot be read: it is damaged or incomplete. Copy it again; an example is shown instead.", { kind: "problem", title: "Broken link" });
    }
    if (found && !found.steps) {
        notify("The link cannot be read completely: its commands are damaged. Copy it again; the document is shown without them.", { kind: "problem", title: "Broken link" });
    }
    model.steps = found?.steps ?? [];
    await editor.begin(found?.text ?? await fileText("/console/demo-app.json"));
}

/** @param {string} text @returns {Promise<import("../console/document-editor.js").Verdict>} */
async function judge(text) {
    const { faults, warnings = [] } = await model.begin(text);
    writeSoon();
    const more = warnings.length > 0 ? `, with ${counted(warnings.length, "warning")}` : "";
    return faults.length > 0 ? { words: `${counted(faults.length, "error")} to correct. The phone shows the last valid document.`, kind: "bad", faults: faultsOf(faults, "bad") }
        : { words: `Valid${more}.`, kind: "good", faults: faultsOf(warnings, "warn") };
}

function showDocument() {
    byId("sessions").append(h("div", { class: "app-editor" },
        h("header", { class: "stage-head" }, h("h2", { text: "Document" }), editor.tools), ...editor.elements, editor.keys));
}

function showStage() {
    const phone = new PlayPhone(model);
    const head = h("div", { class: "stage-top" });
    replace(byId("stage"), head, h("div", { class: "play-scene" }, phone.element));
    model.on("session", () => {
        const tool = (/** @type {string} */ name, /** @type {string} */ title, /** @type {boolean} */ isPossible, /** @type {() => void} */ run) =>
            h("button", { type: "button", class: "icon-button", "aria-label": title, title, disabled: !isPossible, data: { key: `tool-${name}` }, onclick: run }, icon(name));
        replace(head, h("header", { class: "stage-head" },
            h("div", { class: "stage-name" }, h("h2", { text: model.app.title ?? model.app.id ?? "App" })),
            h("div", { class: "toolbar", role: "group", "aria-label": "Session" },
                tool("undo", "Undo", model.session.canUndo, () => model.run("undo")), tool("redo", "Redo", model.session.canRedo, () => model.run("redo")),
                tool("top", "Start over", model.steps.length > 0, () => model.startOver()))),
        pendingBanner(/** @type {any} */ (model)), factsGroup(/** @type {any} */ (model)));
    });
}

/** @param {PlayModel} _model @param {HTMLElement} panel */
function showGraph(_model, panel) {
    /** @type {GraphPicture | null} */
    let picture = null;
    const draw = () => {
        if (!picture || panel.hidden) return;
        picture.draw(`The phone shows ${picture.titleOf(picture.keyOf(model.session.visible))}.`, model.session);
    };
    model.on("app", () => {
        picture = new GraphPicture(model.app);
        replace(panel, ...picture.elements);
        draw();
    });
    model.on("session", draw);
    panel.addEventListener("show", draw);
}

// The address

function writeSoon() {
    clearTimeout(addressTimer);
    addressTimer = window.setTimeout(async () => {
        const fragment = await linkTo(editor.text, model.steps);
        byId("link-note").textContent = fragment === null ? "Too long for a link: send a file" : "";
        byId("copy-link").disabled = fragment === null;
        written = fragment ?? "";
        history.replaceState(null, "", written || location.pathname);
    }, addressMilliseconds);
}

async function copyLink() {
    try {
        const fragment = await linkTo(editor.text, model.steps);
        if (fragment === null) throw new Error("This is too long for a link. Send the document as a file.");
        await copy(location.href.replace(/#.*/, "") + fragment, "Link");
        notify("The link is on the clipboard. It holds the document and what you did.");
    } catch (error) {
        notifyError(error);
    }
}

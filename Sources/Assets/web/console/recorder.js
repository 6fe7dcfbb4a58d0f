// Takes down what is done by clicks, and shows it as a program that does the same.
import { announce, copyButton, h, notify, notifyError, openDialog } from "./dom.js";
import { mayDiffer } from "./exact.js";
import { icon } from "./icons.js";
import { needsState, playwrightTest, shellScript } from "./script.js";

/** @typedef {import("./model.js").Model} Model */

export class Recorder {
    /** @param {Model} model */
    constructor(model) {
        this.model = model;
        this.id = model.session.id;
        /** The state in which the recording begins. */
        this.start = { state: model.session };
        this.readState(this.start);
        /** @type {import("./script.js").Step[]} */
        this.steps = [];
    }

    /**
     * A state that will be written is read again, if the page does not hold its numbers exactly.
     *
     * @param {{ state?: any }} step
     */
    readState(step) {
        const { state } = step;
        if (!mayDiffer(state)) return;
        this.model.exactState(state.revision).then((exact) => (step.state = exact), notifyError);
    }

    /** @param {string} command @param {any} body @param {any} answer */
    add(command, body, answer) {
        if (!answer.changed) return;
        const step = { command, body, added: answer.added, state: answer.session };
        this.steps.push(step);
        if (needsState(command)) this.readState(step);
    }

    /** @param {any} state */
    addRestore(state) {
        const step = { command: "restore", body: {}, added: [], state };
        this.steps.push(step);
        this.readState(step);
    }
}

/** @param {Model} model */
export function recordButton(model) {
    const isOn = model.recorder !== null;
    const label = isOn ? "Stop recording" : "Record";
    return h("button", {
        type: "button", class: `tool-words${isOn ? " recording" : ""}`, "aria-label": label,
        title: isOn ? `Stop recording (${model.recorder?.steps.length ?? 0} so far)` : "Record clicks as a script or a test",
        "aria-pressed": String(isOn), data: { key: "tool-record" }, disabled: model.isStill && !isOn,
        onclick: () => (isOn ? stop(model) : start(model)),
    }, icon(isOn ? "stop" : "record"), isOn ? "Stop" : "Record");
}

/** @param {Model} model */
function start(model) {
    model.recorder = new Recorder(model);
    notify("Recording. Click through the phone, then stop to get a script or a test.");
    model.emit("session");
}

/** @param {Model} model */
function stop(model) {
    const { recorder } = model;
    model.recorder = null;
    model.emit("session");
    if (!recorder) return;
    if (recorder.steps.length === 0) return notify("Nothing was recorded: no click has changed the session.");
    announce("Recording stopped");
    showRecording({
        origin: location.origin, session: recorder.id, start: recorder.start.state, steps: recorder.steps,
        withToken: Boolean(model.client.token),
    });
}

/** @param {import("./script.js").Recording} recording */
function showRecording(recording) {
    const formats = [
        { id: "shell", title: "Shell script", file: `${recording.session}.sh`, text: shellScript(recording) },
        { id: "playwright", title: "Playwright test", file: `${recording.session}.spec.mjs`, text: playwrightTest(recording) },
    ];
    let chosen = formats[0];
    const code = h("pre", { class: "json recording-text", tabindex: "0", role: "region", "aria-label": "Recorded program" });
    const choose = (/** @type {typeof chosen} */ format) => {
        chosen = format;
        code.textContent = format.text;
    };
    const options = formats.map((format, index) => h("label", { class: "share-option" },
        h("input", { type: "radio", name: "format", value: format.id, checked: index === 0, onchange: () => choose(format) }),
        h("strong", { text: format.title })));
    const dialog = openDialog(`${recording.steps.length === 1 ? "1 step" : `${recording.steps.length} steps`} recorded`,
        h("fieldset", { class: "share-options" }, h("legend", { class: "visually-hidden", text: "Format" }), ...options),
        h("div", { class: "recording-code" }, code),
        h("footer", { class: "dialog-foot" }, copyButton("recording", () => chosen.text),
            h("button", { type: "button", class: "primary", text: "Download", onclick: () => download(chosen) })));
    dialog.classList.add("wide");
    choose(chosen);
}

/** @param {{ file: string, text: string }} format */
function download({ file, text }) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const link = h("a", { href: url, download: file });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

// A slider through the revisions that the server keeps, with a button that plays them, and what can
// be done with the one that is looked at.
import { h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { openDifference } from "./diff.js";

/** @typedef {import("./model.js").Model} Model */

const playMilliseconds = 700;

export class TimeBar {
    /** @param {Model} model */
    constructor(model) {
        this.model = model;
        this.isPlaying = false;
        /** The revision that is played. */
        this.at = 0;
        this.label = "";
        this.slider = h("input", { type: "range", class: "time-slider", step: "1", "aria-label": "Revision",
            data: { key: "time-slider" }, oninput: () => this.moved() });
        this.button = h("button", { type: "button", class: "icon-button", data: { key: "time-play" },
            onclick: () => (this.isPlaying ? this.stop() : this.play()) });
        this.words = h("span", { class: "time-words dim" });
        this.element = h("section", { class: "time", "aria-label": "Time" }, this.button, this.slider, this.words);
        model.on("closed", () => this.stop());
    }

    moved() {
        this.stop();
        // The dragged revision is drawn meanwhile.
        this.model.release();
        this.model.history.lookAt(Number(this.slider.value));
    }

    draw() {
        const { model } = this;
        if (!model.session) return;
        const { oldest } = model.history;
        const newest = model.session.revision;
        const shown = this.isPlaying ? this.at : model.shown.revision;
        this.slider.min = String(Math.min(oldest, shown));
        this.slider.max = String(newest);
        this.slider.value = String(shown);
        this.slider.disabled = newest <= oldest;
        this.slider.setAttribute("aria-valuetext", shown === newest ? `Now, revision ${shown}` : `Revision ${shown} of ${newest}`);
        this.words.textContent = shown === newest ? "now" : `${shown} of ${newest}`;
        this.button.disabled = newest <= oldest;
        const label = this.isPlaying ? "Pause" : "Play the history";
        if (this.label === label) return;
        this.label = label;
        this.button.setAttribute("aria-label", label);
        this.button.title = label;
        replace(this.button, icon(this.isPlaying ? "pause" : "play"));
    }

    // From the revision that is shown to the newest, or all of them from the oldest.
    play() {
        const { model } = this;
        const start = model.past ? model.past.revision : model.history.oldest;
        this.isPlaying = true;
        const step = async (/** @type {number} */ revision) => {
            if (!this.isPlaying || !model.session) return;
            this.at = revision;
            await model.history.lookAt(revision);
            this.draw();
            if (revision >= model.session?.revision) return this.stop();
            this.timer = setTimeout(() => step(revision + 1), playMilliseconds);
        };
        step(start);
    }

    stop() {
        clearTimeout(this.timer);
        if (!this.isPlaying) return;
        this.isPlaying = false;
        this.draw();
    }
}

/** @param {Model} model */
export function pastBanner(model) {
    if (!model.past) return null;
    const { history } = model;
    const { revision } = model.past;
    const newest = model.session.revision;
    const mayRestore = model.mayControl && model.isOnline;
    const button = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ act, kind = "", disabled = false) =>
        h("button", { type: "button", class: `small ${kind}`, text, disabled, data: { key }, onclick: act });
    return h("div", { class: "past-banner", role: "group", "aria-label": "Looking at the past" },
        h("span", {}, "You are looking at ", h("strong", { text: `revision ${revision}` }), ` of ${newest}.`),
        h("span", { class: "past-buttons" },
            button("Earlier", "past-earlier", () => history.lookAt(revision - 1), "", revision <= history.oldest),
            button("Later", "past-later", () => history.lookAt(revision + 1)),
            button("Compare", "past-compare", () => openDifference(model, revision, newest)),
            model.mayControl ? button("Restore this revision", "past-restore", () => history.restore(), "", !mayRestore) : null,
            button("Back to now", "past-now", () => history.now(), "primary")));
}

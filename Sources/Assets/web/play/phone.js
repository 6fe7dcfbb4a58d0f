// The screen of the playground: drawn as a display draws it, in the frame of a phone.
import { h } from "../console/dom.js";
import { movement, nowhere, placeOf } from "../display/movement.js";
import { emptyScreen, layers } from "../display/screen.js";
import { style } from "../display/style.js";
import { Titles } from "../display/titles.js";

/** @typedef {import("./model.js").PlayModel} PlayModel */

export class PlayPhone {
    /** @param {PlayModel} model */
    constructor(model) {
        this.model = model;
        this.titles = new Titles();
        this.last = nowhere;
        this.screen = h("div", { class: "screen", id: "screen" }, emptyScreen("Nothing to show yet", "The app appears as soon as its document is valid."));
        const glass = h("div", { class: "play-glass" });
        const root = glass.attachShadow({ mode: "open" });
        root.adoptedStyleSheets = [style];
        root.append(h("div", { class: "frame" }, this.screen));
        this.element = h("div", { class: "play-phone", role: "group", "aria-label": "Phone" }, glass);
        model.on("session", () => this.draw());
        model.on("app", () => (this.titles = new Titles()));
    }

    draw() {
        const { model, screen, titles } = this;
        titles.app = model.app;
        titles.learn(model.allowed);
        const now = placeOf(model.session);
        screen.className = `screen ${movement(this.last, now)}`;
        screen.replaceChildren(...layers({ session: model.session, titles, act: (command, body) => model.run(command, body) }));
        this.last = now;
        this.element.setAttribute("aria-label", `Phone: ${model.titleOf(model.session.visible)} is visible`);
    }
}

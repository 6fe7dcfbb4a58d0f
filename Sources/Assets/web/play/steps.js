// The commands since the start, which a link to the playground has as well.
import { h, replace } from "../console/dom.js";
import { commandObject, counted } from "../console/words.js";
import { stepsMax } from "./link.js";

/** @typedef {import("./model.js").PlayModel} PlayModel */

/** @param {PlayModel} model @param {HTMLElement} panel */
export function showSteps(model, panel) {
    const draw = () => {
        if (panel.hidden) return;
        const refused = model.steps.length - model.done.length;
        replace(panel, model.steps.length === 0 ? h("p", { class: "dim none", text: "Nothing was done yet. What you tap and open is listed here, and is part of the link." })
            : h("ol", { class: "play-steps" }, ...model.done.map((item) => row(model, item))),
        refused === 0 ? null : h("p", { class: "dim", text: `The document refuses ${counted(refused, "more command")}. They are carried out again as soon as it allows them.` }),
        model.steps.length < stepsMax ? null : h("p", { class: "dim", text: "What came after these is not kept: a link would be too long." }));
    };
    model.on("session", draw);
    panel.addEventListener("show", draw);
}

/** @param {PlayModel} model @param {{ step: { command: string }, answer: any }} item */
function row(model, { step, answer }) {
    const { visible } = answer.session;
    const notes = [
        answer.held && ["mark", `held back by ${answer.held}`], answer.resumed && ["mark", `resumed ${answer.resumed.command}`],
        answer.refused && ["removed", answer.refused.title], answer.givenUp && ["removed", `given up: ${answer.givenUp.command}`],
        !answer.changed && !answer.held && ["", "no effect"],
    ].filter(Boolean);
    return h("li", {}, h("strong", { text: step.command }), " ", h("span", { class: "dim", text: commandObject(step, (id) => model.nameOf(id)) }),
        h("span", { class: "play-shown", text: `→ ${model.titleOf(visible)}` }), ...notes.map(([kind, text]) => h("span", { class: `chip ${kind}`, text })));
}

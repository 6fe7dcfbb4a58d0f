// An alert or a confirmation on the phone. A click presses a button of this dialog and of no other.
import { h } from "./dom.js";

/** @typedef {import("./view.js").SessionView} View */

/** @param {any} sheet */
export function isDialog(sheet) {
    return sheet.style === "alert" || sheet.style === "confirmationDialog";
}

/** @param {View} view @param {any} dialog */
export function dialogLayer(view, dialog) {
    const isOff = view.isStill || !view.may("dismiss");
    const buttons = dialog.buttons.map((/** @type {any} */ button) => h("button", {
        type: "button", class: `answer ${button.role ?? ""}`.trim(), disabled: isOff, text: button.title,
        title: button.id, data: { key: `press-${button.id}` },
        onclick: () => view.run("dismiss", { sheet: dialog.id, button: button.id }),
    }));
    const kind = dialog.style === "alert" ? "alert" : "confirmation";
    return h("div", { class: `layer dialog ${kind} on-top`, role: "group", "aria-label": dialog.title },
        h("div", { class: "box" },
            h("p", { class: "large-title", text: dialog.title }),
            dialog.message ? h("p", { class: "message", text: dialog.message }) : null,
            h("p", { class: "route" }, h("code", { text: dialog.route }), h("code", { class: "dim", text: dialog.id })),
            h("div", { class: "answers" }, ...buttons)));
}

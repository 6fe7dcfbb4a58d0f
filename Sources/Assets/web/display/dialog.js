// A dialog over the screen: an alert in the middle, a confirmation at the bottom. A press names the
// dialog, so that a late one answers no other question.
import { h } from "../console/dom.js";

/** @param {any} sheet */
export function isDialog(sheet) {
    return sheet.style === "alert" || sheet.style === "confirmationDialog";
}

/**
 * @param {any} dialog @param {((body: object) => void) | null} dismiss Null if it cannot be pressed here.
 * @returns {HTMLElement}
 */
export function dialogLayer(dialog, dismiss) {
    const buttons = dialog.buttons.map((/** @type {any} */ button) => h("button", {
        type: "button", class: `choice ${button.role ?? ""}`.trim(), disabled: !dismiss, text: button.title,
        onclick: () => dismiss?.({ sheet: dialog.id, button: button.id }),
    }));
    const isShort = dialog.style === "alert" && buttons.length === 2;
    return h("section", {
        class: `layer dialog on-top ${dialog.style === "alert" ? "alert" : "confirmation"}`,
        role: "alertdialog", "aria-modal": "true", "aria-labelledby": "dialog-title",
        "aria-describedby": dialog.message ? "dialog-message" : undefined,
    }, h("div", { class: "box" },
        h("h1", { id: "dialog-title", tabindex: "-1", text: dialog.title }),
        dialog.message && h("p", { id: "dialog-message", text: dialog.message }),
        h("div", { class: `choices${isShort ? " short" : ""}` }, ...buttons)));
}

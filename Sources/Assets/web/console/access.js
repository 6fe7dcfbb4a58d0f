// The server's token, where it asks for one.
import { h, notifyError, openDialog } from "./dom.js";

let isAsking = false;
let wasAsked = false;

/**
 * What to do about a list that is refused. After the dialog has been closed, it does not open again
 * each time the list is read.
 *
 * @param {any} error
 */
export function refused(error) {
    if (error?.status !== 401) return notifyError(error);
    if (!wasAsked) askForToken(error.message);
}

/** @param {string} [why] */
export function askForToken(why) {
    if (isAsking) return;
    isAsking = wasAsked = true;
    const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true, autofocus: true });
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
        h("p", { class: "dim", text: "Whoever runs the server has the token. It is kept for this browser tab only." }),
        h("div", { class: "field" }, h("label", { for: "token", text: "Token" }), input),
        h("footer", { class: "dialog-foot" },
            sessionStorage.getItem("token") ? h("button", { type: "button", text: "Forget token", onclick: forget }) : null,
            h("button", { type: "submit", class: "primary", text: "Use token" }))));
    dialog.addEventListener("close", () => (isAsking = false));
}

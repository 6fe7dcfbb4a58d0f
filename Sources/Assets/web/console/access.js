// Signing in with the server's token, where it asks for one.
import { h, notifyError, openDialog } from "./dom.js";
import { keptToken } from "./address.js";

let isAsking = false;
let wasAsked = false;

/**
 * Handles a list that is refused. After the dialog has been closed, it does not open again
 * each time the list is read.
 *
 * @param {any} error
 */
export function refused(error) {
    if (error?.status !== 401) return notifyError(error);
    if (!wasAsked) signIn();
}

/** @param {string | null} token @param {boolean} isRemembered */
function keep(token, isRemembered = false) {
    for (const storage of [sessionStorage, localStorage]) storage.removeItem("token");
    sessionStorage.removeItem("single");
    if (token) (isRemembered ? localStorage : sessionStorage).setItem("token", token);
    location.reload();
}

export function signIn() {
    if (isAsking) return;
    isAsking = wasAsked = true;
    const kept = keptToken();
    const input = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true, autofocus: true });
    const show = h("button", { type: "button", class: "small", text: "Show", "aria-label": "Show the token", "aria-pressed": "false", onclick: () => {
        const isShown = input.type === "password";
        input.type = isShown ? "text" : "password";
        show.setAttribute("aria-pressed", String(isShown));
        show.textContent = isShown ? "Hide" : "Show";
    } });
    const remember = h("input", { type: "checkbox", id: "remember" });
    remember.checked = localStorage.getItem("token") !== null;
    const submit = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        keep(input.value.trim(), remember.checked);
    };
    const why = kept ? h("p", { class: "form-error", text: "The server does not accept the access token that it was given. It may have expired or been revoked." })
        : h("p", { text: "This server needs an access token." });
    const dialog = openDialog("Sign in", h("form", { class: "dialog-form", onsubmit: submit }, why,
        h("p", { class: "dim", text: "Ask whoever runs the server for it, or open the address that the server printed at its first start." }),
        h("div", { class: "field" }, h("label", { for: "token", text: "Access token" }), h("div", { class: "joined" }, input, show)),
        h("label", { class: "check" }, remember, "Remember on this computer"),
        h("footer", { class: "dialog-foot" },
            kept ? h("button", { type: "button", text: "Sign out", onclick: () => keep(null) }) : null,
            h("button", { type: "submit", class: "primary", text: "Sign in" }))));
    dialog.addEventListener("close", () => (isAsking = false));
}

/** The dialog behind the button in the head: who is signed in can sign out. */
export function showAccess() {
    const kept = keptToken();
    if (!kept) return signIn();
    const dialog = openDialog("Signed in", h("p", { class: "dim", text: localStorage.getItem("token") ? "The access token is remembered on this computer."
        : "The access token is kept until this browser tab is closed." }),
    h("footer", { class: "dialog-foot" },
        h("button", { type: "button", text: "Use another token", onclick: () => {
            dialog.close();
            signIn();
        } }),
        h("button", { type: "button", class: "primary", text: "Sign out", onclick: () => keep(null) })));
}

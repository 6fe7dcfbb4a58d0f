// A link that gives another device control or view of this session, and the same as a QR code.
//
// Where the server asks for tokens, the link carries one for this session alone, made for it, in
// the fragment: that part of a URL is never sent to a server and so is in no log. Where it is open,
// the link is plain.
import { copyButton, h, openDialog, svg } from "./dom.js";
import { qrCode } from "./qr.js";

/** @typedef {import("./model.js").Model} Model */

/** Answers to a request for a token that mean: there are none here. */
const withoutTokens = new Set([404, 405, 409, 501]);
const loopback = /^(localhost|127\.|\[::1\])/;

/** @param {Model} model */
export function openShare(model) {
    const result = h("div", { class: "share-result", "aria-live": "polite" });
    const make = async (/** @type {"control" | "read"} */ scope) => {
        result.replaceChildren(h("p", { class: "dim", text: "Making the link …" }));
        try {
            result.replaceChildren(
                shared(await link(model, scope), scope, Boolean(model.client.token)),
            );
        } catch (error) {
            result.replaceChildren(
                h("p", { class: "form-error", text: /** @type {Error} */ (error).message }),
            );
        }
    };
    const option = (/** @type {"control" | "read"} */ scope, /** @type {string} */ title, /** @type {string} */ text) =>
        h("label", { class: "share-option" },
            h(
                "input",
                {
                    type: "radio", name: "scope", value: scope, onchange: () => make(scope),
                    checked: scope === "read", autofocus: scope === "read",
                },
            ),
            h("span", {}, h("strong", { text: title }), h("span", { class: "dim", text })));
    openDialog(`Share ${model.session.id}`,
        h("fieldset", { class: "share-options" }, h("legend", { class: "visually-hidden", text: "What the link allows" }),
            option("read", "View", "A display: shows the session and follows it."),
            model.mayControl ? option(
                "control", "Control", "A remote: may also navigate and undo.",
            ) : null),
        result);
    make("read");
}

/** @param {Model} model @param {"control" | "read"} scope */
async function link(model, scope) {
    const fragment = new URLSearchParams({ session: model.session.id });
    // No token was needed to come here, so the server is open.
    if (model.client.token) {
        try {
            const { token } = await model.client.createToken(model.session.id, { scope });
            fragment.set("token", token);
        } catch (error) {
            if (!withoutTokens.has(/** @type {any} */ (error).status)) throw error;
        }
    }
    if (scope === "read") fragment.set("view", "1");
    return `${location.origin}/#${fragment}`;
}

/** @param {string} url @param {"control" | "read"} scope @param {boolean} needsToken */
function shared(url, scope, needsToken) {
    const note = url.includes("token=") ? "The token in the link is for this session alone and is shown only once."
        : needsToken ? "This server makes no tokens for single sessions: whoever opens the link is asked for one."
        : "This server asks nobody for a token, so whoever reaches it can do everything.";
    const label = scope === "read" ? "QR code of the view link" : "QR code of the control link";
    return h("div", { class: "shared" }, qrImage(url, label),
        h(
            "div", { class: "curl-line" }, h("code", { class: "curl-text", text: url }),
            copyButton("link", () => url),
        ),
        h("p", { class: "dim", text: note }),
        loopback.test(location.host) ? h(
            "p",
            {
                class: "dim",
                text: "Note that this address leads other devices to themselves; open the console by a name or address that they can reach, and share again.",
            },
        ) : null);
}

/** @param {string} text @param {string} label */
function qrImage(text, label) {
    const rows = qrCode(text);
    const quiet = 4;
    const size = rows.length + 2 * quiet;
    const path = rows.flatMap((row, r) => row.map((isDark, c) => (isDark ? `M${c + quiet} ${r + quiet}h1v1h-1z` : ""))).join("");
    const image = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
        svg(
            "rect", { width: size, height: size, class: "qr-light" },
        ), svg("path", { d: path, class: "qr-dark" }));
    return image;
}

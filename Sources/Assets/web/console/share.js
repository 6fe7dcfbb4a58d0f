// A link that gives another device control or view of this session, and the same as a QR code.
//
// If the server requires tokens, the link contains one for this session only. It is made when the
// button is pressed, and only then; the dialog lists the existing tokens, each with a button that
// revokes it. The token is in the fragment of the link, which browsers do not send, and the console
// that opens the link removes it from the address before it sends anything. If the server is open,
// the link contains no token.
import { announce, codeLine, h, localTime, openDialog, replace, svg, timeAgo } from "./dom.js";
import { qrCode } from "./qr.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {"control" | "read"} Scope */

const loopback = /^(localhost|127\.|\[::1\])/;

/** How long a link is valid, in seconds, or undefined for no limit. */
const lifetimes = [["3600", "1 hour"], ["86400", "1 day"], ["", "No expiration"]];

/** @type {Record<Scope, string>} */
const scopeNames = { read: "View", control: "Control" };

/** @param {Model} model */
export function openShare(model) {
    const needsToken = Boolean(model.client.token);
    const result = h("div", { class: "share-result", "aria-live": "polite" });
    const list = h("section", { class: "share-tokens", tabindex: "-1", "aria-label": "Tokens of this session" });
    /** @type {Scope} */
    let scope = "read";
    const choose = (/** @type {Scope} */ chosen) => {
        scope = chosen;
        limits.element.hidden = scope !== "control";
        result.replaceChildren(...(needsToken ? [] : [shared(address(model, scope), scope)]));
    };
    const lifetime = h("select", { id: "share-lifetime", onchange: () => choose(scope) },
        ...lifetimes.map(([value, text]) => h("option", { value, text })));
    const name = h("input", { type: "text", id: "share-name", autocomplete: "off", spellcheck: "false", maxlength: "64",
        pattern: "[A-Za-z0-9][A-Za-z0-9._~\\-]*", title: "Letters, digits, and . _ ~ -", placeholder: "lobby-display" });
    const limits = limitFields();
    const make = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const named = name.value.trim();
        const made = { scope, ...(named ? { name: named } : {}), ...(lifetime.value ? { ttlSeconds: Number(lifetime.value) } : {}),
            ...(scope === "control" ? limits.read() : {}) };
        try {
            const { token } = await model.client.createToken(model.session.id, made);
            result.replaceChildren(shared(address(model, made.scope, token), made.scope));
        } catch (error) {
            result.replaceChildren(fault(error));
        }
        showTokens(model, list);
    };
    openDialog(`Share ${model.session.id}`, h("form", { class: "dialog-form", onsubmit: make },
        h("fieldset", { class: "share-options" }, h("legend", { class: "visually-hidden", text: "What the link allows" }),
            option("read", "For a display: shows the session and follows its changes.", choose),
            model.mayControl ? option("control", "For a remote control: can also navigate and undo.", choose) : null),
        needsToken ? h("div", { class: "share-fields" },
            h("div", { class: "field" }, h("label", { for: "share-name" }, "Name", h("span", { class: "dim", text: " optional" })), name),
            h("div", { class: "field" }, h("label", { for: "share-lifetime", text: "Valid for" }), lifetime)) : null,
        needsToken ? limits.element : null,
        needsToken ? h("footer", { class: "dialog-foot" }, h("button", { type: "submit", class: "primary", text: "Make link" })) : null),
    result, needsToken ? list : null);
    if (needsToken) showTokens(model, list);
    choose("read");
}

/** The limits of a token for control, if it has any: commands, and routes or groups of them. */
function limitFields() {
    const field = (/** @type {string} */ id, /** @type {string} */ text, /** @type {string} */ placeholder) => {
        const input = h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", placeholder });
        return { input, element: h("div", { class: "field" }, h("label", { for: id }, text, h("span", { class: "dim", text: " optional" })), input) };
    };
    const [commands, routes] = [field("share-commands", "Commands", "navigate, back"), field("share-routes", "Routes", "contacts, @people")];
    const read = () => Object.fromEntries(Object.entries({ commands, routes })
        .map(([name, { input }]) => [name, input.value.split(/[\s,]+/).filter(Boolean)])
        .filter(([, items]) => items.length > 0));
    return { element: h("div", { class: "share-fields", hidden: true }, commands.element, routes.element), read };
}

/** @param {Scope} scope @param {string} text @param {(scope: Scope) => void} choose */
function option(scope, text, choose) {
    return h("label", { class: "share-option" },
        h(
            "input",
            {
                type: "radio", name: "scope", value: scope, onchange: () => choose(scope),
                checked: scope === "read", autofocus: scope === "read",
            },
        ),
        h("span", {}, h("strong", { text: scopeNames[scope] }), h("span", { class: "dim", text })));
}

/** @param {unknown} error */
function fault(error) {
    return h("p", { class: "form-error", text: /** @type {Error} */ (error).message });
}

/** @param {Model} model @param {Scope} scope @param {string} [token] */
function address(model, scope, token) {
    const fragment = new URLSearchParams({ session: model.session.id });
    if (token) fragment.set("token", token);
    if (scope === "read") fragment.set("view", "1");
    return `${location.origin}/${scope === "read" ? "display" : ""}#${fragment}`;
}

/** @param {string} url @param {Scope} scope */
function shared(url, scope) {
    const note = url.includes("token=") ? "The link contains a token for this session only. It is shown only once."
        : "This server needs no token, so anyone who can reach it can do everything.";
    const label = scope === "read" ? "QR code of the view link" : "QR code of the control link";
    return h("div", { class: "shared" }, qrImage(url, label),
        codeLine("Link", "link", url),
        h("p", { class: "dim", text: note }),
        loopback.test(location.host) ? h(
            "p",
            {
                class: "dim",
                text: "This address only works on this computer. To share with other devices, open the console by an address that they can reach.",
            },
        ) : null);
}

/**
 * Lists the session's tokens. One that is for a session alone may not ask for them, and sees none.
 *
 * @param {Model} model
 * @param {HTMLElement} list
 */
async function showTokens(model, list) {
    const { id } = model.session;
    try {
        const { tokens } = await model.client.tokens(id);
        const revoke = async (/** @type {string} */ token) => {
            await model.client.revokeToken(id, token);
            announce("Token revoked");
            await showTokens(model, list);
        };
        replace(list, tokens.length > 0 && h("h3", { text: "Links that work now" }), tokens.length > 0
            && h("ul", {}, ...tokens.map((token) => tokenLine(token, () => revoke(token.id).catch((error) => list.append(fault(error)))))));
    } catch (error) {
        replace(list, /** @type {any} */ (error).status === 403 ? null : fault(error));
    }
}

/** @param {import("../navstate.js").TokenHeading} token @param {() => void} revoke */
function tokenLine({ id, scope, name, createdAt, expiresAt, commands, routes }, revoke) {
    const until = expiresAt ? `until ${localTime(expiresAt)}` : "no expiration";
    const limits = [commands && `only ${commands.join(", ")}`, routes && `to ${routes.join(", ")}`].filter(Boolean).join(" ");
    const made = createdAt ? `made ${timeAgo(createdAt)}, ` : "";
    return h("li", {}, h("span", { title: id }, h("strong", { text: name ?? `Unnamed ${id}` }),
        h("span", { class: "dim", text: ` ${scopeNames[scope]}${limits && ` ${limits}`} · ${made}${until}` })),
        h("button", {
            type: "button", class: "small", text: "Revoke", "aria-label": `Revoke ${name ?? id}`,
            data: { key: `revoke-${id}` }, onclick: revoke,
        }));
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

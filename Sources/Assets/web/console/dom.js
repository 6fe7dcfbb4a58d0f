// Elements, and the messages that every part of the console can show.
//
// Views are functions that make elements from the state. `replace` puts them in place of the old
// ones and restores the focus to the element with the same `data-key`, so that a change by another
// client does not interrupt someone who is using the keyboard.

/**
 * Makes an element. `class`, `text` and `on…` mean what they say, `data` fills the dataset;
 * everything else is an attribute, omitted if it is undefined, null or false.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key === "class") element.className = value;
        else if (key === "text") element.textContent = value;
        else if (key === "data") Object.assign(element.dataset, value);
        else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? "" : String(value));
    }
    element.append(...present(children));
    return element;
}

/** @param {(Node | string | null | undefined | false)[]} children */
function present(children) {
    return /** @type {(Node | string)[]} */ (
        children.filter((child) => child !== null && child !== undefined && child !== false));
}

const svgNamespace = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Record<string, any>} attributes @param {...Node} children */
export function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS(svgNamespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.append(...children);
    return element;
}

/** @param {Element} place @param {...(Node | string | null | undefined | false)} children */
export function replace(place, ...children) {
    const active = document.activeElement;
    const key = active instanceof HTMLElement && place.contains(active) ? active.dataset.key : undefined;
    // It stays scrolled where it was, as far as the new children reach.
    place.replaceChildren(...present(children));
    if (key) giveFocus(place, key);
}

/**
 * Focuses the element with this `key`; if it is gone or disabled, the element that replaces it, and
 * otherwise the area around it, but never the beginning of the page.
 *
 * @param {Element} place
 * @param {string} key
 */
export function giveFocus(place, key) {
    const usable = (/** @type {string} */ selector) => [...place.querySelectorAll(selector)].find(
        (element) => !element.matches(":disabled") && !element.closest("[inert]"));
    const heir = usable(`[data-key="${CSS.escape(key)}"]`) ?? usable("[data-heir]")
        ?? place.closest("[tabindex]");
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
}

/** @param {string} id @returns {any} */
export function byId(id) {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element;
}

/**
 * Tells screen readers.
 *
 * @param {string} text
 */
export function announce(text) {
    const region = byId("announcer");
    // A screen reader would not read the same text twice.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

const noticeMilliseconds = 7_000;

/**
 * Shows a notice for a while; a refusal stays until it is closed or the next one comes. An action is a
 * button beside the words.
 *
 * @param {string} text
 * @param {{ kind?: "info" | "problem", title?: string, code?: string,
 *   action?: { text: string, run: () => void } }} options
 */
export function notify(text, { kind = "info", title, code, action } = {}) {
    const close = h("button", {
        type: "button", class: "icon-button", "aria-label": "Close",
        onclick: () => notice.remove(), text: "✕",
    });
    const words = h("div", { class: "notice-words" },
        title && h("strong", { text: title }), h("span", { text }), code && h("code", { text: code }));
    const act = action && h("button", { type: "button", class: "small", text: action.text, onclick: () => {
        notice.remove();
        action.run();
    } });
    const notice = h("div", { class: `notice ${kind}` }, words, act, close);
    const region = byId(kind === "problem" ? "alerts" : "notices");
    if (kind === "problem") region.replaceChildren(notice);
    else {
        region.append(notice);
        setTimeout(() => notice.remove(), noticeMilliseconds);
    }
}

/**
 * Shows why a request failed, in the words of the server.
 *
 * @param {any} error
 */
export function notifyError(error) {
    if (error?.name === "AbortError") return;
    if (error?.problem) {
        notify(error.message, { kind: "problem", title: error.problem.title, code: error.code });
    } else {
        // Browsers say "Failed to fetch" or "Load failed", which explains nothing.
        const isNetwork = error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
        notify(isNetwork ? "It was not carried out. Try again when the connection is back." : String(error?.message ?? error),
            { kind: "problem", title: isNetwork ? "The server did not answer" : "That did not work" });
    }
}

/** @param {string} text @param {string} what For the announcement. */
export async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // Pages loaded over plain HTTP have no clipboard API; the old way still works there.
        const field = h("textarea", { class: "visually-hidden", "aria-hidden": "true" });
        field.value = text;
        (document.querySelector("dialog[open]") ?? document.body).append(field);
        field.select();
        document.execCommand("copy");
        field.remove();
    }
    announce(`${what} copied`);
}

/**
 * A button that copies, and says so for a moment.
 *
 * @param {string} what
 * @param {() => string} text
 * @param {string} [label] The text of the button.
 */
export function copyButton(what, text, label = "Copy") {
    const button = h("button", {
        type: "button", class: "small", "aria-label": `Copy ${what}`, text: label,
        data: { key: `copy-${what}` },
        onclick: async () => {
            await copy(text(), what);
            button.textContent = "Copied";
            setTimeout(() => (button.textContent = label), 1_200);
        },
    });
    return button;
}

/**
 * A line of code that can be scrolled and copied.
 *
 * @param {string} label For screen readers.
 * @param {string} what The name of what is copied.
 * @param {string} text
 */
export function codeLine(label, what, text) {
    return h("div", { class: "curl-line" },
        h("code", { class: "curl-text", tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-label": label,
            data: { key: `code-${what}` }, text }),
        copyButton(what, () => text));
}

/**
 * A dialog over the page. When it is closed, it is removed, and the focus returns to the element
 * that had it, or to the one that has been drawn in its place.
 *
 * @param {string} title
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function openDialog(title, ...children) {
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" },
        h("header", { class: "dialog-head" },
            h("h2", { id: "dialog-title", text: title }),
            h("button", {
                type: "button", class: "icon-button", "aria-label": "Close", text: "✕",
                onclick: () => dialog.close(),
            })),
        ...children);
    const opener = document.activeElement;
    const area = opener?.closest("section[tabindex]") ?? document.body;
    dialog.addEventListener("close", () => {
        dialog.remove();
        const isLost = document.activeElement === document.body;
        if (isLost && opener instanceof HTMLElement) giveFocus(area, opener.dataset.key ?? "");
    });
    // A click on the backdrop is a click on the dialog itself, outside its box.
    dialog.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
        if (event.target !== dialog) return;
        const box = dialog.getBoundingClientRect();
        const isInside = event.clientX >= box.left && event.clientX <= box.right
            && event.clientY >= box.top && event.clientY <= box.bottom;
        if (!isInside) dialog.close();
    });
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

const idMax = 24;
const idEnd = 14;

/**
 * A name that is shortened in the middle where there is no room for it: ids differ most at their end.
 * The whole is its tooltip.
 *
 * @param {string} id @param {Record<string, any>} [attributes]
 */
export function shortened(id, attributes = {}) {
    if (id.length <= idMax) return h("span", { title: id, ...attributes, text: id });
    return h("span", { title: id, ...attributes, class: `shortened ${attributes.class ?? ""}`.trim() },
        h("span", { text: id.slice(0, -idEnd) }), h("span", { text: id.slice(-idEnd) }));
}

/** @param {string} iso */
export function timeAgo(iso) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000));
    if (seconds < 5) return "now";
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
    return `${Math.floor(seconds / 86_400)} d ago`;
}

/**
 * A moment in local time, `2026-11-26 17:22:46`. The first call of `toLocaleString` takes longer than
 * drawing a session.
 *
 * @param {string} iso
 */
export function localTime(iso) {
    const date = new Date(iso);
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 19).replace("T", " ");
}

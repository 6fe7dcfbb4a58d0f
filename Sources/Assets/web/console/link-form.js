// One of an app's link patterns as a form: a field for each capture, and a button that uses the URL.
import { h } from "./dom.js";

const capture = /\{([A-Za-z0-9._~-]+)([*?]?)\}/g;
const depthMax = 6;

/**
 * The path and the query of a pattern, and those of its fragment if it has one.
 *
 * @param {string} pattern
 */
function parts(pattern) {
    const hash = pattern.indexOf("#");
    return (hash < 0 ? [pattern] : [pattern.slice(0, hash), pattern.slice(hash + 1)]).map((text) => {
        const mark = text.indexOf("?");
        return mark < 0 ? { path: text, query: "" } : { path: text.slice(0, mark), query: text.slice(mark + 1) };
    });
}

/**
 * The captures of a pattern, in order.
 *
 * @param {string} pattern
 * @returns {{ name: string, isRest: boolean, isQuery: boolean }[]}
 */
export function captures(pattern) {
    const found = (/** @type {string} */ text, /** @type {boolean} */ isQuery) =>
        [...text.matchAll(capture)].map((match) => ({ name: match[1], isRest: match[2] === "*", isQuery }));
    return parts(pattern).flatMap(({ path, query }) => [...found(path, false), ...found(query, true)]);
}

/**
 * The URL of a pattern with its captures filled in. A query item without a value is left out.
 *
 * @param {string} pattern @param {Record<string, string>} values
 */
export function filled(pattern, values) {
    const fill = (/** @type {string} */ text) => text.replaceAll(capture, (_, name, sign) =>
        (sign === "*" ? (values[name] ?? "").split("/").map(encodeURIComponent).join("/") : encodeURIComponent(values[name] ?? "")));
    return parts(pattern).map(({ path, query }) => {
        const items = query.split("&").filter((item) => {
            const [found] = captures(`?${item}`);
            return item !== "" && (!found || Boolean(values[found.name]));
        });
        return fill(path) + (items.length > 0 ? `?${items.map(fill).join("&")}` : "");
    }).join("#");
}

/**
 * The type that the app demands of a capture, such as `integer`, as far as the schema tells it.
 *
 * @param {any} app @param {any} link @param {string} name
 * @returns {string | undefined}
 */
export function captureType(app, link, name) {
    const entries = [...(link.path ?? []), ...(link.present ? [link.present, ...(link.present.path ?? [])] : [])];
    for (const entry of entries) {
        const params = typeof entry === "string" ? undefined : entry.params;
        const type = params && typeIn(app, app.routes?.[entry.route]?.params, params, name, 0);
        if (type) return type;
    }
    return undefined;
}

/**
 * @param {any} app @param {any} schema @param {any} value @param {string} name @param {number} depth
 * @returns {string | undefined}
 */
function typeIn(app, schema, value, name, depth) {
    const reference = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? "")?.[1];
    const found = reference ? app.$defs?.[reference] : schema;
    if (depth > depthMax || !found) return undefined;
    if (value === `{${name}}` || value === `{${name}*}`) return [found.type ?? (found.enum && found.enum.join(" or "))].flat().join(" or ") || undefined;
    if (value === null || typeof value !== "object") return undefined;
    for (const [key, item] of Object.entries(value)) {
        const type = typeIn(app, found.properties?.[key], item, name, depth + 1);
        if (type) return type;
    }
    return undefined;
}

/**
 * The patterns that a URL nearly matches, with the difference of each.
 *
 * @param {{ pattern: string, detail: string }[] | undefined} links
 */
export function nearLinks(links) {
    if (!links || links.length === 0) return null;
    return h("ul", { class: "near", "aria-label": "Similar links" },
        ...links.map(({ pattern, detail }) => h("li", {}, h("code", { text: pattern }), ` – ${detail}`)));
}

/**
 * @param {any} app @param {any} link
 * @param {(url: string) => void} use Called with the URL, when all that it needs is filled in.
 */
export function linkForm(app, link, use) {
    const fields = captures(link.pattern).map((found) => {
        const type = captureType(app, link, found.name);
        const input = h("input", { type: "text", required: !found.isQuery, autocomplete: "off", spellcheck: "false",
            inputmode: type === "integer" ? "numeric" : undefined, placeholder: type ?? "text",
            "aria-label": `${found.name} of ${link.pattern}` });
        return { ...found, input };
    });
    const submit = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        use(filled(link.pattern, Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim()]))));
    };
    return h("form", { class: "pattern-form", onsubmit: submit },
        h("div", { class: "pattern-head" }, h("code", { class: "pattern", text: link.pattern }),
            h("button", { type: "submit", class: "small", text: "Try", "aria-label": `Try ${link.pattern}`, data: { key: `try-${link.pattern}` } })),
        fields.length > 0 ? h("div", { class: "pattern-fields" }, ...fields.map(({ name, input }) =>
            h("label", {}, h("span", { text: name }), input))) : null);
}

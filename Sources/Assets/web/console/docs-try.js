// The form that sends an operation's request to this server, its curl line, and the response. A
// stream is shown as it arrives, until it is stopped.
import { announce, byId, copyButton, h } from "./dom.js";
import { curlLine, quoted } from "./curl.js";
import { indented } from "./exact.js";
import { highlighted } from "./json.js";

/** @typedef {import("./docs-schema.js").Document} Document */

const shownCharactersMax = 200_000;

/** @param {Document} api @param {any} item @param {any} content @returns {HTMLElement} */
export function tryForm(api, item, content) {
    const fields = item.parameters.map(
        (/** @type {any} */ parameter) => parameterField(api, item, parameter),
    );
    const example = content ? api.example(content) : undefined;
    const body = content ? h("textarea", { rows: "5", class: "code", spellcheck: "false", id: `try-${item.id}-body` }) : null;
    if (body) body.value = example === undefined ? "{}" : JSON.stringify(example, null, 2);
    const result = h("div", { class: "try-result", "aria-live": "polite" });
    const stop = h("button", { type: "button", text: "Stop", hidden: true });
    const read = () => request(item, fields, body?.value);
    const curl = h("code", { class: "curl-text", tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-label": "curl line" });
    const show = () => (curl.textContent = line(read()));
    const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const ending = new AbortController();
        stop.hidden = false;
        stop.onclick = () => ending.abort();
        await send(read(), result, ending.signal);
        stop.hidden = true;
    };
    const main = fields.filter((/** @type {any} */ field) => field.parameter.in !== "header");
    const headers = fields.filter((/** @type {any} */ field) => field.parameter.in === "header");
    show();
    return h("form", { class: "try", onsubmit: submit, oninput: show },
        h("div", { class: "try-fields" }, ...main.map((/** @type {any} */ field) => field.element)),
        headers.length > 0 ? h(
            "details", {}, h("summary", { text: "Headers" }),
            h(
                "div", { class: "try-fields" },
                ...headers.map((/** @type {any} */ field) => field.element),
            ),
        ) : null,
        body ? h(
            "div", { class: "field" }, h("label", { for: body.id, text: "Body (JSON)" }), body,
        ) : null,
        h("div", { class: "try-buttons" },
            h("button", { type: "submit", class: "primary", text: "Send" }), stop),
        h("div", { class: "curl-line" }, curl, copyButton(`curl line of ${item.id}`, () => line(read()))),
        result);
}

/** @param {Document} api @param {any} item @param {any} parameter */
function parameterField(api, item, parameter) {
    const id = `try-${item.id}-${parameter.name}`;
    const schema = api.schema(parameter.schema);
    const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
    const control = values && !parameter.required
        ? h(
            "select", { id }, h("option", { value: "", text: "—" }),
            // A field cannot distinguish an empty value from none, so it is not offered.
            ...values.filter((/** @type {any} */ value) => value !== "").map(
                (/** @type {any} */ value) => h("option", { value, text: String(value) }),
            ),
        )
        : h(
            "input",
            {
                type: "text", id, autocomplete: "off", spellcheck: "false",
                required: parameter.required,
            },
        );
    const element = h("div", { class: "field" }, h("label", { for: id }, parameter.name, h("span", { class: "dim", text: ` ${parameter.in}` })), control);
    return { parameter, element, value: () => control.value };
}

/** @param {any} item @param {any[]} fields @param {string | undefined} body */
function request(item, fields, body) {
    const query = new URLSearchParams();
    /** @type {Record<string, string>} */
    const headers = {};
    let { path } = item;
    for (const { parameter, value } of fields) {
        if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value()));
        else if (value() === "") continue;
        else if (parameter.in === "query") query.append(parameter.name, value());
        else headers[parameter.name] = value();
    }
    const token = byId("token").value.trim();
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return { method: item.method.toUpperCase(), url: location.origin + path + (String(query) ? `?${query}` : ""), headers, body };
}

/** @param {ReturnType<typeof request>} sent */
function line({ method, url, headers, body }) {
    const own = Object.entries(headers).filter(
        ([name]) => name !== "Authorization" && name !== "Content-Type",
    )
        .flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]);
    return curlLine({ method, url, body }, "Authorization" in headers, own);
}

/**
 * @param {ReturnType<typeof request>} sent
 * @param {HTMLElement} result
 * @param {AbortSignal} signal
 */
async function send({ method, url, headers, body }, result, signal) {
    const head = h("p", {}, "…");
    const text = h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": "Response" });
    result.replaceChildren(head);
    try {
        const response = await fetch(url, { method, headers, body, signal, cache: "no-store" });
        head.replaceChildren(h("strong", { class: response.ok ? "status-good" : "status-bad", text: `${response.status} ${response.statusText}` }),
            ...["etag", "location", "preference-applied", "retry-after"].filter((name) => response.headers.has(name)).map((name) => h("code", { text: ` ${name}: ${response.headers.get(name)}` })));
        announce(`Response ${response.status}`);
        result.append(text);
        await show(response, text);
    } catch (error) {
        if (signal.aborted) head.append(h("span", { class: "dim", text: " stopped" }));
        else head.replaceChildren(
            h("span", { class: "form-error", text: /** @type {Error} */ (error).message }),
        );
    }
}

/** @param {Response} response @param {HTMLElement} place */
async function show(response, place) {
    const type = response.headers.get("content-type") ?? "";
    if (/json$|json;/.test(type) && !type.includes("ndjson")) {
        const text = await response.text();
        place.replaceChildren(...(text ? highlighted(indented(text)) : []));
        return;
    }
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        place.textContent = (place.textContent + part.value).slice(-shownCharactersMax);
    }
    if (!place.textContent) place.remove();
}

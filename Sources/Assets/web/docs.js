// The API page: /openapi.json, drawn. It knows as much of OpenAPI as that document uses.
//
//     docs          this file: contents, operations, parameters, responses
//     console/docs-search   the search over the contents
//     console/docs-text     descriptions (the Markdown that they use)
//     console/docs-schema   schemas, opened on demand
//     console/docs-try      the form that sends a request, and the response
//
// An operation is drawn when it is opened: there are many, and few are read.
import { byId, codeLine, h } from "./console/dom.js";
import { searchField } from "./console/docs-search.js";
import { textBlocks, textLine } from "./console/docs-text.js";
import { highlighted } from "./console/json.js";
import { Document, schemaView } from "./console/docs-schema.js";
import { tryForm } from "./console/docs-try.js";

const methods = ["get", "post", "put", "patch", "delete"];

await start();

async function start() {
    const token = byId("token");
    token.value = sessionStorage.getItem("token") ?? localStorage.getItem("token") ?? "";
    byId("token-form").addEventListener(
        "submit", (/** @type {Event} */ event) => event.preventDefault(),
    );
    token.addEventListener("input", () => sessionStorage.setItem("token", token.value.trim()));
    try {
        const response = await fetch("/openapi.json");
        if (!response.ok) throw new Error(`/openapi.json returned ${response.status}`);
        draw(new Document(await response.json()));
    } catch (error) {
        byId("content").replaceChildren(
            h("p", { class: "form-error", text: /** @type {Error} */ (error).message }),
        );
    }
}

/** @param {Document} api */
function draw(api) {
    const { info, tags } = api.root;
    const operations = allOperations(api);
    byId("content").replaceChildren(
        introduction(info),
        ...tags.map((/** @type {any} */ tag) => section(api, tag, operations)));
    const items = operations.map((item) => ({ id: item.id, tag: item.tag, words: searched(api, item), link: contentsLine(item) }));
    byId("contents").replaceChildren(searchField(items),
        ...tags.map((/** @type {any} */ tag) => h("section", {}, h("h2", { text: tag.name }),
            h("ul", {}, ...items.filter((item) => item.tag === tag.name).map((item) => item.link)))));
    addEventListener("hashchange", openNamed);
    openNamed();
}

/**
 * The beginning: what it is, the first commands to try, and the rules for later.
 *
 * @param {any} info
 */
function introduction(info) {
    const blocks = textBlocks(info.description);
    const isRules = (/** @type {HTMLElement} */ block) => block.localName === "ul";
    return h("header", { class: "intro" },
        h("h2", { text: "Start" }),
        ...blocks.filter((block) => !isRules(block)).map((block) => block.localName === "pre" ? commands(block) : block),
        h("p", {}, "Then look at the session in the ", h("a", { href: "/#session=kiosk-1", text: "console" }),
            ". Each operation below has a form that sends it to this server; ",
            h("a", { href: "/problems", text: "every problem" }), " has a page."),
        h("details", { class: "rules" }, h("summary", { text: `Rules that hold everywhere (${info.title} API ${info.version})` }), ...blocks.filter(isRules)));
}

/** @param {HTMLElement} block Lines that are written for any server. */
function commands(block) {
    const lines = (block.textContent ?? "").replaceAll("http://127.0.0.1:8080", location.origin).trim().split("\n");
    return h("ol", { class: "commands" }, ...lines.map((line, index) => h("li", {}, codeLine(`Command ${index + 1}`, `command ${index + 1}`, line))));
}

/** @param {Document} api @param {ReturnType<typeof allOperations>[number]} item */
function searched(api, { id, method, path, summary, operation }) {
    const [content] = Object.values(operation.requestBody?.content ?? {});
    const names = content ? [...api.names(content.schema)].join(" ") : "";
    return `${id} ${method} ${path} ${summary} ${operation.description ?? ""} ${names}`.toLowerCase();
}

/** @param {ReturnType<typeof allOperations>[number]} item */
function contentsLine(item) {
    return h("li", {}, h("a", { href: `#${item.id}` }, methodChip(item.method), h("span", { text: item.summary })));
}

/**
 * Operations in the order of the document.
 *
 * @param {Document} api
 */
function allOperations(api) {
    return Object.entries(api.root.paths).flatMap(([path, item]) =>
        methods.filter((method) => item[method]).map((method) => {
            const operation = item[method];
            const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
                .map((parameter) => api.resolve(parameter));
            return {
                id: operation.operationId, tag: operation.tags[0], summary: operation.summary,
                method, path, operation, parameters,
            };
        }));
}

/** @param {Document} api @param {any} tag @param {ReturnType<typeof allOperations>} operations */
function section(api, tag, operations) {
    return h("section", { class: "tag", "aria-labelledby": `tag-${tag.name}` },
        h("h2", { id: `tag-${tag.name}`, text: tag.name }), ...textBlocks(tag.description),
        ...operations.filter((item) => item.tag === tag.name).map((item) => operationView(api, item)));
}

/** @param {Document} api @param {ReturnType<typeof allOperations>[number]} item */
function operationView(api, item) {
    const body = h("div", { class: "operation-body" });
    const view = h("details", { class: "operation", id: item.id },
        h(
            "summary", {}, methodChip(item.method), h("code", { class: "path", text: item.path }),
            h("span", { class: "dim", text: item.summary }),
        ),
        body);
    view.addEventListener("toggle", () => {
        if (!view.open || body.childElementCount > 0) return;
        body.append(...operationBody(api, item));
    });
    return view;
}

/** @param {string} method */
function methodChip(method) {
    return h("span", { class: `method ${method}`, text: method.toUpperCase() });
}

/** @param {Document} api @param {ReturnType<typeof allOperations>[number]} item */
function operationBody(api, item) {
    const { operation, parameters } = item;
    const body = operation.requestBody ? api.resolve(operation.requestBody) : null;
    const [, content] = Object.entries(body?.content ?? {})[0] ?? [];
    return [
        h("div", { class: "operation-text" }, ...textBlocks(operation.description ?? ""),
            parameters.length > 0 ? part("Parameters", parameterList(api, parameters)) : null,
            content ? part(body.required ? "Body" : "Body (optional)", schemaView(api, content.schema)) : null,
            part("Responses", answers(api, operation.responses))),
        h("div", { class: "operation-side" }, part("Try it", tryForm(api, item, content)), exampleView(api, operation.responses)),
    ];
}

/** @param {Document} api @param {Record<string, any>} responses An example of what comes back, if there is one. */
function exampleView(api, responses) {
    for (const [status, reference] of Object.entries(responses)) {
        const example = api.example(Object.values(api.resolve(reference).content ?? {})[0]);
        if (!/^2/.test(status) || example === undefined) continue;
        const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
        return part(`Example of a response: ${status}`, h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": "Example of a response" }, ...highlighted(text)));
    }
    return null;
}

/** @param {string} title @param {Node} content */
function part(title, content) {
    return h("section", { class: "part" }, h("h3", { text: title }), content);
}

/** @param {Document} api @param {any[]} parameters */
function parameterList(api, parameters) {
    return h("dl", { class: "members" }, ...parameters.flatMap((parameter) => [
        h("dt", {}, h("code", { text: parameter.name }), h("span", { class: "dim", text: ` ${parameter.in}${parameter.required ? ", required" : ""}` })),
        h(
            "dd", {},
            h(
                "p", {}, h("span", { class: "type", text: api.typeName(parameter.schema) }), " ",
                ...textLine(parameter.description ?? ""),
            ),
        ),
    ]));
}

/** @param {Document} api @param {Record<string, any>} responses */
function answers(api, responses) {
    return h("dl", { class: "members answers" }, ...Object.entries(responses).flatMap(([status, reference]) => {
        const response = api.resolve(reference);
        const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
        const headers = Object.keys(response.headers ?? {});
        const isError = !/^2|^3/.test(status);
        return [
            h("dt", {}, h("code", { class: isError ? "status-bad" : "status-good", text: status })),
            h("dd", {}, h("p", {}, ...textLine(response.description ?? ""), headers.length > 0 ? h("span", { class: "dim", text: ` Headers: ${headers.join(", ")}.` }) : null),
                // The form of refusals is the same everywhere, so it is shown only once.
                content?.schema && !isError ? h(
                    "details", {}, h("summary", { text: type }), schemaView(api, content.schema),
                ) : null),
        ];
    }));
}

function openNamed() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLDetailsElement)) return;
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary")?.focus({ preventScroll: true });
}

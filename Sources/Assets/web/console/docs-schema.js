// The document with its references, and schemas as lists of members that are opened on demand.
import { h } from "./dom.js";
import { textLine } from "./docs-text.js";

export class Document {
    /** @param {any} root */
    constructor(root) {
        this.root = root;
    }

    /**
     * The value that a `$ref` names; any other value is returned as it is.
     *
     * @param {any} value
     * @returns {any}
     */
    resolve(value) {
        if (typeof value?.$ref !== "string") return value;
        const steps = value.$ref.replace(/^#\//, "").split("/")
            .map((/** @type {string} */ step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
        const target = steps.reduce(
            (/** @type {any} */ at, /** @type {string} */ step) => at?.[step], this.root,
        );
        return this.resolve(target ?? {});
    }

    // The document uses `allOf` with one reference to add a description to it.
    /** @param {any} schema @returns {any} */
    schema(schema) {
        const found = this.resolve(schema) ?? {};
        if (found.allOf?.length !== 1) return found;
        const { allOf, ...rest } = found;
        return { ...this.schema(allOf[0]), ...rest };
    }

    /**
     * The schemas of which a value fits one.
     *
     * @param {any} found
     * @returns {any[] | undefined}
     */
    choices(found) {
        return found.oneOf ?? (found.properties ? undefined : found.anyOf);
    }

    /** @param {any} schema @returns {string} */
    typeName(schema) {
        const own = /\/([^/]+)$/.exec(schema?.$ref ?? schema?.allOf?.[0]?.$ref ?? "")?.[1];
        const found = this.schema(schema);
        if (found.enum) return found.enum.map(
            (/** @type {any} */ value) => JSON.stringify(value),
        ).join(" | ");
        if (found.const !== undefined) return JSON.stringify(found.const);
        const choices = this.choices(found);
        if (choices) return choices.map((item) => this.typeName(item)).join(" | ");
        if (found.type === "array") return `${this.typeName(found.items ?? {})}[]`;
        if (found.type === "object" && own) return own;
        return [found.type].flat().filter(Boolean).join(" | ") || "any JSON";
    }

    /**
     * An example body, where the document has one.
     *
     * @param {any} content
     */
    example(content) {
        const named = Object.values(content?.examples ?? {})[0];
        return content?.example ?? this.resolve(named)?.value ?? this.schema(content?.schema)?.example;
    }
}

/** @param {Document} api @param {any} schema @returns {HTMLElement} */
export function schemaView(api, schema) {
    const found = api.schema(schema);
    if (found.type === "array" && isOpenable(api, found.items)) return schemaView(api, found.items);
    const choices = api.choices(found);
    if (choices && !found.properties) {
        return h("div", { class: "choices" }, ...choices.map((item) =>
            isOpenable(api, item) ? opened(api, item, api.typeName(item)) : h(
                "p", {}, h("span", { class: "type", text: api.typeName(item) }),
            )));
    }
    if (!found.properties) {
        return h(
            "p", {}, h("span", { class: "type", text: api.typeName(schema) }), " ",
            ...textLine(found.description ?? ""),
        );
    }
    const required = new Set(found.required ?? []);
    return h("dl", { class: "members" }, ...Object.entries(found.properties).flatMap(([name, property]) =>
        member(api, name, property, required.has(name))));
}

/** @param {Document} api @param {string} name @param {any} property @param {boolean} isRequired */
function member(api, name, property, isRequired) {
    const found = api.schema(property);
    const notes = [
        found.default !== undefined && `default ${JSON.stringify(found.default)}`,
        found.minimum !== undefined && `at least ${found.minimum}`,
        found.maxLength !== undefined && `at most ${found.maxLength} characters`,
        found.maxItems !== undefined && `at most ${found.maxItems}`,
    ].filter(Boolean);
    return [
        h(
            "dt", {}, h("code", { text: name }),
            isRequired ? h("span", { class: "dim", text: " required" }) : null,
        ),
        h("dd", {},
            h("p", {}, h("span", { class: "type", text: api.typeName(property) }), " ", ...textLine(found.description ?? ""),
                notes.length > 0 ? h("span", { class: "dim", text: ` (${notes.join(", ")})` }) : null),
            isOpenable(api, property) ? opened(api, property, "Members") : null),
    ];
}

// Made when it is opened, so that recursive schemas do no harm.
/** @param {Document} api @param {any} schema @param {string} title */
function opened(api, schema, title) {
    const details = h("details", {}, h("summary", { text: title }));
    details.addEventListener("toggle", () => {
        if (details.open && details.childElementCount === 1) details.append(schemaView(api, schema));
    });
    return details;
}

/** @param {Document} api @param {any} schema @returns {boolean} */
function isOpenable(api, schema) {
    const found = api.schema(schema);
    if (found.type === "array") return isOpenable(api, found.items ?? {});
    return Boolean(
        found.properties || api.choices(found)?.some((item) => isOpenable(api, item)),
    );
}

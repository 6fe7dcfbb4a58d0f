// The document with its references, and schemas as lists of members that are opened on demand.
import { h } from "./dom.js";
import { textBlocks } from "./docs-text.js";

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
        if (found.enum) return found.enum.map((/** @type {any} */ value) => JSON.stringify(value)).join(" | ");
        if (found.const !== undefined) return JSON.stringify(found.const);
        const choices = this.choices(found);
        if (choices) return [...new Set(choices.map((item) => this.typeName(item)))].join(" | ");
        if (found.type === "array") {
            const item = this.typeName(found.items ?? {});
            return item.includes(" ") ? `(${item})[]` : `${item}[]`;
        }
        if (found.type === "object" && own) return own;
        if (isSchema(found.additionalProperties) && !found.properties) return `{NAME: ${this.typeName(found.additionalProperties)}}`;
        return [found.type].flat().filter(Boolean).join(" | ") || own || "any JSON";
    }

    /**
     * The names of all members that a value may have, at any depth.
     *
     * @param {any} schema @returns {Set<string>}
     */
    names(schema, found = new Set(), seen = new Set()) {
        if (schema === null || typeof schema !== "object" || seen.has(schema)) return found;
        seen.add(schema);
        const target = this.resolve(schema);
        if (target !== schema) return this.names(target, found, seen);
        for (const name of Object.keys(schema.properties ?? {})) found.add(name);
        const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties,
            ...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
        for (const part of parts) this.names(part, found, seen);
        return found;
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

/** @param {any} value Whether it is a schema that says something. */
function isSchema(value) {
    return value !== null && typeof value === "object" && Object.keys(value).length > 0;
}

/** @param {Document} api @param {any} schema @returns {HTMLElement} */
export function schemaView(api, schema) {
    const found = api.schema(schema);
    if (found.type === "array" && isOpenable(api, found.items)) return schemaView(api, found.items);
    const choices = api.choices(found);
    if (choices) {
        return h("div", { class: "choices" }, ...choices.map((item) =>
            (isOpenable(api, item) ? opened(api, item, api.typeName(item)) : typeLine(api, item))));
    }
    const rows = membersOf(found);
    if (rows.length === 0) return typeLine(api, schema);
    const required = new Set(found.required ?? []);
    return h("dl", { class: "members" }, ...rows.flatMap(({ name, isAny, schema: part }) => member(api, name, isAny, part, required.has(name))));
}

/**
 * The members that an object may have; `isAny` if the name stands for others.
 *
 * @param {any} found @returns {{ name: string, isAny: boolean, schema: any }[]}
 */
function membersOf({ properties = {}, additionalProperties, patternProperties = {} }) {
    const named = Object.entries(properties).map(([name, schema]) => ({ name, isAny: false, schema }));
    const patterns = Object.entries(patternProperties).map(([pattern, schema]) => ({ name: pattern.replace(/^\^/, "").concat("…"), isAny: true, schema }));
    const others = isSchema(additionalProperties) ? [{ name: "NAME", isAny: true, schema: additionalProperties }] : [];
    return [...named, ...patterns, ...others];
}

/** @param {Document} api @param {any} schema */
function typeLine(api, schema) {
    const [first, ...rest] = textBlocks(api.schema(schema).description ?? "");
    return h("div", { class: "described" }, h("p", {}, h("span", { class: "type", text: api.typeName(schema) }), " ", ...(first?.localName === "p" ? first.childNodes : [])),
        ...(first && first.localName !== "p" ? [first] : []), ...rest);
}

/** @param {Document} api @param {string} name @param {boolean} isAny @param {any} property @param {boolean} isRequired */
function member(api, name, isAny, property, isRequired) {
    const text = typeLine(api, property);
    const notes = notesOf(api.schema(property));
    if (notes.length > 0) text.append(h("p", { class: "dim limits", text: notes.join(" · ") }));
    return [
        h("dt", {}, isAny ? h("em", {}, h("code", { text: name })) : h("code", { text: name }), isRequired ? h("span", { class: "dim", text: " required" }) : null),
        h("dd", {}, text, isOpenable(api, property) ? membersBelow(api, property) : null),
    ];
}

/** @param {Document} api @param {any} schema The members of a value, or of each value of a map or a list. */
function membersBelow(api, schema) {
    const { properties, additionalProperties, type } = api.schema(schema);
    const isMap = isSchema(additionalProperties) && !properties;
    if (isMap && isOpenable(api, additionalProperties)) return opened(api, additionalProperties, "Members of each");
    return opened(api, schema, type === "array" ? "Members of each" : "Members");
}

/** @param {any} found @returns {string[]} The limits of a value, in words. */
function notesOf(found) {
    const range = (/** @type {number | undefined} */ least, /** @type {number | undefined} */ most, /** @type {string} */ noun) =>
        (least === undefined && most === undefined ? [] : [`${[least && `at least ${least}`, most !== undefined && `at most ${most}`].filter(Boolean).join(", ")} ${noun}`.trim()]);
    return [
        ...(found.default === undefined ? [] : [`default ${JSON.stringify(found.default)}`]),
        ...range(found.minimum, found.maximum, ""), ...range(found.minLength, found.maxLength, "characters"),
        ...range(found.minItems, found.maxItems, "items"), ...range(found.minProperties, found.maxProperties, "members"),
        ...(found.uniqueItems ? ["each once"] : []),
        ...[found.pattern, found.propertyNames?.pattern && `names: ${found.propertyNames.pattern}`].filter(Boolean),
    ].filter(Boolean);
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
    return membersOf(found).length > 0 || Boolean(api.choices(found)?.some((item) => isOpenable(api, item)));
}

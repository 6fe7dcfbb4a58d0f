// Proposals for an app's document: the members and values that its JSON Schema allows at a place, and
// the names that the document itself declares.
/**
 * @typedef {import("./json-tree.js").Value} Value
 * @typedef {import("./json-tree.js").Place} Place
 * @typedef {{ name: string, text: string, note: string }} Proposal `text` is what is put into the document, with
 *   the cursor at its first empty string or bracket.
 */

/** The lists of the document from which values of these members are taken. */
const namedIn = new Map(Object.entries({ root: "routes", route: "routes", routes: "routes", on: "routes", groups: "routes",
    guard: "guards", tab: "tabs", tabs: "tabs", in: "tabs" }));

export class AppSchema {
    /** @param {any} root The schema of an app's document, or null if there is none. */
    constructor(root) {
        this.root = root ?? {};
    }

    /**
     * The proposals that fit at the place.
     *
     * @param {Value} document @param {Place} place @returns {Proposal[]}
     */
    proposals(document, place) {
        const { path, isKey, container } = place;
        if (isKey) {
            const own = path.at(-1);
            const present = new Set(container.members.map(({ key }) => key).filter((key) => key !== own));
            return this.members(document, path.slice(0, -1)).filter(({ name }) => !present.has(name));
        }
        const found = [...namesFor(document, path), ...this.at(document, path).flatMap((schema) => valuesOf(schema))];
        return found.filter(({ text }, index) => found.findIndex((other) => other.text === text) === index);
    }

    /** @param {Value} document @param {(string | number)[]} path @returns {Proposal[]} */
    members(document, path) {
        const schemas = this.at(document, path);
        /** @type {Map<string, Proposal>} */
        const found = new Map();
        for (const { properties = {}, required = [] } of schemas) {
            for (const [name, schema] of Object.entries(properties)) {
                const parts = this.flat(schema);
                const { description = "" } = parts.find((part) => part.description) ?? {};
                if (!found.has(name)) found.set(name, { name, text: `${JSON.stringify(name)}: ${startOf(parts)}`, note: required.includes(name) ? `required. ${description}` : description });
            }
        }
        const own = path.at(-1) === "when" ? keysOf(document, "facts").map((name) => [name, "true", "a fact"])
            : path.at(-1) === "params" ? paramsAt(document, path.slice(0, -1)).map((name) => [name, '""', "a param of the route"]) : [];
        for (const [name, value, note] of own) found.set(name, { name, text: `${JSON.stringify(name)}: ${value}`, note });
        return [...found.values()];
    }

    /**
     * The schemas of the value with this path.
     *
     * @param {Value} document @param {(string | number)[]} path @returns {any[]}
     */
    at(document, path) {
        let schemas = this.flat(this.root);
        let value = /** @type {Value | undefined} */ (document);
        for (const step of path) {
            schemas = schemas.filter((schema) => step === "command" || fits(schema, value)).flatMap((schema) => this.below(schema, step));
            value = typeof step === "number" ? value?.items[step] : value?.members.find(({ key }) => key === step)?.value;
        }
        return schemas.filter((schema) => fits(schema, value));
    }

    /** @param {any} schema @param {string | number} step @returns {any[]} */
    below(schema, step) {
        if (typeof step === "number") return this.flat(schema.prefixItems?.[step] ?? schema.items);
        const [, matching] = Object.entries(schema.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern, "u").test(step)) ?? [];
        return this.flat(schema.properties?.[step] ?? matching ?? schema.additionalProperties);
    }

    /**
     * The schema and those that it is made of, without references.
     *
     * @param {any} schema @returns {any[]}
     */
    flat(schema, depth = 0) {
        if (schema === null || typeof schema !== "object" || depth > 16) return [];
        const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => this.flat(part, depth + 1));
        if (typeof schema.$ref !== "string") return [schema, ...parts];
        const target = schema.$ref.replace(/^#\/?/, "").split("/").reduce((/** @type {any} */ at, /** @type {string} */ step) =>
            (step === "" ? at : at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")]), this.root);
        const { $ref: _, ...own } = schema;
        return [...(Object.keys(own).length > 0 ? [own] : []), ...this.flat(target, depth + 1), ...parts];
    }
}

/**
 * Whether the value may be meant for this one of several schemas, which commands have by their names.
 *
 * @param {any} schema @param {Value | undefined} value
 */
function fits(schema, value) {
    const { enum: some, const: only } = schema.properties?.command ?? {};
    const [given] = textAt(value, "command");
    return given === undefined || (some ? some.includes(given) : only === undefined || only === given);
}

/** @param {any} schema @returns {Proposal[]} */
function valuesOf({ enum: some, const: only, type, examples = [] }) {
    const values = some ?? (only !== undefined ? [only] : type === "boolean" ? [true, false] : examples);
    return values.map((/** @type {any} */ value) => ({ name: String(value), text: JSON.stringify(value), note: "" }));
}

/** @param {any[]} schemas The beginning of a value. */
function startOf(schemas) {
    const { type = "", enum: some } = schemas.find((schema) => schema.type || schema.enum) ?? {};
    return some ? '""' : { object: "{}", array: "[]", string: '""' }[/** @type {string} */ ([type].flat()[0])] ?? "";
}

/** @param {Value} document @param {(string | number)[]} path @returns {Proposal[]} */
function namesFor(document, path) {
    const key = path.filter((step) => typeof step === "string").at(-1);
    const isItem = typeof path.at(-1) === "number";
    if (path.length < 3) return [];
    const list = path[0] === "groups" ? "routes" : namedIn.get(String(key));
    const isList = ["routes", "on", "tabs"].includes(String(key)) || path[0] === "groups";
    if (!list || (isList && !isItem)) return [];
    const groups = list === "routes" && isItem && key !== "path" ? keysOf(document, "groups").map((name) => `@${name}`) : [];
    return [...keysOf(document, list), ...groups].map((name) => ({ name, text: JSON.stringify(name), note: "" }));
}

/** @param {Value} document @param {string} list @returns {string[]} What the document declares there. */
function keysOf(document, list) {
    const found = document.members.find(({ key }) => key === list)?.value;
    return found?.kind === "array" ? found.items.flatMap((item) => textAt(item, "id")) : found?.members.map(({ key }) => key) ?? [];
}

/** @param {Value | undefined} value @param {string} name @returns {string[]} */
function textAt(value, name) {
    const found = value?.members.find(({ key }) => key === name)?.value.value;
    return typeof found === "string" ? [found] : [];
}

/** @param {Value} document @param {(string | number)[]} path @returns {string[]} The params of the route named there. */
function paramsAt(document, path) {
    const member = (/** @type {Value | undefined} */ value, /** @type {string | number} */ step) =>
        (typeof step === "number" ? value?.items[step] : value?.members.find(({ key }) => key === step)?.value);
    const [route] = textAt(path.reduce(member, /** @type {Value | undefined} */ (document)), "route");
    return route === undefined ? [] : (["routes", route, "params", "properties"].reduce(member, /** @type {Value | undefined} */ (document))?.members ?? []).map(({ key }) => key);
}

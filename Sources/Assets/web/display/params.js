// The params of a screen for a reader who does not know the app: no ids, and nothing that
// the title says already.
import { words } from "../console/words.js";

const rowsMax = 40;
/** Names of members that hold an id, as `id`, `userId` and `order_id`. */
const idName = /^(id|uuid|guid)$|(Id|ID|Uuid|UUID|Guid|[_.-](id|uuid|guid))s?$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * @param {Record<string, any>} params @param {any} schema Of the params, as far as it is known.
 * @param {any} definitions What a `$ref` of the schema names. @param {string} title
 * @returns {{ label: string, text: string }[]}
 */
export function readable(params, schema, definitions, title) {
    const said = ` ${spoken(title)} `;
    return [...rowsOf(params, schema, definitions)]
        .filter(({ text }) => text !== "" && !said.includes(` ${spoken(text)} `)).slice(0, rowsMax);
}

/** @param {string} text */
function spoken(text) {
    return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).join(" ").trim();
}

/**
 * @param {Record<string, any>} params @param {any} schema @param {any} definitions
 * @returns {Generator<{ label: string, text: string }>}
 */
function* rowsOf(params, schema, definitions) {
    const { properties = {} } = resolved(schema, definitions);
    for (const [name, value] of Object.entries(params)) {
        const member = resolved(Object.hasOwn(properties, name) ? properties[name] : undefined, definitions);
        if (idName.test(name)) continue;
        if (value !== null && typeof value === "object" && !Array.isArray(value)) yield* rowsOf(value, member, definitions);
        else yield { label: member.title ?? words(name), text: wordsOf(value) };
    }
}

/** @param {any} schema @param {any} definitions */
function resolved(schema, definitions) {
    const name = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? "")?.[1];
    const found = name !== undefined && Object.hasOwn(definitions ?? {}, name) ? definitions[name] : schema;
    return found !== null && typeof found === "object" ? found : {};
}

/** @param {any} value @returns {string} */
function wordsOf(value) {
    if (Array.isArray(value)) return value.filter((item) => typeof item !== "object").map(wordsOf).join(", ");
    if (typeof value === "boolean") return value ? "Yes" : "No";
    if (value === null || uuid.test(value)) return "";
    if (typeof value !== "string" || !date.test(value)) return String(value);
    const day = new Date(value.length === 10 ? `${value}T00:00` : value);
    if (Number.isNaN(day.getTime())) return value;
    return day.toLocaleString([], { dateStyle: "medium", ...(value.length === 10 ? {} : { timeStyle: "short" }) });
}

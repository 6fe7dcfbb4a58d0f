// A form made from a JSON Schema of params, and the value that was filled in.
//
// Objects become groups of fields, strings, numbers, booleans and enums fields of their kind, and
// whatever else a schema can say (arrays, alternatives, free objects) a field for JSON. What is
// optional and left empty is omitted. The form does not validate: the server does, and its messages
// are shown under the fields that their pointers name.
import { h } from "./dom.js";
import { InexactError, mayDiffer, readExactly } from "./exact.js";

/** @typedef {{ element: HTMLElement, read: () => any, fields: Map<string, HTMLElement> }} Form */

/** @typedef {{ element: HTMLElement, read: () => any }} Part Of a form. */

const depthMax = 4;
let fieldCount = 0;

/**
 * @param {any} schema Of an object.
 * @param {Record<string, any>} definitions What `$ref`s name that are not in the schema itself.
 * @param {any} [value] What the fields begin with; without it, with the schema's defaults.
 * @returns {Form}
 */
export function schemaForm(schema, definitions, value) {
    const fields = new Map();
    const context = { definitions: { ...definitions, ...schema?.$defs }, fields, value };
    const body = objectFields(context, schema ?? {}, "", 0);
    return { element: body.element, read: body.read, fields };
}

/**
 * A form for params about which nothing is known.
 *
 * @param {any} [value]
 * @returns {Form}
 */
export function freeForm(value = {}) {
    const fields = new Map();
    const field = jsonField({ fields }, "Params (JSON)", "", value, true);
    return { element: field.element, read: field.read, fields };
}

/**
 * Shows a problem's errors at their fields, and returns those that belong to no field.
 *
 * @param {Form} form
 * @param {any} problem
 * @param {string} base
 */
function showErrors(form, problem, base) {
    for (const place of form.fields.values()) {
        place.textContent = "";
        control(place)?.removeAttribute("aria-invalid");
    }
    return (problem.errors ?? []).filter((/** @type {any} */ error) => {
        const pointer = error.pointer.startsWith(base) ? error.pointer.slice(base.length) : null;
        const place = pointer === null ? undefined : form.fields.get(pointer);
        if (!place) return true;
        place.textContent = error.detail;
        control(place)?.setAttribute("aria-invalid", "true");
        return false;
    });
}

/**
 * Shows at the fields why params were refused, and returns the words for what belongs to none.
 *
 * @param {Form} form @param {unknown} thrown
 * @returns {string}
 */
export function refusal(form, thrown) {
    const { problem, message } = /** @type {any} */ (thrown);
    const rest = problem ? showErrors(form, problem, "/params") : [];
    return problem?.errors?.length > 0 && rest.length === 0 ? "Correct the marked fields." : message;
}

/** @param {HTMLElement} place */
function control(place) {
    return document.querySelector(`[aria-describedby="${place.id}"]`);
}

/** @param {any} context @param {any} schema @param {number} seen @returns {any} */
function resolved(context, schema, seen = 0) {
    const name = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? "")?.[1];
    if (!name || seen > depthMax) return schema === true || schema === undefined ? {} : schema;
    const { $ref, ...rest } = schema;
    const target = Object.hasOwn(context.definitions, name) ? context.definitions[name] : {};
    return { ...resolved(context, target, seen + 1), ...rest };
}

/**
 * @param {any} context
 * @param {any} schema
 * @param {string} pointer
 * @param {number} depth
 * @returns {Part}
 */
function objectFields(context, schema, pointer, depth) {
    const properties = Object.entries(schema.properties ?? {});
    const required = new Set(schema.required ?? []);
    const parts = properties.map(([name, property]) => {
        const child = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const found = resolved(context, property);
        const begun = context.value === undefined ? found : { ...found, default: valueAt(context.value, child) };
        const part = field(context, name, begun, child, required.has(name), depth);
        return { name, ...part };
    });
    // Members of their own whatever they are called, `__proto__` too.
    const read = () => Object.fromEntries(
        parts.map((part) => [part.name, part.read()]).filter(([, member]) => member !== undefined),
    );
    return { element: h("div", { class: "fields" }, ...parts.map((part) => part.element)), read };
}

/** @param {any} value @param {string} pointer */
function valueAt(value, pointer) {
    return pointer.split("/").slice(1).reduce((at, part) => {
        const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
        return at !== null && typeof at === "object" && Object.hasOwn(at, name) ? at[name] : undefined;
    }, value);
}

/**
 * @param {any} context
 * @param {string} name
 * @param {any} schema
 * @param {string} pointer
 * @param {boolean} isRequired
 * @param {number} depth
 * @returns {Part}
 */
function field(context, name, schema, pointer, isRequired, depth) {
    if (schema.enum || schema.const !== undefined) {
        return choice(context, name, pointer, isRequired, schema.enum ?? [schema.const], schema);
    }
    if (schema.type === "object" && schema.properties && depth < depthMax) {
        return nested(context, name, schema, pointer, isRequired, depth);
    }
    if (schema.type === "string") return text(context, name, schema, pointer, isRequired);
    if (schema.type === "integer" || schema.type === "number") return number(
        context, name, schema, pointer, isRequired,
    );
    if (schema.type === "boolean") return choice(
        context, name, pointer, isRequired, [true, false], schema,
    );
    return jsonField(context, `${name} (JSON)`, pointer, schema.default, isRequired);
}

/**
 * @param {any} context
 * @param {string} label
 * @param {string} pointer
 * @param {boolean} isRequired
 * @param {any} control
 * @param {string} [description]
 */
function labelled(context, label, pointer, isRequired, control, description) {
    fieldCount += 1;
    control.id = `field-${fieldCount}`;
    const error = h("span", { class: "field-error", id: `field-error-${fieldCount}` });
    control.setAttribute("aria-describedby", error.id);
    if (isRequired) control.setAttribute("aria-required", "true");
    context.fields.set(pointer, error);
    return h("div", { class: "field" },
        h(
            "label", { for: control.id }, label,
            isRequired ? null : h("span", { class: "dim", text: " optional" }),
        ),
        description ? h("span", { class: "dim", text: description }) : null, control, error);
}

/**
 * @param {any} context
 * @param {string} name
 * @param {any} schema
 * @param {string} pointer
 * @param {boolean} isRequired
 */
function text(context, name, schema, pointer, isRequired) {
    const input = h("input", { type: "text", autocomplete: "off", value: schema.default });
    // An empty text is a value if the field is required, and no value otherwise.
    const read = () => (input.value === "" && !isRequired ? undefined : input.value);
    return {
        element: labelled(context, name, pointer, isRequired, input, schema.description), read,
    };
}

/**
 * @param {any} context
 * @param {string} name
 * @param {any} schema
 * @param {string} pointer
 * @param {boolean} isRequired
 */
function number(context, name, schema, pointer, isRequired) {
    const input = h("input", {
        type: "text", inputmode: schema.type === "integer" ? "numeric" : "decimal",
        autocomplete: "off", value: schema.default,
    });
    const read = () => {
        const trimmed = input.value.trim();
        if (trimmed === "") return undefined;
        const value = Number(trimmed);
        if (Number.isNaN(value)) return input.value;
        return mayDiffer(value) ? readExactly(trimmed) : value;
    };
    return {
        element: labelled(context, name, pointer, isRequired, input, schema.description), read,
    };
}

/**
 * @param {any} context
 * @param {string} name
 * @param {string} pointer
 * @param {boolean} isRequired
 * @param {any[]} values
 * @param {any} schema
 */
function choice(context, name, pointer, isRequired, values, schema) {
    const start = schema.default ?? (isRequired ? values[0] : undefined);
    const select = h("select", {},
        isRequired ? null : h("option", { value: "", text: "—" }),
        ...values.map((value, index) => h("option", {
            value: String(index), selected: value === start,
            text: typeof value === "string" ? value : JSON.stringify(value),
        })));
    const read = () => (select.value === "" ? undefined : values[Number(select.value)]);
    return {
        element: labelled(context, name, pointer, isRequired, select, schema.description), read,
    };
}

/**
 * @param {any} context
 * @param {string} name
 * @param {any} schema
 * @param {string} pointer
 * @param {boolean} isRequired
 * @param {number} depth
 * @returns {Part}
 */
function nested(context, name, schema, pointer, isRequired, depth) {
    const body = objectFields(context, schema, pointer, depth + 1);
    const error = h("span", { class: "field-error" });
    context.fields.set(pointer, error);
    if (isRequired) {
        const element = h("fieldset", {}, h("legend", { text: name }),
            schema.description ? h(
                "p", { class: "dim", text: schema.description },
            ) : null, error, body.element);
        return { element, read: body.read };
    }
    const include = h("input", { type: "checkbox", checked: context.value !== undefined && schema.default !== undefined });
    body.element.hidden = !include.checked;
    include.addEventListener("change", () => (body.element.hidden = !include.checked));
    const element = h("fieldset", {},
        h("legend", {}, h("label", {}, include, ` ${name}`, h("span", { class: "dim", text: " optional" }))),
        schema.description ? h(
            "p", { class: "dim", text: schema.description },
        ) : null, error, body.element);
    return { element, read: () => (include.checked ? body.read() : undefined) };
}

/**
 * @param {any} context
 * @param {string} label
 * @param {string} pointer
 * @param {any} value
 * @param {boolean} isRequired
 */
function jsonField(context, label, pointer, value, isRequired) {
    const area = h("textarea", { rows: "4", spellcheck: "false", class: "code" });
    area.value = value === undefined ? "" : JSON.stringify(value, null, 2);
    const read = () => {
        if (area.value.trim() === "") return isRequired && pointer === "" ? {} : undefined;
        try {
            return readExactly(area.value);
        } catch (error) {
            if (error instanceof InexactError) throw error;
            throw new Error(`${label}: this is not valid JSON. Texts and members need double quotes.`);
        }
    };
    return { element: labelled(context, label, pointer, isRequired, area), read };
}

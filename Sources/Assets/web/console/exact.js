// JSON with its numbers as they are written. A number of JavaScript keeps an integer only up to
// 2^53, and the server keeps those of 64 bits. Values that are read here can be sent again unchanged.

/**
 * Reads JSON. A number that JavaScript would write differently becomes an object that
 * `JSON.stringify` writes as it was, so the value is there to be sent or written, and not to be
 * calculated with. A browser that cannot do that refuses an integer that it would change.
 *
 * @param {string} text
 * @returns {any}
 */
export function readExactly(text) {
    // The types do not know them yet.
    const { parse, rawJSON } = /** @type {any} */ (JSON);
    return parse(text, (/** @type {any[]} */ ...[, value, context]) => {
        if (typeof value !== "number" || String(value) === context?.source) return value;
        if (rawJSON && context) return rawJSON(context.source);
        if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
        throw new InexactError(
            `This browser cannot keep an integer as large as ${value}. A newer one can.`);
    });
}

export class InexactError extends Error {}

/**
 * Whether a value is a number in the form in which it was read.
 *
 * @param {any} value @returns {boolean}
 */
export function isWritten(value) {
    return /** @type {any} */ (JSON).isRawJSON?.(value) ?? false;
}

/**
 * A JSON text, indented.
 *
 * @param {string} text
 */
export function indented(text) {
    try {
        return JSON.stringify(readExactly(text), null, 2);
    } catch (error) {
        if (error instanceof InexactError) return text;
        throw error;
    }
}

/**
 * Whether a value that has been read by `JSON.parse` has an integer that may have been another one
 * in the text.
 *
 * @param {any} value
 * @returns {boolean}
 */
export function mayDiffer(value) {
    if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
    return value !== null && typeof value === "object" && Object.values(value).some(mayDiffer);
}

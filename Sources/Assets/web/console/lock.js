// Screens that navigation does not remove.
import { notify, notifyError } from "./dom.js";

/**
 * Whether a command was refused because of a lock, which `force` overrides.
 *
 * @param {any} error
 */
export function isLock(error) {
    return error?.code === "sheet-locked" || error?.code === "entry-locked";
}

/**
 * Attempts a command, and shows an error. If a lock refuses the command, the notice offers to force it.
 *
 * @param {{attempt: Function, run: Function}} model
 * @param {string} name
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function attemptOrOfferForce(model, name, body) {
    try {
        return await model.attempt(name, body);
    } catch (/** @type {any} */ error) {
        if (!isLock(error)) return notifyError(error);
        notify(error.message, { kind: "problem", title: error.problem.title, code: error.code, action: {
            text: "Force", run: () => model.run(name, { ...body, force: true }),
        } });
    }
}

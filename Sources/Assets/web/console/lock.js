// Screens that navigation does not remove.

/**
 * Whether a command was refused because of a lock, which `force` overrides.
 *
 * @param {any} error
 */
export function isLock(error) {
    return error?.code === "sheet-locked" || error?.code === "entry-locked";
}

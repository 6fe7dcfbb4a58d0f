// Where a session is, and the direction in which its next screen comes.

/** @typedef {{ depth: number, sheets: number, visible: string }} ScreenPlace */

/** Where nothing was drawn yet. */
export const nowhere = { depth: 0, sheets: 0, visible: "" };

/** @param {any} session @returns {ScreenPlace} */
export function placeOf(session) {
    const tab = session.tabs.find((/** @type {any} */ item) => item.id === session.selectedTab);
    const { container, entry } = session.visible;
    return {
        depth: (session.sheets.at(-1) ?? tab).path.length, sheets: session.sheets.length,
        visible: `${session.id} ${container} ${entry ?? container}`,
    };
}

/** @param {ScreenPlace} last @param {ScreenPlace} now */
export function movement(last, now) {
    if (last.visible === "" || last.visible === now.visible) return "";
    if (now.sheets !== last.sheets) return now.sheets > last.sheets ? "raised" : "";
    return now.depth > last.depth ? "pushed" : now.depth < last.depth ? "popped" : "";
}

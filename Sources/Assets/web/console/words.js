// How names, params and commands are put into words, so that an entry is called the same everywhere.

const leavesMax = 3;
const textMax = 28;

/**
 * `contactDetail` as `Contact detail`.
 *
 * @param {string} name
 */
export function words(name) {
    const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._~-]+/g, " ").toLowerCase();
    return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/**
 * A title with the members of the params that it names, as the server fills it in: `Results for {q}`.
 *
 * @param {string | undefined} title @param {any} params
 * @returns {string | undefined} Nothing if a member is missing.
 */
export function filled(title, params) {
    let isWhole = title !== undefined;
    const text = title?.replace(/\{([^{}\s]+)\}/g, (_, path) => {
        let value = params;
        for (const name of path.split(".")) {
            value = value !== null && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined;
        }
        isWhole &&= value !== undefined && value !== null && typeof value !== "object";
        return String(value);
    });
    return isWhole ? text : undefined;
}

/**
 * The first params in a few words, such as `id 42`: what tells two entries of one route apart.
 *
 * @param {any} params
 * @returns {string} Empty if there are none.
 */
export function paramsText(params) {
    const leaves = [...leavesOf(params ?? {}, "")];
    const shown = leaves.slice(0, leavesMax).map(([name, value]) => `${name} ${cut(value)}`);
    if (leaves.length > leavesMax) shown.push("…");
    return shown.join(", ");
}

/**
 * @param {any} value @param {string} name
 * @returns {Generator<[string, any]>}
 */
function* leavesOf(value, name) {
    if (value === null || typeof value !== "object") return void (yield [name, value]);
    for (const [key, item] of Object.entries(value)) {
        yield* leavesOf(item, Array.isArray(value) ? `${name} ${key}`.trim() : key);
    }
}

/** @param {any} value */
function cut(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text;
}

/**
 * A whole number as English groups its digits, `1,234`. `toLocaleString` does the same, but its first
 * call loads the rules of the language, which takes longer than drawing the list.
 *
 * @param {number} number
 */
export function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A number with its noun, `1 session` or `12 sessions`.
 *
 * @param {number} count @param {string} noun
 */
export function counted(count, noun) {
    return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {string} style */
export function styleName(style) {
    return words({ fullScreenCover: "cover", confirmationDialog: "confirmation" }[style] ?? style);
}

/**
 * The style of a sheet, with its article.
 *
 * @param {string} style
 */
export function styleWords(style) {
    const name = styleName(style).toLowerCase();
    return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/**
 * The subject of a command, in a few words.
 *
 * @param {any} command
 * @param {(id: string) => string} nameOf An entry's or a sheet's name.
 */
export function commandObject({ command, ...body }, nameOf) {
    switch (command) {
    case "back":
        if (body.to) return `to ${body.to.entry ? nameOf(body.to.entry) : body.to.route ?? body.to.mark}`;
        return body.count > 1 ? `${body.count} steps` : "";
    case "setFacts":
        return Object.entries(body.facts ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
    case "setParams":
        return [body.entry && nameOf(body.entry), paramsText(body.params)].filter(Boolean).join(": ");
    case "setTabs":
        return body.order ? body.order.join(", ") : `hides ${body.hidden?.join(", ") || "none"}`;
    case "setBadge": return `${body.tab} ${body.badge ?? "none"}`;
    case "batch": return counted(body.commands?.length ?? 0, "command");
    case "dismiss": {
        const which = body.sheet ? nameOf(body.sheet) : body.tag ?? (body.all ? "all" : "");
        return body.button ? `${which}: ${body.button}` : which;
    }
    case "expire": return nameOf(body.sheet);
    case "navigate": case "present":
        return [body.route ?? body.title, paramsText(body.params)].filter(Boolean).join(" ");
    }
    const named = body.tab ?? body.url ?? body.in ?? body.app ?? body.scope ?? body.count;
    return named === undefined ? "" : String(named);
}

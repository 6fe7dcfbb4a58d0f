// JSON with places: a reader that goes on after a fault, so that an editor can name each fault, fold
// what is whole, and tell where in the document the cursor is.

/**
 * @typedef {{ start: number, end: number, detail: string }} Fault A range of the text.
 * @typedef {{ key: string, start: number, end: number, colon: number, stop: number, value: Value }} Member
 *   The range is that of the key; the value lies between the colon and `stop`.
 * @typedef {{ kind: "object" | "array" | "text" | "atom" | "none", start: number, end: number, stop: number,
 *   members: Member[], items: Value[], value?: any }} Value An object or array ends with the bracket at `stop`.
 * @typedef {{ path: (string | number)[], isKey: boolean, start: number, end: number, container: Value }} Place
 *   Where the cursor is: at the key or the value with this path, in place of this range.
 */

const faultsMax = 50;
const depthMax = 128;
const tokens = /\s*(?:("(?:[^"\\\n]|\\.)*"?)|([{}[\],:])|([^\s{}[\],:"]+))/y;

class Reader {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
        /** @type {Fault[]} */
        this.faults = [];
        this.token = "";
        this.start = this.end = this.last = 0;
        this.next();
    }

    next() {
        this.last = this.end;
        tokens.lastIndex = this.end;
        const match = tokens.exec(this.text);
        this.token = match?.[1] ?? match?.[2] ?? match?.[3] ?? "";
        this.end = match ? tokens.lastIndex : this.text.length;
        this.start = this.end - this.token.length;
    }

    /** @param {string} detail @param {number} [start] @param {number} [end] */
    refuse(detail, start = this.start, end = this.end) {
        if (this.faults.length < faultsMax) this.faults.push({ start, end: Math.max(end, start + 1), detail });
    }

    /** @param {string} token */
    take(token) {
        if (this.token !== token) return false;
        this.next();
        return true;
    }

    /** @param {number} depth @returns {Value} */
    value(depth) {
        const { token, start, end } = this;
        /** @type {Value} */
        const found = { kind: token.startsWith('"') ? "text" : "atom", start, end, stop: end, members: [], items: [] };
        if (depth > depthMax) {
            this.refuse("is nested too deeply");
            while (this.token) this.next();
            return { ...found, kind: "none" };
        }
        if (token === "{" || token === "[") return this.container(token === "{" ? "object" : "array", depth);
        if (token === "" || /^[}\],:]$/.test(token)) {
            this.refuse("a value is missing here");
            return { ...found, kind: "none", end: start, stop: start };
        }
        this.next();
        try {
            return { ...found, value: JSON.parse(token) };
        } catch {
            const isClosed = token.length > 1 && /[^\\](\\\\)*"$/.test(token);
            this.refuse(found.kind === "atom" ? "is no value: a text needs double quotes" : isClosed ? "has a wrong escape or a control character" : "lacks the closing quote", start, end);
            return found;
        }
    }

    /** @param {"object" | "array"} kind @param {number} depth @returns {Value} */
    container(kind, depth) {
        const [{ start }, close, keys] = [this, kind === "object" ? "}" : "]", new Set()];
        const found = { kind, start, end: start, stop: start, members: /** @type {Member[]} */ ([]), items: /** @type {Value[]} */ ([]) };
        this.next();
        for (let goesOn = true; goesOn && this.token && !/^[\]}]$/.test(this.token);) {
            const member = kind === "object" ? this.member(depth) : undefined;
            if (member && keys.size === keys.add(member.key).size) this.refuse("repeats a member", member.start, member.end);
            if (member) found.members.push(member);
            if (kind === "array") found.items.push(this.value(depth + 1));
            goesOn = this.goesOn(close);
            if (member) member.stop = goesOn ? Math.max(this.last - 1, member.value.end) : this.start;
        }
        if (this.token !== close) this.refuse(`lacks its closing ${close}`, start, start + 1);
        found.stop = this.start;
        found.end = this.take(close) ? found.stop + 1 : found.stop;
        return found;
    }

    /** @param {number} depth @returns {Member | undefined} */
    member(depth) {
        const { token, start, end } = this;
        if (/^[[\]{},:]$/.test(token)) {
            this.refuse("a member begins with its name in double quotes");
            this.next();
            return undefined;
        }
        const isText = token.startsWith('"');
        if (!isText) this.refuse("the name of a member needs double quotes");
        const key = isText ? String(this.value(depth).value ?? token.slice(1)) : token;
        if (!isText) this.next();
        const colon = this.token === ":" ? this.end : end;
        if (!this.take(":")) {
            this.refuse("a colon and a value are missing after it", start, end);
            return { key, start, end, colon: -1, stop: end, value: { kind: "none", start: end, end, stop: end, members: [], items: [] } };
        }
        return { key, start, end, colon, stop: colon, value: this.value(depth + 1) };
    }

    // Whether another item follows.
    /** @param {string} close */
    goesOn(close) {
        if (this.take(",")) {
            if (this.token === close) this.refuse("no comma follows the last one", this.last - 1, this.last);
            return true;
        }
        if (this.token === "" || this.token === "}" || this.token === "]") return false;
        this.refuse("a comma is missing before it");
        if (this.token === ":") this.next();
        return true;
    }
}

/** @param {string} text @returns {{ root: Value, faults: Fault[] }} */
export function readTree(text) {
    const reader = new Reader(text);
    const root = reader.value(0);
    if (reader.token) reader.refuse("is too much: the document has ended before it", reader.start, text.trimEnd().length);
    return { root, faults: reader.faults };
}

// The range that a JSON pointer names: a value in one line, or the key of a longer one. A member that
// is missing lies at the key of the object that lacks it.
/** @param {Value} root @param {string} pointer */
export function rangeOf(root, pointer) {
    let value = root;
    const isShort = () => value.kind === "text" || value.kind === "atom";
    let { start, end } = isShort() ? root : { start: root.start, end: root.start + 1 };
    for (const part of pointer.split("/").slice(1)) {
        const step = part.replaceAll("~1", "/").replaceAll("~0", "~");
        const member = value.members.find(({ key }) => key === step);
        const next = member?.value ?? value.items[Number(step)];
        if (!next) break;
        value = next;
        ({ start, end } = isShort() ? value : member ?? { start: value.start, end: value.start + 1 });
    }
    return { start, end };
}

// Where the cursor is.
/** @param {Value} root @param {number} offset @returns {Place | undefined} */
export function placeAt(root, offset) {
    /** @type {(string | number)[]} */
    const path = [];
    for (let container = root; offset > container.start && offset <= container.stop;) {
        let value;
        if (container.kind === "object") {
            const member = container.members.find(({ start, stop }) => offset >= start && offset <= stop);
            const { start, end, key } = member ?? { start: offset, end: offset, key: "" };
            if (offset <= end) return { path: [...path, key], isKey: true, start, end, container };
            if (!member || member.colon < 0 || offset < member.colon) return undefined;
            path.push(key);
            value = member.value;
        } else {
            const index = container.items.findIndex(({ start, end }) => offset >= start && offset <= end);
            path.push(index < 0 ? container.items.filter(({ end }) => end < offset).length : index);
            value = container.items[index];
        }
        if (value?.kind === "object" || value?.kind === "array") container = value;
        else if (!value || value.kind === "none") return { path, isKey: false, start: offset, end: offset, container };
        else return offset < value.start || offset > value.end ? undefined
            : { path, isKey: false, start: value.start, end: value.end, container };
    }
    return undefined;
}

// Reads the YAML that openapi.yaml is written in, and no more: block and flow collections, plain
// and quoted scalars, literal (`|`) and folded (`>`) text, comments. No anchors, tags, documents,
// complex keys. It refuses everything else, with the number of the line.

/** @param {string} text @returns {any} */
export function parseYAML(text) {
    return new Reader(text).document();
}

/** A plain or quoted key, and what follows its colon. */
const keyPattern = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[\]{},#&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*))?$/;

class Reader {
    /** @param {string} text */
    constructor(text) {
        this.lines = text.split(/\r?\n/);
        this.at = 0;
    }

    document() {
        const value = this.block(0);
        this.skip();
        if (this.at < this.lines.length) this.fail("is indented less than what it belongs to");
        return value;
    }

    /** @param {string} why @returns {never} */
    fail(why) {
        throw new SyntaxError(`line ${this.at + 1} ${why}: ${this.lines[this.at] ?? ""}`);
    }

    // To the next line that says something.
    skip() {
        while (this.at < this.lines.length && /^\s*(#|$)/.test(this.lines[this.at])) this.at += 1;
    }

    /** The indentation of the next line that says something; -1 at the end. */
    indent() {
        this.skip();
        return this.at < this.lines.length ? this.lines[this.at].search(/\S/) : -1;
    }

    // A collection or scalar that is indented by at least so much.
    /** @param {number} least @returns {any} */
    block(least) {
        const indent = this.indent();
        if (indent < least) return null;
        const text = this.lines[this.at].slice(indent);
        if (/^-(\s|$)/.test(text)) return this.sequence(indent);
        if (keyPattern.test(text)) return this.mapping(indent);
        this.at += 1;
        return this.inline(text, indent);
    }

    /** @param {number} indent */
    sequence(indent) {
        const items = [];
        while (this.indent() === indent && /^-(\s|$)/.test(this.lines[this.at].slice(indent))) {
            const line = this.lines[this.at];
            const rest = line.slice(indent + 1);
            const offset = rest.search(/\S/);
            if (offset < 0 || rest[offset] === "#") {
                this.at += 1;
                items.push(this.block(indent + 1));
            } else if (keyPattern.test(rest.slice(offset)) || /^-\s/.test(rest.slice(offset))) {
                // The first line of the item follows the dash; it is read as a line of its own.
                this.lines[this.at] = `${" ".repeat(indent + 1)}${rest}`;
                items.push(this.block(indent + 1));
            } else {
                this.at += 1;
                items.push(this.inline(rest.slice(offset), indent));
            }
        }
        return items;
    }

    /** @param {number} indent */
    mapping(indent) {
        /** @type {Record<string, any>} */
        const value = {};
        while (this.indent() === indent) {
            const match = keyPattern.exec(this.lines[this.at].slice(indent));
            if (!match) {
                if (/^-(\s|$)/.test(this.lines[this.at].slice(indent))) break;
                this.fail("is no key");
            }
            const key = String(/^["']/.test(match[1]) ? scalar(match[1]) : match[1]);
            if (Object.hasOwn(value, key)) this.fail("repeats a key");
            this.at += 1;
            value[key] = this.member(match[2] ?? "", indent);
        }
        if (this.indent() > indent) this.fail("is indented too far");
        return value;
    }

    // The value of a key: on its line, or indented below it. A sequence need not be indented.
    /** @param {string} text @param {number} indent */
    member(text, indent) {
        if (text !== "" && !text.startsWith("#")) return this.inline(text, indent);
        const next = this.indent();
        const isSequence = next === indent && /^-(\s|$)/.test(this.lines[this.at].slice(indent));
        return this.block(isSequence ? indent : indent + 1);
    }

    /** @param {string} text @param {number} indent */
    inline(text, indent) {
        const head = /^([|>])([+-]?)\s*(#.*)?$/.exec(text);
        if (head) return this.text(indent, head[1] === ">", head[2]);
        let whole = text;
        if (/^[[{"']/.test(text)) {
            while (!isWhole(whole)) {
                if (this.at >= this.lines.length) this.fail("ends within a value");
                whole += ` ${this.lines[this.at].trim()}`;
                this.at += 1;
            }
            return new Flow(whole).value();
        }
        whole = whole.replace(/\s#.*$/, "");
        while (this.indent() > indent) {
            if (keyPattern.test(this.lines[this.at].trim())) this.fail("is a key below a value");
            whole += ` ${this.lines[this.at].trim().replace(/\s#.*$/, "")}`;
            this.at += 1;
        }
        return scalar(whole.trim());
    }

    /** @param {number} indent @param {boolean} isFolded @param {string} end */
    text(indent, isFolded, end) {
        const lines = [];
        let inner = 0;
        for (; this.at < this.lines.length; this.at += 1) {
            const line = this.lines[this.at];
            const place = line.search(/\S/);
            if (place >= 0 && place <= indent) break;
            if (place >= 0 && inner === 0) inner = place;
            lines.push(place < 0 ? "" : line.slice(inner));
        }
        while (lines.length > 0 && lines[lines.length - 1] === "") lines.pop();
        const text = isFolded ? lines.join("\n").replace(/([^\n])\n(?=[^\n\s])/g, "$1 ") : lines.join("\n");
        return end === "-" || text === "" ? text : `${text}\n`;
    }
}

// Whether brackets and quotes are closed.
/** @param {string} text */
function isWhole(text) {
    let depth = 0;
    let quote = "";
    for (let at = 0; at < text.length; at += 1) {
        const char = text[at];
        if (quote) {
            if (char === "\\" && quote === '"') at += 1;
            else if (char === quote) quote = "";
        } else if ((char === '"' || char === "'") && (depth > 0 || at === 0) && /(^|[\s[{,:])$/.test(text.slice(0, at))) quote = char;
        else if (char === "[" || char === "{") depth += 1;
        else if (char === "]" || char === "}") depth -= 1;
    }
    return depth <= 0 && !quote;
}

/** Collections on one line: `{a: [1, 2]}`. */
class Flow {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
        this.at = 0;
    }

    space() {
        while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
    }

    /** @returns {any} */
    value() {
        this.space();
        const char = this.text[this.at];
        if (char === "[") return this.list();
        if (char === "{") return this.object();
        return scalar(this.token(/[,\]}]/));
    }

    // A quoted or plain scalar as it is written.
    /** @param {RegExp} end */
    token(end) {
        this.space();
        const start = this.at;
        const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(this.text.slice(start));
        if (quoted) {
            this.at += quoted[0].length;
            return quoted[0];
        }
        while (this.at < this.text.length && !end.test(this.text[this.at])) {
            this.at += 1;
        }
        return this.text.slice(start, this.at).trim();
    }

    list() {
        const items = [];
        this.at += 1;
        for (;;) {
            this.space();
            if (this.text[this.at] === "]") break;
            items.push(this.value());
            this.comma("]");
        }
        this.at += 1;
        return items;
    }

    object() {
        /** @type {Record<string, any>} */
        const value = {};
        this.at += 1;
        for (;;) {
            this.space();
            if (this.text[this.at] === "}") break;
            const key = this.token(/[,}:]/);
            this.space();
            if (this.text[this.at] !== ":") throw new SyntaxError(`no colon behind ${key} in ${this.text}`);
            this.at += 1;
            value[String(/^["']/.test(key) ? scalar(key) : key)] = this.value();
            this.comma("}");
        }
        this.at += 1;
        return value;
    }

    /** @param {string} end */
    comma(end) {
        this.space();
        if (this.text[this.at] === ",") this.at += 1;
        else if (this.text[this.at] !== end) throw new SyntaxError(`no ${end} in ${this.text}`);
    }
}

/** @param {string} text @returns {any} */
function scalar(text) {
    if (text.startsWith('"')) return JSON.parse(text);
    if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
    if (text === "" || text === "~" || text === "null") return null;
    if (text === "true" || text === "false") return text === "true";
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return Number(text);
    return text;
}

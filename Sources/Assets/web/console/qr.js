// QR codes (ISO/IEC 18004): bytes, error correction level M, versions 1–15 (412 bytes), enough for
// a link with a token in it.
//
// 1. The text becomes a stream of bits: mode, count, bytes, padding (7.4).
// 2. It is cut into blocks, each gets its Reed–Solomon remainder, and all are interleaved (7.5, 7.6).
// 3. The bits run through the square in zigzag, two columns at a time, around the patterns (7.7).
// 4. Of eight masks the one with the least penalty is taken (7.8), and format and version are
//    written (7.9, 7.10).

/**
 * Level M, by version (Table 9): error correction bytes a block, blocks of a kind and their data bytes.
 */
const blocks = [
    [10, [1, 16]], [16, [1, 28]], [26, [1, 44]], [18, [2, 32]], [24, [2, 43]], [16, [4, 27]],
    [18, [4, 31]], [22, [2, 38], [2, 39]], [22, [3, 36], [2, 37]], [26, [4, 43], [1, 44]],
    [30, [1, 50], [4, 51]], [22, [6, 36], [2, 37]], [22, [8, 37], [1, 38]], [24, [4, 40], [5, 41]],
    [24, [5, 41], [5, 42]],
];

/** Centers of the alignment patterns (Annex E). */
const alignment = [
    [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46],
    [6, 28, 50], [6, 30, 54], [6, 32, 58], [6, 34, 62], [6, 26, 46, 66], [6, 26, 48, 70],
];

/**
 * The modules of a QR code, true where dark, without the quiet zone of four that belongs around it.
 *
 * @param {string} text
 * @param {number} [mask] 0–7; the best one if left out.
 * @returns {boolean[][]} Rows.
 */
export function qrCode(text, mask) {
    const bytes = new TextEncoder().encode(text);
    const version = smallestVersion(bytes.length);
    const code = new Square(version);
    code.drawData(interleaved(version, dataBytes(version, bytes)));
    return code.masked(mask ?? code.bestMask());
}

/** @param {number} version */
function capacity(version) {
    const [, ...kinds] = /** @type {[number, ...number[][]]} */ (blocks[version - 1]);
    return kinds.reduce((sum, [count, size]) => sum + count * size, 0);
}

/** @param {number} length */
function smallestVersion(length) {
    for (let version = 1; version <= blocks.length; version += 1) {
        const headBytes = version < 10 ? 2 : 3;
        if (length + headBytes <= capacity(version)) return version;
    }
    throw new RangeError(`${length} bytes do not fit in a QR code of version ${blocks.length}`);
}

/** @param {number} version @param {Uint8Array} bytes */
function dataBytes(version, bytes) {
    /** @type {number[]} */
    const bits = [];
    const put = (/** @type {number} */ value, /** @type {number} */ count) => {
        for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
    };
    put(0b0100, 4);
    put(bytes.length, version < 10 ? 8 : 16);
    for (const byte of bytes) put(byte, 8);
    const total = capacity(version) * 8;
    put(0, Math.min(4, total - bits.length));
    put(0, (8 - (bits.length % 8)) % 8);
    for (let pad = 0; bits.length < total; pad += 1) put(pad % 2 ? 0x11 : 0xec, 8);
    const data = [];
    for (let at = 0; at < bits.length; at += 8) {
        data.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0));
    }
    return data;
}

/** @param {number} version @param {number[]} data */
function interleaved(version, data) {
    const [checkCount, ...kinds] = /** @type {[number, ...number[][]]} */ (blocks[version - 1]);
    const parts = [];
    let at = 0;
    for (const [count, size] of kinds) {
        for (let block = 0; block < count; block += 1, at += size) parts.push(data.slice(at, at + size));
    }
    const divisor = generator(checkCount);
    const checks = parts.map((part) => remainder(part, divisor));
    const result = [];
    for (let index = 0; index < parts[parts.length - 1].length; index += 1) {
        for (const part of parts) if (index < part.length) result.push(part[index]);
    }
    for (let index = 0; index < checkCount; index += 1) {
        for (const check of checks) result.push(check[index]);
    }
    return result;
}

// Reed–Solomon over GF(2^8) with x^8 + x^4 + x^3 + x^2 + 1.

/** @param {number} a @param {number} b */
function multiply(a, b) {
    let product = 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
        product = (product << 1) ^ ((product >> 7) * 0x11d);
        product ^= ((b >> bit) & 1) * a;
    }
    return product;
}

/**
 * The product of (x - 2^i), highest coefficient left out.
 *
 * @param {number} degree
 */
function generator(degree) {
    const result = new Array(degree - 1).fill(0).concat(1);
    let root = 1;
    for (let index = 0; index < degree; index += 1) {
        for (let at = 0; at < degree; at += 1) {
            result[at] = multiply(result[at], root) ^ (result[at + 1] ?? 0);
        }
        root = multiply(root, 2);
    }
    return result;
}

/** @param {number[]} data @param {number[]} divisor */
function remainder(data, divisor) {
    const result = new Array(divisor.length).fill(0);
    for (const byte of data) {
        const factor = byte ^ result.shift();
        result.push(0);
        divisor.forEach((coefficient, at) => (result[at] ^= multiply(coefficient, factor)));
    }
    return result;
}

/** @type {((row: number, column: number) => boolean)[]} */
const masks = [
    (r, c) => (r + c) % 2 === 0,
    (r) => r % 2 === 0,
    (_, c) => c % 3 === 0,
    (r, c) => (r + c) % 3 === 0,
    (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
    (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
    (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
    (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

class Square {
    /** @param {number} version */
    constructor(version) {
        this.version = version;
        this.size = 17 + 4 * version;
        /** @type {(boolean | undefined)[][]} Patterns; undefined where data goes. */
        this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(undefined));
        /** @type {boolean[][]} */
        this.data = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
        this.drawPatterns();
    }

    drawPatterns() {
        for (let at = 0; at < this.size; at += 1) {
            this.fixed[6][at] = at % 2 === 0;
            this.fixed[at][6] = at % 2 === 0;
        }
        this.drawFinder(3, 3);
        this.drawFinder(3, this.size - 4);
        this.drawFinder(this.size - 4, 3);
        const centers = alignment[this.version - 1];
        const last = centers[centers.length - 1];
        for (const row of centers) {
            for (const column of centers) {
                const isFinder = (row === 6 && (column === 6 || column === last))
                    || (row === last && column === 6);
                if (!isFinder) this.drawSquare(row, column, 2, [0, 2]);
            }
        }
        this.drawFormat(this.fixed, 0);
        this.drawVersion();
    }

    /** @param {number} row @param {number} column */
    drawFinder(row, column) {
        this.drawSquare(row, column, 4, [0, 1, 3]);
    }

    // Rings around a center, dark where their distance is among `dark`.
    /** @param {number} row @param {number} column @param {number} radius @param {number[]} dark */
    drawSquare(row, column, radius, dark) {
        for (let r = -radius; r <= radius; r += 1) {
            for (let c = -radius; c <= radius; c += 1) {
                if (this.fixed[row + r] === undefined || column + c < 0 || column + c >= this.size) continue;
                this.fixed[row + r][column + c] = dark.includes(Math.max(Math.abs(r), Math.abs(c)));
            }
        }
    }

    /** @param {(boolean | undefined)[][]} modules @param {number} mask */
    drawFormat(modules, mask) {
        // Level M is 00.
        const bits = ((mask << 10) | bch(mask, 0x537, 10)) ^ 0x5412;
        const n = this.size;
        for (let at = 0; at < 15; at += 1) {
            const dark = ((bits >> at) & 1) === 1;
            const along = at < 6 ? at : at < 8 ? at + 1 : n - 15 + at;
            const across = at < 8 ? n - 1 - at : at < 9 ? 7 : 14 - at;
            modules[along][8] = dark;
            modules[8][across] = dark;
        }
        modules[n - 8][8] = true;
    }

    drawVersion() {
        if (this.version < 7) return;
        const bits = (this.version << 12) | bch(this.version, 0x1f25, 12);
        for (let at = 0; at < 18; at += 1) {
            const dark = ((bits >> at) & 1) === 1;
            const near = Math.floor(at / 3);
            const far = this.size - 11 + (at % 3);
            this.fixed[near][far] = dark;
            this.fixed[far][near] = dark;
        }
    }

    /** @param {number[]} bytes */
    drawData(bytes) {
        let at = 0;
        let isUpward = true;
        for (let right = this.size - 1; right > 0; right -= 2) {
            // The vertical timing pattern takes a column for itself.
            if (right === 6) right = 5;
            for (let step = 0; step < this.size; step += 1) {
                const row = isUpward ? this.size - 1 - step : step;
                for (const column of [right, right - 1]) {
                    if (this.fixed[row][column] !== undefined) continue;
                    this.data[row][column] = (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
                    at += 1;
                }
            }
            isUpward = !isUpward;
        }
    }

    /** @param {number} mask @returns {boolean[][]} */
    masked(mask) {
        const modules = this.fixed.map((row, r) =>
            row.map((module, c) => module ?? this.data[r][c] !== masks[mask](r, c)));
        this.drawFormat(modules, mask);
        return modules;
    }

    bestMask() {
        const penalties = masks.map((_, mask) => penalty(this.masked(mask)));
        return penalties.indexOf(Math.min(...penalties));
    }
}

/**
 * The remainder of a BCH code.
 *
 * @param {number} value
 * @param {number} divisor
 * @param {number} degree
 */
function bch(value, divisor, degree) {
    let rest = value;
    for (let step = 0; step < degree; step += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) * divisor);
    return rest;
}

// 7.8.3: runs of five and more, squares of four, what looks like a finder, and an uneven mix.
/** @param {boolean[][]} modules */
function penalty(modules) {
    const n = modules.length;
    const columns = modules[0].map((_, column) => modules.map((row) => row[column]));
    let sum = 0;
    for (const line of [...modules, ...columns]) sum += linePenalty(line);
    let dark = 0;
    for (let r = 0; r < n; r += 1) {
        for (let c = 0; c < n; c += 1) {
            if (modules[r][c]) dark += 1;
            if (r === 0 || c === 0) continue;
            const isSame = modules[r][c] === modules[r - 1][c] && modules[r][c] === modules[r][c - 1]
                && modules[r][c] === modules[r - 1][c - 1];
            if (isSame) sum += 3;
        }
    }
    return sum + 10 * Math.floor(Math.abs((dark * 20) / (n * n) - 10));
}

/** @param {boolean[]} line */
function linePenalty(line) {
    let sum = 0;
    const text = line.map((module) => (module ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"]) {
        for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) sum += 40;
    }
    return sum;
}

// QR codes against another encoder: the digests are those of the matrices that the Python package
// `qrcode` 8.2 makes of the same text, version and mask (rows of 0 and 1, joined by line feeds).
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { qrCode } from "../../Sources/Assets/web/console/qr.js";

const rows = (modules) => modules.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));
const digest = (modules) => createHash("sha256").update(rows(modules).join("\n")).digest("hex").slice(0, 16);
const text = (length) => "http://127.0.0.1:8080/#session=kiosk-1&token=".padEnd(length, "navstate-0123456789").slice(0, length);

/** Length, mask, size, digest. */
const vectors = [
    [1, 0, 21, "1391567a70f54312"],
    [1, 3, 21, "d0ff08053f8dc1bf"],
    [14, 1, 21, "2f33fd1fe5c49e0e"],
    [14, 4, 21, "7228662beed7c211"],
    [15, 2, 25, "cb53e99200eb030c"],
    [15, 5, 25, "fe2a9e32f63b3149"],
    [26, 3, 25, "df84972bd8f90906"],
    [26, 6, 25, "e114acab0e42f0af"],
    [42, 4, 29, "04d9ef1ab0799f6c"],
    [42, 7, 29, "509eccf608500b34"],
    [62, 0, 33, "2bd0edf4483e595b"],
    [62, 5, 33, "06abd4c20d6dac0d"],
    [84, 1, 37, "c1c68c77f315afad"],
    [84, 6, 37, "b88b4ed002eccdb7"],
    [106, 2, 41, "690cb75aa4386edd"],
    [106, 7, 41, "efd90760ceda0905"],
    [122, 0, 45, "908e4969c0ee9740"],
    [122, 3, 45, "f424af6900fdf4ba"],
    [152, 1, 49, "8e8d0076180639a4"],
    [152, 4, 49, "745152cb14c9badb"],
    [180, 2, 53, "e4c4ea2279f7260f"],
    [180, 5, 53, "67862f5675141ee5"],
    [213, 3, 57, "f027b853e67d350e"],
    [213, 6, 57, "d1eca37e21f7fffa"],
    [251, 4, 61, "6ca371ab0c1c8d06"],
    [251, 7, 61, "e024e30562ddd61d"],
    [287, 0, 65, "f68cf60e385b2ced"],
    [287, 5, 65, "2e7612ac4fc9271f"],
    [331, 1, 69, "5f65a03f7e0ea479"],
    [331, 6, 69, "228e8c9c42758293"],
    [362, 2, 73, "4f8504ba33b76c74"],
    [362, 7, 73, "ec080966ef86ca32"],
    [412, 0, 77, "776905fdf1ef266f"],
    [412, 3, 77, "e27de540b4a86c2d"],
];

test("the matrices are those of another encoder, in every version and with every mask", () => {
    for (const [length, mask, size, expected] of vectors) {
        const modules = qrCode(text(length), mask);
        assert.equal(modules.length, size, `${length} bytes`);
        assert.equal(digest(modules), expected, `${length} bytes, mask ${mask}`);
    }
});

test("a small one, module by module", () => {
    assert.deepEqual(rows(qrCode("navstate", 0)), [
        "111111100011101111111",
        "100000101000101000001",
        "101110100100101011101",
        "101110100101101011101",
        "101110101011101011101",
        "100000100011001000001",
        "111111101010101111111",
        "000000000110000000000",
        "101010100100100010010",
        "000100000101000111011",
        "100111101011011111111",
        "100001001111110100011",
        "111111100111001111010",
        "000000001110001010011",
        "111111100100100110011",
        "100000100110001000010",
        "101110101000101011000",
        "101110100011010111010",
        "101110101101011111001",
        "100000100001110100010",
        "111111101111011111011",
    ]);
});

test("text is bytes of UTF-8, and too much of it is refused", () => {
    assert.equal(qrCode("é".repeat(7)).length, 21);
    assert.equal(qrCode("é".repeat(8)).length, 25);
    assert.equal(qrCode("x".repeat(412)).length, 77);
    assert.throws(() => qrCode("x".repeat(413)), RangeError);
});

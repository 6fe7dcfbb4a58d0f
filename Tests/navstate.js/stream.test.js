// The reader of event streams, cut anywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamParser } from "../../Sources/Assets/web/navstate.js";

const bytes = (text) => new TextEncoder().encode(text);
const wholly = (text) => new EventStreamParser().push(bytes(text));

const stream = [
    ": a comment\n\n",
    "id: 7\nevent: snapshot\ndata: {\"revision\":1}\n\n",
    "id:8\nevent:change\ndata: {\ndata: \"ä\":\"€😀\"}\n\n",
    "retry: 3000\n\n",
    "data\n\n",
    "event: lost\n\n",
    "data: last\n\n",
].join("");

const expected = [
    { id: "7", event: "snapshot", data: '{"revision":1}', retryMilliseconds: undefined },
    { id: "8", event: "change", data: '{\n"ä":"€😀"}', retryMilliseconds: undefined },
    { id: "8", event: "", data: "", retryMilliseconds: 3000 },
    { id: "8", event: "message", data: "", retryMilliseconds: undefined },
    { id: "8", event: "message", data: "last", retryMilliseconds: undefined },
];

test("a stream reads the same whole, byte by byte, and cut in two anywhere", () => {
    assert.deepEqual(wholly(stream), expected);
    const all = bytes(stream);
    const single = new EventStreamParser();
    assert.deepEqual([...all].flatMap((byte) => single.push(Uint8Array.of(byte))), expected);
    for (let cut = 0; cut <= all.length; cut += 1) {
        const parser = new EventStreamParser();
        const frames = [...parser.push(all.subarray(0, cut)), ...parser.push(all.subarray(cut))];
        assert.deepEqual(frames, expected, `cut at ${cut}`);
    }
});

test("lines end with LF, CRLF or CR, also where a CRLF is cut in two", () => {
    const crlf = bytes(stream.replaceAll("\n", "\r\n"));
    for (let cut = 0; cut <= crlf.length; cut += 1) {
        const parser = new EventStreamParser();
        const frames = [...parser.push(crlf.subarray(0, cut)), ...parser.push(crlf.subarray(cut))];
        assert.deepEqual(frames, expected, `cut at ${cut}`);
    }
    assert.deepEqual(wholly(`${stream.replaceAll("\n", "\r")}:\r`), expected);
});

test("a byte order mark, an id with NUL and a retry that is no number are passed over", () => {
    const [frame] = wholly("\ufeffid: 1\0\nretry: soon\ndata: x\n\n");
    assert.deepEqual(frame, { id: "", event: "message", data: "x", retryMilliseconds: undefined });
});

test("what is not ended by an empty line is not handed out", () => {
    assert.deepEqual(wholly("id: 1\nevent: change\ndata: {}\n"), []);
});

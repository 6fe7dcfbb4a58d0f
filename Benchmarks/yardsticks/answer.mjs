// A comparator: Node's own HTTP server with a fixed answer.   node answer.mjs PORT BODY_BYTES
import { createServer } from "node:http";

const [port, bytes] = process.argv.slice(2).map(Number);
const body = Buffer.from(JSON.stringify({ id: "x".repeat(bytes - 9) }));
createServer({ keepAliveTimeout: 0 }, (_, answer) => {
  answer.setHeader("Content-Type", "application/json");
  answer.setHeader("Content-Length", body.length);
  answer.end(body);
}).listen(port, "127.0.0.1");

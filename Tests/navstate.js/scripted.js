// A server that answers what a test tells it to, request by request, and remembers what it was asked.
import http from "node:http";

/**
 * @param {((request: any, response: http.ServerResponse) => void)[]} script An answer for each request
 *   in turn; the last one is used again.
 */
export async function scripted(script) {
    const requests = [];
    const server = http.createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        const { method, url, headers } = request;
        const step = script[Math.min(requests.length, script.length - 1)];
        requests.push({ method, url, headers, body });
        step({ method, url, headers, body }, response);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    };
    return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

export const session = (revision, more = {}) => ({
    id: "s", revision, createdAt: "2026-11-21T10:00:00Z", updatedAt: "2026-11-21T10:00:00Z",
    selectedTab: "main", tabs: [{ id: "main", path: [] }], sheets: [],
    visible: { container: "main", route: "main", params: {}, tabBarHidden: false },
    canGoBack: false, canUndo: false, canRedo: false, ...more,
});

export const json = (status, value, headers = {}) => (_, response) => {
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "Content-Type": type, ...headers });
    response.end(value === undefined ? "" : JSON.stringify(value));
};

export const problem = (status, name, more = {}, headers = {}) =>
    json(status, { type: `/problems/${name}`, title: name, status, detail: `${name}!`, ...more }, headers);

/** Cuts the connection without an answer. */
export const cut = (_, response) => response.socket.destroy();

/** Sends events; then the stream stays open, ends, or is cut. */
export const events = (frames, then = "stay") => (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.flushHeaders();
    for (const [id, event, data] of frames) {
        response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
    if (then === "end") response.end();
    if (then === "cut") setTimeout(() => response.socket.destroy(), 30);
};

export const snapshot = (id, revision, more = {}) =>
    [id, "snapshot", { revision, etag: `"x-${revision}"`, session: session(revision), ...more }];

export const change = (id, revision) =>
    [id, "change", { revision, etag: `"x-${revision}"`, command: { command: "back" }, added: [], removed: [],
        session: session(revision) }];

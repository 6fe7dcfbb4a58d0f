// The rules as a server: node server.js [RULES.wasm]. What is asked of it is answered by the module
// that browsers load, so that the stories of the contract and random programs can be carried out by
// it. It prints its URL. Whatever needs a server (tokens, streams, lists, times, conditions) is 501.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { InvalidApp, loadRules } from "../../Sources/Assets/web/navstate-rules.js";

const rules = await loadRules(process.argv[2] ? await readFile(process.argv[2]) : undefined);
const apps = new Map();
/** For each session its states by revision, and the newest one. */
const sessions = new Map();

const problem = (status, code, more = {}) => [status, JSON.stringify({
    type: `/problems/${code}`, title: code, status, detail: code, ...more,
})];
const attempt = (body) => {
    try {
        return body();
    } catch (error) {
        if (error instanceof InvalidApp) return problem(422, "invalid-app", { errors: error.faults });
        if (!error.problem) throw error;
        return [error.problem.status, JSON.stringify(error.problem)];
    }
};
const object = (text) => {
    try {
        return JSON.parse(text || "{}") ?? {};
    } catch {
        return {};
    }
};

/** Makes a session by the body of a POST (`create`) or of a PUT (`restore`). */
function add(begin, text) {
    const { app } = object(text);
    if (app !== undefined && !apps.has(app)) return problem(404, "app-not-found");
    const made = rules.session(apps.get(app) ?? null, begin);
    sessions.set(made.state.id, { newest: made, kept: new Map([[1, made.copy()]]) });
    return [201, made.text];
}

function change(kept, query, body) {
    const tried = query.get("dryRun") === "true" ? kept.newest.copy() : kept.newest;
    try {
        body(tried);
    } catch (error) {
        if (!error.problem) throw error;
        return [error.status, tried.answerText];
    }
    if (tried === kept.newest && !kept.kept.has(tried.state.revision)) kept.kept.set(tried.state.revision, tried.copy());
    return [200, tried.answerText];
}

function ofSession(method, [id, part], query, text, isStrict) {
    const kept = sessions.get(id);
    if (!kept && method === "PUT" && !part) return add({ restore: text, id }, text);
    if (!kept) return problem(404, "session-not-found");
    const { newest } = kept;
    if (method === "DELETE" && !part) {
        sessions.delete(id);
        return [204, ""];
    }
    if (method === "PUT" && !part) return change(kept, query, (session) => session.restore(text));
    if (method === "PATCH" && !part) return change(kept, query, (session) => session.update(text));
    if (method === "POST") return change(kept, query, (session) => session.perform(part, text || undefined, { strict: isStrict }));
    if (part === "allowed") return newest.allowed() && [200, newest.answerText];
    if (part === "link") return newest.link() === null ? problem(404, "no-link") : [200, JSON.stringify({ url: newest.link() })];
    if (part === "steps") {
        if (!query.has("from")) return problem(422, "invalid-request");
        const [from, to] = [Number(query.get("from")), Number(query.get("to") ?? newest.state.revision)];
        if (!kept.kept.has(from) || !kept.kept.has(to)) return problem(410, "revision-gone");
        const start = kept.kept.get(from);
        return start.stepsTo(kept.kept.get(to)) && [200, `{"from":${from},"to":${to},"steps":${start.answerText}}`];
    }
    return part ? problem(501, "not-here") : [200, newest.text];
}

function putApp(id, text, isDry) {
    const isNew = !apps.has(id);
    let app;
    try {
        app = rules.app(text, id);
    } catch (error) {
        if (!isDry || !(error instanceof InvalidApp)) throw error;
        return [200, JSON.stringify({ valid: false, errors: error.faults, warnings: error.warnings })];
    }
    if (isDry) return [200, JSON.stringify({ valid: true, errors: [], warnings: app.warnings })];
    apps.set(id, app);
    return [isNew ? 201 : 200, JSON.stringify({ app: object(text), warnings: app.warnings })];
}

function answer(method, url, text, headers) {
    const [version, kind, ...rest] = url.pathname.slice(1).split("/").map(decodeURIComponent);
    if (version !== "v1" || [...url.searchParams.keys()].some((key) => !["dryRun", "from", "to"].includes(key))) return problem(501, "not-here");
    if (kind === undefined) return [200, JSON.stringify({ contract: "1.2", version: "rules", features: [] })];
    if (kind === "apps" && rest.length === 1 && method === "PUT") return putApp(rest[0], text, url.searchParams.get("dryRun") === "true");
    if (kind === "apps" && rest.length === 1 && method === "DELETE") return apps.delete(rest[0]) ? [204, ""] : problem(404, "app-not-found");
    if (kind === "sessions" && rest.length === 0 && method === "POST") {
        return add({ create: text, id: crypto.randomUUID() }, text);
    }
    if (kind === "sessions" && rest.length > 0) return ofSession(method, rest, url.searchParams, text, /handling=strict/.test(headers.prefer));
    return problem(501, "not-here");
}

const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        const url = new URL(request.url, "http://localhost");
        const text = Buffer.concat(chunks).toString();
        const [status, body] = attempt(() => answer(request.method, url, text, request.headers));
        response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json", "X-Request-Id": "rules" });
        response.end(body);
    });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

// The client's behavior when things go wrong, against a server that does them wrong on purpose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, NavstateError } from "../../Sources/Assets/web/navstate.js";
import { change, cut, events, json, problem, scripted, session, snapshot } from "./scripted.js";

async function withServer(script, body) {
    const server = await scripted(script);
    try {
        await body(createClient({ url: `${server.url}/` }), server);
    } finally {
        await server.close();
    }
}

const answer = (revision) => json(200, { changed: true, added: [], removed: [], session: session(revision) }, { ETag: `"x-${revision}"` });
const keys = (server) => server.requests.map((request) => request.headers["idempotency-key"]);

async function take(events, count) {
    const taken = [];
    for await (const event of events) {
        taken.push(event);
        if (taken.length === count) break;
    }
    return taken;
}

test("a command whose answer is lost is sent again with the same key", () =>
    withServer([cut, cut, answer(2)], async (client, server) => {
        const { session } = await client.back("s");
        assert.equal(session.revision, 2);
        assert.equal(server.requests.length, 3);
        assert.equal(new Set(keys(server)).size, 1);
        assert.match(keys(server)[0], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }));

test("two commands have two keys", () =>
    withServer([answer(2), answer(3)], async (client, server) => {
        await client.back("s");
        await client.back("s");
        assert.equal(new Set(keys(server)).size, 2);
    }));

test("without a key nothing is sent twice, and fetch's own error comes through", () =>
    withServer([cut], async (client, server) => {
        await assert.rejects(client.back("s", {}, { idempotencyKey: false }), TypeError);
        assert.equal(server.requests.length, 1);
        assert.equal(keys(server)[0], undefined);
    }));

test("503 with Retry-After is waited for; 422 is thrown at once", () =>
    withServer([problem(503, "shutting-down", {}, { "Retry-After": "1" }), answer(2), problem(422, "unknown-route", { near: ["home"] })],
        async (client, server) => {
            const began = Date.now();
            await client.back("s");
            assert.ok(Date.now() - began >= 990);
            const error = await client.navigate("s", { route: "hme" }).catch((thrown) => thrown);
            assert.ok(error instanceof NavstateError);
            assert.equal(error.code, "unknown-route");
            assert.equal(error.status, 422);
            assert.deepEqual(error.problem.near, ["home"]);
            assert.equal(error.message, "unknown-route!");
            assert.equal(server.requests.length, 3);
        }));

test("an answer that is no problem document becomes one", () =>
    withServer([(_, response) => {
        response.writeHead(404, { "Content-Type": "text/html" });
        response.end("<h1>nginx</h1>");
    }], async (client) => {
        const error = await client.get("s").catch((thrown) => thrown);
        assert.equal(error.status, 404);
        assert.equal(error.problem.status, 404);
    }));

test("options become headers and query", () =>
    withServer([answer(2)], async (client, server) => {
        await client.back("a b", { count: 2 }, { strict: true, minimal: true, dryRun: true, ifMatch: '"e"' });
        const [{ url, headers, body, method }] = server.requests;
        assert.equal(method, "POST");
        assert.equal(url, "/v1/sessions/a%20b/back?dryRun=true");
        assert.equal(headers.prefer, "handling=strict, return=minimal");
        assert.equal(headers["if-match"], '"e"');
        assert.equal(headers["content-type"], "application/json");
        assert.deepEqual(JSON.parse(body), { count: 2 });
    }));

test("ifMatch: true sends the last seen ETag", () =>
    withServer([answer(2), answer(3), problem(412, "revision-mismatch", { session: session(5) }, { ETag: '"x-5"' })],
        async (client, server) => {
            await client.back("s");
            await client.back("s", {}, { ifMatch: true });
            assert.equal(server.requests[1].headers["if-match"], '"x-2"');
            const error = await client.back("s", {}, { ifMatch: true }).catch((thrown) => thrown);
            assert.equal(error.code, "revision-mismatch");
            assert.equal(server.requests.length, 3);
        }));

test("ifMatch: true after an event sends the ETag of the event, unless a later response was seen", () =>
    withServer([
        events([snapshot(1, 4)]), answer(5),
        events([change(1, 4)]),
        problem(412, "revision-mismatch", { session: session(7) }, { ETag: '"x-7"' }),
    ], async (client, server) => {
        await take(client.watch("s"), 1);
        await client.back("s", {}, { ifMatch: true });
        assert.equal(server.requests[1].headers["if-match"], '"x-4"');
        await take(client.watch("s"), 1);
        await assert.rejects(client.back("s", {}, { ifMatch: true }), { code: "revision-mismatch" });
        assert.equal(server.requests[3].headers["if-match"], '"x-5"');
        assert.equal(server.requests.length, 4);
    }));

test("ifMatch: true after an event of a session that was created again sends the ETag of that event", () => {
    const [id, type, data] = change(2, 3);
    const later = [id, type, { ...data, session: session(3, { createdAt: "2026-11-21T10:00:01Z" }) }];
    return withServer([
        answer(5), events([snapshot(1, 1)]), answer(5), events([later]), answer(6), events([snapshot(3, 2, { gap: true })]), answer(7),
    ], async (client, server) => {
        await client.back("s");
        for (const request of [2, 4, 6]) {
            await take(client.watch("s"), 1);
            await client.back("s", {}, { ifMatch: true });
            assert.equal(server.requests[request].headers["if-match"], ['"x-1"', '"x-3"', '"x-2"'][request / 2 - 1]);
        }
    });
});

test("ask presents a sheet, waits for as long as it takes, and returns the answer", () => {
    const sheet = { id: "e7", style: "sheet", route: "confirm", params: {}, presentedBy: "main", path: [] };
    const presented = json(200, { changed: true, added: ["e7", "e8"], removed: [], session: session(2, { sheets: [sheet] }) });
    const dismissed = { sheet: "e7", state: "dismissed", revision: 3, at: "2026-11-21T10:00:00Z", command: "dismiss", result: true };
    return withServer([
        presented, json(200, { sheet: "e7", state: "presented" }), json(200, dismissed),
    ], async (client, server) => {
        assert.deepEqual(await client.ask("s", { route: "confirm" }), dismissed);
        assert.deepEqual(server.requests.map(({ method, url }) => `${method} ${url}`), [
            "POST /v1/sessions/s/present", "GET /v1/sessions/s/sheets/e7", "GET /v1/sessions/s/sheets/e7",
        ]);
        assert.equal(server.requests[0].headers.prefer, "handling=strict");
        assert.equal(server.requests[1].headers.prefer, "wait=50");
    });
});

test("ask throws what refuses the sheet, and does not wait", () =>
    withServer([problem(409, "guarded", { guard: "member" })], async (client, server) => {
        await assert.rejects(client.ask("s", { route: "confirm" }), { code: "guarded" });
        assert.equal(server.requests.length, 1);
    }));

test("steps, sheets, watchers, facts, tabs and commands to many have their URLs and bodies", () =>
    withServer([json(200, {}), json(200, {}), json(200, {}), json(204), answer(2), answer(3), json(200, { results: [] })],
        async (client, server) => {
            await client.steps("a b", { from: 3, to: 5 });
            await client.sheet("s", "e4");
            await client.watchers("s", { shown: 4, seconds: 20 });
            await client.shown("s", { as: "wall", revision: 4 });
            await client.setFacts("s", { facts: { signedIn: true } });
            await client.setTabs("s", { hidden: ["b"] });
            await client.commandAll({ command: { command: "root" }, labels: { room: "lobby" } });
            assert.deepEqual(server.requests.map(({ method, url }) => `${method} ${url}`), [
                "GET /v1/sessions/a%20b/steps?from=3&to=5", "GET /v1/sessions/s/sheets/e4",
                "GET /v1/sessions/s/watchers?shown=4", "POST /v1/sessions/s/shown",
                "POST /v1/sessions/s/setFacts", "POST /v1/sessions/s/setTabs", "POST /v1/commands",
            ]);
            assert.equal(server.requests[1].headers.prefer, undefined);
            assert.equal(server.requests[2].headers.prefer, "wait=20");
            assert.deepEqual(JSON.parse(server.requests[3].body), { as: "wall", revision: 4 });
            assert.ok(server.requests[6].headers["idempotency-key"]);
        }));

test("a watch says who is watching, under which name, and asks for steps", () =>
    withServer([events([["", "watchers", { watchers: [{ as: "wall", since: "2026-11-21T10:00:00Z" }] }], snapshot(2, 1)])],
        async (client, server) => {
            const [first] = await take(client.watch("s", { as: "wall", steps: true, watchers: true }), 2);
            assert.deepEqual([first.type, first.watchers[0].as], ["watchers", "wall"]);
            assert.equal(server.requests[0].url, "/v1/sessions/s/events?as=wall&steps=true&watchers=true");
        }));

test("a watch comes back after the last event and says a gap", () =>
    withServer([
        events([snapshot(10, 1), change(11, 2)], "cut"),
        cut,
        events([change(12, 3)], "end"),
        events([snapshot(20, 9, { gap: true })]),
    ], async (client, server) => {
        const states = [];
        const watch = client.watch("s", { onStatus: ({ state }) => states.push(state) });
        const taken = await take(watch, 4);
        assert.deepEqual(taken.map(({ type, id, revision, gap }) => [type, id, revision, gap]), [
            ["snapshot", "10", 1, undefined], ["change", "11", 2, undefined],
            ["change", "12", 3, undefined], ["snapshot", "20", 9, true],
        ]);
        assert.deepEqual(server.requests.map(({ url }) => url.split("?")[1]), [undefined, "after=11", "after=11", "after=12"]);
        assert.deepEqual(states, ["connecting", "live", "waiting", "connecting", "waiting", "connecting", "live", "waiting", "connecting", "live"]);
    }));

test("a watch begins after the event that it is given", () =>
    withServer([events([change(12, 3)])], async (client, server) => {
        const [event] = await take(client.watch("s", { after: 11 }), 1);
        assert.equal(event.revision, 3);
        assert.equal(server.requests[0].url, "/v1/sessions/s/events?after=11");
    }));

test("a watch ends with deleted, and with a session that is found gone", () =>
    withServer([
        events([snapshot(1, 1), [2, "deleted", { id: "s" }]]),
        events([snapshot(1, 1)], "cut"), problem(404, "session-not-found"),
    ], async (client) => {
        for (const id of ["2", ""]) {
            const types = [];
            let last;
            for await (const event of client.watch("s")) types.push((last = event).type);
            assert.deepEqual(types, ["snapshot", "deleted"]);
            assert.equal(last.id, id);
        }
    }));

test("a stream that falls silent is given up and taken up again", () =>
    withServer([events([snapshot(1, 1)]), events([change(2, 2)])], async (_, server) => {
        const client = createClient({ url: server.url, silenceMilliseconds: 100 });
        const taken = await take(client.watch("s"), 2);
        assert.deepEqual(taken.map(({ revision }) => revision), [1, 2]);
        assert.equal(server.requests[1].url, "/v1/sessions/s/events?after=1");
    }));

test("a watch that is refused throws, and one that is stopped does not", () =>
    withServer([problem(401, "unauthorized"), events([snapshot(1, 1)])], async (client) => {
        await assert.rejects(take(client.watch("s"), 1), { code: "unauthorized" });
        const stop = new AbortController();
        const seen = [];
        for await (const event of client.watch("s", { signal: stop.signal })) {
            seen.push(event.type);
            setTimeout(() => stop.abort(), 20);
        }
        assert.deepEqual(seen, ["snapshot"]);
    }));

test("callbacks are told the same as the iterator", () =>
    withServer([events([snapshot(1, 1), change(2, 2), [3, "expired", { id: "s" }]])], async (client) => {
        const told = [];
        await new Promise((resolve, reject) => client.subscribe("s", {
            onSnapshot: ({ revision }) => told.push(["snapshot", revision]),
            onChange: ({ revision }) => told.push(["change", revision]),
            onEnd: ({ type }) => resolve(told.push([type])),
            onError: reject,
        }));
        assert.deepEqual(told, [["snapshot", 1], ["change", 2], ["expired"]]);
    }));

test("a callback that fails stops nothing", () =>
    withServer([events([snapshot(1, 1), change(2, 2), [3, "watchers", { watchers: [] }]], "cut"), events([change(4, 3), [5, "expired", { id: "s" }]]), problem(403, "forbidden")],
        async (client) => {
            const failures = [];
            const listeners = process.listeners("uncaughtException");
            process.removeAllListeners("uncaughtException");
            process.on("uncaughtException", (error) => failures.push(error.message));
            const failing = (name, then = () => {}) => () => {
                then();
                throw new Error(name);
            };
            const told = [];
            try {
                await new Promise((resolve, reject) => client.subscribe("s", {
                    onSnapshot: failing("snapshot"), onWatchers: failing("watchers"), onError: reject, onEnd: failing("end", resolve),
                    onChange: ({ revision }) => failing("change", () => told.push(revision))(),
                    onStatus: ({ state }) => failing(state)(),
                }));
                await new Promise((resolve) => client.subscribe("s", { onError: failing("error", resolve) }));
                await new Promise((resolve) => setTimeout(resolve, 20));
            } finally {
                process.removeAllListeners("uncaughtException");
                for (const listener of listeners) process.on("uncaughtException", listener);
            }
            assert.deepEqual(told, [2, 3]);
            assert.deepEqual(failures, ["connecting", "live", "snapshot", "change", "watchers", "waiting", "connecting", "live", "change", "end", "error"]);
        }));

test("a deletion whose answer was lost is done when it is repeated, and refused when it was the first", () =>
    withServer([cut, problem(404, "session-not-found"), problem(404, "app-not-found"), cut, problem(404, "app-not-found")], async (client) => {
        await client.delete("s");
        await assert.rejects(client.deleteApp("a"), { code: "app-not-found" });
        await client.deleteApp("a");
    }));

test("a proxy's own 404 ends no watch as deleted", () =>
    withServer([events([snapshot(1, 1)], "cut"), (_, response) => response.writeHead(404).end("lost")], async (client) => {
        const types = [];
        await assert.rejects(async () => {
            for await (const { type } of client.watch("s")) types.push(type);
        }, { status: 404 });
        assert.deepEqual(types, ["snapshot"]);
    }));

test("a stream of all comes back after its hello, with its filter, and says a gap", () =>
    withServer([
        events([[10, "hello", {}]], "cut"), events([[10, "hello", {}], change(11, 2)], "cut"),
        events([[30, "hello", { gap: true }]]),
    ], async (client, server) => {
        const taken = await take(client.watchAll({ app: "a", label: ["k:v", "l:w"] }), 4);
        assert.deepEqual(taken.map(({ type, id, gap }) => [type, id, gap]), [
            ["hello", "10", undefined], ["hello", "10", undefined], ["change", "11", undefined], ["hello", "30", true],
        ]);
        assert.deepEqual(server.requests.map(({ url }) => url), ["", "&after=10", "&after=11"].map((after) =>
            `/v1/events?app=a&label=k%3Av&label=l%3Aw${after}`));
    }));

test("watching no session at all asks nothing and ends", () =>
    withServer([cut], async (client, server) => {
        for await (const event of client.watchAll({ sessions: [] })) assert.fail(event.type);
        assert.equal(server.requests.length, 0);
    }));

test("waiting for a change sends the ETag and answers null when none came", () =>
    withServer([json(200, session(2), { ETag: '"x-2"' }), json(304)], async (client, server) => {
        await client.get("s");
        assert.equal(await client.waitForChange("s", { seconds: 5 }), null);
        assert.equal(server.requests[1].headers["if-none-match"], '"x-2"');
        assert.equal(server.requests[1].headers.prefer, "wait=5");
    }));

test("a dialog is asked until it is gone, and a press names it", () =>
    withServer([
        json(200, { changed: true, added: ["e9"], removed: [], session: session(2, { sheets: [{ id: "e9", path: [] }] }) }, { ETag: '"x-2"' }),
        json(200, { sheet: "e9", state: "presented" }),
        json(200, { sheet: "e9", state: "expired", revision: 3, at: "2026-11-21T10:00:00Z", command: "expire" }),
        answer(4),
    ], async (client, server) => {
        const state = await client.ask("s", { style: "alert", title: "Sure?" });
        assert.equal(state.state, "expired");
        await client.press("s", "e9", "ok");
        assert.equal(server.requests.at(-1).url, "/v1/sessions/s/dismiss");
        assert.deepEqual(JSON.parse(server.requests.at(-1).body), { sheet: "e9", button: "ok" });
    }));

test("a signal is told once, and does not move the place where the stream continues", () =>
    withServer([
        events([snapshot(7, 1), ["", "signal", { session: "s", name: "refresh", data: { a: 1 }, at: "2026-11-21T10:00:00Z", by: "desk" }]], "cut"),
        events([change(8, 2)]),
    ], async (client, server) => {
        const [, signal, next] = await take(client.watch("s", { signals: true }), 3);
        assert.deepEqual(signal, { type: "signal", id: "", sessionId: "s", name: "refresh", data: { a: 1 }, at: "2026-11-21T10:00:00Z", by: "desk" });
        assert.equal(next.session.revision, 2);
        assert.equal(server.requests[0].url, "/v1/sessions/s/events?signals=true");
        assert.match(server.requests[1].url, /signals=true&after=7$/);
    }));

test("a signal is sent once, whether or not it is answered", () =>
    withServer([cut], async (client, server) => {
        await assert.rejects(client.signal("s", { name: "refresh" }), TypeError);
        assert.equal(server.requests.length, 1);
        assert.equal(server.requests[0].url, "/v1/sessions/s/signal");
    }));

test("a bound session sends the commands of its session and returns the answer to a question", () => {
    const asked = json(200, {
        changed: true, added: ["e1"], removed: [],
        session: session(2, { sheets: [{ id: "e1", style: "sheet", route: "confirm", params: {}, path: [] }] }),
    });
    const state = (more) => json(200, { sheet: "e1", state: "dismissed", revision: 3, at: "", command: "dismiss", ...more });
    const script = [answer(2), answer(3), asked, state({ result: false }), asked, state({ button: "keep" }), asked, state({})];
    return withServer(script, async (client, server) => {
        const bound = client.session("s");
        assert.equal((await bound.navigate({ route: "home" }, { ifMatch: '"x"' })).session.revision, 2);
        await bound.setFacts({ staff: true });
        assert.equal(await bound.ask({ route: "confirm" }), false);
        assert.equal(await bound.ask({ route: "confirm" }), "keep");
        assert.equal(await bound.ask({ route: "confirm" }), undefined);
        assert.deepEqual(server.requests.slice(0, 2).map(({ url, body }) => [url, JSON.parse(body)]), [
            ["/v1/sessions/s/navigate", { route: "home" }],
            ["/v1/sessions/s/setFacts", { facts: { staff: true } }],
        ]);
        assert.equal(server.requests[0].headers["if-match"], '"x"');
    });
});

test("a bound session yields its states alone", () =>
    withServer([events([snapshot("1", 1), ["1", "watchers", { watchers: [] }], change("2", 2), ["", "deleted", { id: "s" }]])], async (client) => {
        const revisions = [];
        for await (const event of client.session("s").watch({ watchers: true })) revisions.push(event.session.revision);
        assert.deepEqual(revisions, [1, 2]);
    }));

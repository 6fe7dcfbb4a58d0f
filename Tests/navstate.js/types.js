// Uses that the client's types must let through and those that they must catch. It is never run:
// `tsc -p Tests/navstate.js` reads it, and complains also where an expected error is none.
import { createClient, NavstateError } from "../../Sources/Assets/web/navstate.js";

export async function usage() {
    const client = createClient({ url: "http://127.0.0.1:8080", token: "t", retries: 1 });
    createClient();
    await client.create();
    await client.create({ id: "a", labels: { room: "hall" } }, { idempotencyKey: "k" });
    await client.get("a");
    await client.get("a", { revision: 1 });
    await client.waitForChange("a");
    await client.restore("a", {}, { onlyCreate: true });
    await client.patch("a", { labels: { room: null }, ttlSeconds: null });
    const { session, popped = 0 } = await client.back("a");
    const depth = session.tabs[0].path.length + session.sheets.length + popped;
    await client.navigate("a", { route: "r", params: { n: depth } }, { ifMatch: true });

    for await (const { id, watchers, visible } of client.sessions({ q: "a", label: ["k:v"] })) {
        console.log(id.length + watchers, visible.route);
    }
    const { next } = await client.history("a", { limit: 1 });
    await client.history("a", { before: next });
    (await client.allowed("a")).push?.map((item) => item.route);
    (await client.createToken("a", { scope: "read" })).token.length;
    (await client.tokens("a")).tokens.map((token) => token.expiresAt?.length);
    (await client.checkApp("x", { tabs: [{ id: "main" }] })).errors.map((fault) => fault.detail);
    (await client.resolve("x", "x://y")).path?.length;

    for await (const event of client.watch("a", { after: 7 })) {
        if (event.type === "change") console.log(event.command.command, event.dropped?.[0].why);
        else if (event.type === "snapshot") console.log(event.session.revision, event.gap);
        else if (event.type === "watchers") console.log(event.watchers[0].shown);
        else if (event.type === "signal") console.log(event.name);
        else console.log(event.sessionId);
    }
    for await (const event of client.watchAll({ app: "chat" })) {
        if (event.type === "hello") console.log(event.gap);
        else if ("session" in event) console.log(event.session.id);
    }
    const stop = client.subscribeAll({ onChange: ({ session }) => console.log(session.id) });
    stop();

    const { result, command, button } = await client.ask("a", { route: "confirm", mark: "start" });
    console.log(result, command.length, button?.length);
    const { pressed } = await client.press("a", "e9", "delete");
    console.log(pressed?.e9.length, session.nextEntry + 1, session.visible.entry.length, session.visible.backTitle?.length);
    for (const { role, title } of session.sheets[0].buttons ?? []) console.log(role === "cancel" ? title : "");
    console.log(session.tabs[0].root?.params.q, session.tabs[0].path[0].locked, session.idle?.command.command);
    await client.patch("a", { idle: { seconds: 60, command: { command: "root", scope: "all" } } });
    (await client.signal("a", { name: "refresh", data: [1] })).delivered.toFixed();
    client.subscribe("a", { onSignal: ({ name, data, sessionId }) => console.log(name, data, sessionId) }, { signals: true });
    (await client.createToken("a", { scope: "control", commands: ["back"], routes: ["@people"] })).commands?.join();
    (await client.impact("x", { limit: 10 })).routes.map((route) => route.to ?? route.why);
    await client.create({ app: "x", template: "day", facts: { staff: true } });
    await client.create({ copyOf: "a", revision: 3 });
    await client.back("a", { to: { mark: "start" } });
    const { held, resumed, refused } = await client.setFacts("a", { facts: { staff: null } });
    console.log(held?.length, resumed?.command, refused?.detail);
    for (const step of (await client.steps("a", { from: 1 })).steps) {
        if (step.step === "pop") console.log(step.count);
        else if (step.step === "push") console.log(step.entry.mark);
    }
    const sheet = await client.sheet("a", "e1", { seconds: 5 });
    if (sheet.state === "dismissed") console.log(sheet.result);
    (await client.watchers("a", { shown: 3, seconds: 5 })).watchers.map((watcher) => watcher.as);
    await client.shown("a", { as: "wall", revision: 3 });
    for (const row of (await client.commandAll({ command: { command: "root" } })).results) {
        console.log(row.problem?.status ?? row.revision);
    }

    const bound = client.session("a");
    console.log((await bound.back({ count: 2 })).session.visible.route, await bound.ask({ route: "confirm" }));
    for await (const { type, session } of bound.watch({ as: "wall" })) console.log(type, session.revision);

    // @ts-expect-error A session is known by its id.
    client.session(1);
    // @ts-expect-error A sheet that is presented has no result.
    if (sheet.state === "presented") console.log(sheet.result);
    // @ts-expect-error A display has a name.
    await client.shown("a", { revision: 3 });
    // @ts-expect-error A command needs its members.
    await client.navigate("a", {});
    // @ts-expect-error There is no such mode.
    await client.navigate("a", { route: "r", mode: "sideways" });
    // @ts-expect-error There is no such option.
    await client.back("a", {}, { dryrun: true });
    // @ts-expect-error An id is a text.
    await client.get(1);
    // @ts-expect-error There is no such scope for one session.
    await client.createToken("a", { scope: "admin" });
    // @ts-expect-error The end of a session has no state.
    client.subscribe("a", { onEnd: (event) => event.session });
    try {
        await client.link("a");
    } catch (error) {
        if (error instanceof NavstateError) console.log(error.code, error.problem.errors?.[0].pointer);
    }
}

// The other panels on the right: the state as JSON, deep links, and any command by hand.
import { copyButton, h, notifyError, replace } from "./dom.js";
import { curlLine } from "./curl.js";

/** @typedef {import("./model.js").Model} Model */

const typingMilliseconds = 250;
const commands = [
    "navigate", "back", "root", "present", "dismiss", "select", "open", "setPath", "setParams",
    "setBadge", "setFacts", "setTabs", "batch", "undo", "redo",
];

/** @param {Model} model @param {HTMLElement} panel */
export function showJSON(model, panel) {
    const draw = () => {
        if (!model.shown) return replace(panel);
        if (panel.hidden) return;
        const text = JSON.stringify(model.shown, null, 2);
        replace(panel,
            h("div", { class: "panel-bar" }, h("span", { class: "dim", text: `Revision ${model.shown.revision}` }),
                copyButton("JSON", () => text)),
            h(
                "pre",
                { class: "json", tabindex: "0", "aria-label": "State as JSON", role: "region" },
                ...highlighted(text),
            ));
    };
    for (const name of ["session", "closed"]) model.on(name, draw);
    panel.addEventListener("show", draw);
    draw();
}

/** @param {string} text */
function highlighted(text) {
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g)) {
        parts.push(text.slice(at, match.index));
        const kind = match[2] ? "key" : match[1] ? "string" : "atom";
        parts.push(h("span", { class: `json-${kind}`, text: match[1] ?? match[0] }), match[2] ?? "");
        at = (match.index ?? 0) + match[0].length;
    }
    return [...parts, text.slice(at)];
}

// Deep links

/** @param {Model} model @param {HTMLElement} panel */
export function showLinks(model, panel) {
    const input = h(
        "input",
        {
            type: "text", id: "link-url", inputmode: "url", autocomplete: "off",
            spellcheck: "false", placeholder: "myapp://post/3",
        },
    );
    const outcome = h("div", { class: "outcome", "aria-live": "polite" });
    const go = h("button", { type: "submit", class: "primary", text: "Open", disabled: true });
    const patterns = h("div", { class: "patterns" });
    const here = h("div", { class: "here" });
    /** @type {any} */
    let timer;
    const look = async () => {
        const url = input.value.trim();
        go.disabled = true;
        if (!url || !model.session) return outcome.replaceChildren();
        const found = await preview(model, url);
        if (url !== input.value.trim()) return;
        outcome.replaceChildren(found.element);
        go.disabled = !found.isGood || !model.mayControl;
    };
    input.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(look, typingMilliseconds);
    });
    const open = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        await model.run("open", { url: input.value.trim() });
        look();
    };
    const use = (/** @type {string} */ pattern) => {
        input.value = pattern;
        const brace = pattern.indexOf("{");
        input.focus();
        if (brace >= 0) input.setSelectionRange(brace, pattern.indexOf("}") + 1);
        look();
    };
    const drawPatterns = () => {
        const links = model.app?.links ?? [];
        replace(patterns, links.length > 0 ? h("p", { class: "group-title", text: "The app’s links" }) : null,
            ...links.map((/** @type {any} */ link) => h("button", { type: "button", class: "pattern", text: link.pattern, data: { key: `pattern-${link.pattern}` }, onclick: () => use(link.pattern) })));
        replace(
            here,
            h(
                "button",
                {
                    type: "button", class: "small", text: "Link to this screen",
                    data: { key: "link-here" }, disabled: !model.session?.app,
                    onclick: () => showHere(model, here),
                },
            ),
        );
    };
    panel.append(
        h("form", { class: "link-form", onsubmit: open },
            h("label", { for: "link-url", text: "Deep link" }),
            h("div", { class: "joined" }, input, go)),
        outcome, patterns, here);
    let shown = "";
    model.on("session", () => {
        const now = `${model.session.id} ${model.app?.id} ${model.session.revision}`;
        if (now === shown) return;
        shown = now;
        drawPatterns();
        if (input.value) look();
    });
    model.on("closed", () => {
        shown = "";
        input.value = "";
        outcome.replaceChildren();
        drawPatterns();
    });
    drawPatterns();
}

/**
 * Shows what a link would do, without opening it.
 *
 * @param {Model} model
 * @param {string} url
 */
async function preview(model, url) {
    const { session } = model;
    try {
        const goal = session.app ? await model.client.resolve(session.app, url) : null;
        const answer = await model.client.open(session.id, { url }, { dryRun: true });
        return { isGood: answer.changed, element: effect(model, goal, answer) };
    } catch (error) {
        const { problem, message } = /** @type {any} */ (error);
        const element = h("p", { class: "form-error" }, h("span", { text: message }), problem ? h("code", { text: ` ${/** @type {any} */ (error).code}` }) : null);
        return { isGood: false, element };
    }
}

/** @param {Model} model @param {any} goal @param {any} answer */
function effect(model, goal, answer) {
    const after = answer.session;
    const tab = after.tabs.find((/** @type {any} */ item) => item.id === after.selectedTab);
    const steps = [model.tab(tab.id).title, ...tab.path.map((/** @type {any} */ entry) => screenName(model, entry)),
        ...after.sheets.flatMap((/** @type {any} */ sheet) => [
            `${sheet.style === "sheet" ? "sheet" : "cover"}: ${screenName(model, sheet)}`,
            ...sheet.path.map((/** @type {any} */ entry) => screenName(model, entry))])];
    const counts = [answer.added.length && `adds ${answer.added.length}`, answer.removed.length && `removes ${answer.removed.length}`].filter(Boolean).join(", ");
    return h("div", { class: "effect" },
        goal?.redirected ? h("p", { class: "dim" }, "redirected to ", h("code", { text: goal.redirected })) : null,
        goal?.matched === false ? h("p", { class: "dim", text: "matches no link, so it leads to the app’s notFound" }) : null,
        answer.held ? h("p", { class: "dim", text: `held back by the guard ${answer.held}` }) : null,
        goal?.pattern ? h("p", { class: "dim" }, "matches ", h("code", { text: goal.pattern })) : null,
        h("ol", { class: "crumbs" }, ...steps.map((step) => h("li", { text: step }))),
        h("p", { class: "dim", text: answer.changed ? `Would show this (${counts || "moves entries"}).` : `No effect: ${answer.reason.replaceAll("-", " ")}.` }));
}

/** @param {Model} model @param {any} screen */
function screenName(model, screen) {
    const params = Object.keys(screen.params).length > 0 ? ` ${JSON.stringify(screen.params)}` : "";
    return model.routeTitle(screen.route) + params;
}

/** @param {Model} model @param {HTMLElement} place */
async function showHere(model, place) {
    try {
        const { url } = await model.client.link(model.session.id);
        place.append(
            h(
                "div", { class: "curl-line" }, h("code", { class: "curl-text", text: url }),
                copyButton("deep link", () => url),
            ),
        );
    } catch (error) {
        notifyError(error);
    }
}

// Any command

/** @param {Model} model @param {HTMLElement} panel */
export function showCommands(model, panel) {
    const name = h(
        "select", { id: "command-name" },
        ...commands.map((item) => h("option", { value: item, text: item })),
    );
    const body = h(
        "textarea", { id: "command-body", rows: "7", spellcheck: "false", class: "code" },
    );
    body.value = "{}";
    const result = h("div", { class: "outcome", "aria-live": "polite" });
    const run = async (/** @type {boolean} */ isDry) => {
        if (!model.session) return;
        try {
            const members = JSON.parse(body.value || "{}");
            const answer = isDry
                ? await model.client.command(
                    model.session.id, name.value, members, { dryRun: true },
                )
                : await model.attempt(name.value, members);
            const { session, ...rest } = answer;
            result.replaceChildren(h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": "Response" },
                ...highlighted(JSON.stringify({ ...rest, visible: session?.visible }, null, 2))));
        } catch (error) {
            const { problem, message } = /** @type {any} */ (error);
            result.replaceChildren(h("p", { class: "form-error", text: message }),
                problem ? h(
                    "pre",
                    { class: "json", tabindex: "0", role: "region", "aria-label": "Problem" },
                    ...highlighted(JSON.stringify(problem, null, 2)),
                ) : "");
        }
    };
    const line = () => curlLine({ method: "POST", url: `${location.origin}/v1/sessions/${encodeURIComponent(model.id ?? "ID")}/${name.value}`, body: body.value.trim() }, Boolean(model.client.token));
    panel.append(h("form", { class: "dialog-form", onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        run(false);
    } },
    h("div", { class: "field" }, h("label", { for: "command-name", text: "Command" }), name),
    h("div", { class: "field" }, h("label", { for: "command-body", text: "Body (JSON)" }), body),
    h("footer", { class: "dialog-foot" }, copyButton("curl line of this command", line, "curl"),
        h("button", { type: "button", text: "Dry run", onclick: () => run(true) }),
        h("button", { type: "submit", class: "primary", text: "Send" }))), result);
    model.on("closed", () => result.replaceChildren());
}

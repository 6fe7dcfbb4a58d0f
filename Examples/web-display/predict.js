// What a tap will most likely lead to, played on a copy of the state while the service is asked.
// It knows just the commands that this app's own buttons send, and need not be right: the answer
// corrects it. An entry that the service has not named yet has an id of its own making.

let made = 0;

/** The session after the command. */
export function predict(session, command, body) {
    const next = structuredClone(session);
    const play = { navigate, back, select, present, dismiss }[command];
    play?.(next, body);
    derive(next);
    return next;
}

function container(session) {
    return session.sheets.at(-1) ?? session.tabs.find((tab) => tab.id === session.selectedTab);
}

function newId() {
    made += 1;
    return `mine-${made}`;
}

function navigate(session, { route, params = {} }) {
    container(session).path.push({ id: newId(), route, params });
}

function back(session) {
    const { path } = container(session);
    if (path.length > 0) path.pop();
    else if (session.sheets.length > 0) session.sheets.pop();
    else selectLast(session);
}

// The app declares `"tabBack": "history"`.
function selectLast(session) {
    const last = (session.tabHistory ?? []).at(-1);
    if (!last) return;
    session.selectedTab = last;
    session.tabHistory = session.tabHistory.slice(0, -1);
}

function select(session, { tab }) {
    if (session.selectedTab === tab) container(session).path = [];
    session.selectedTab = tab;
}

function present(session, { route, params = {}, style = "sheet" }) {
    session.sheets.push({ id: newId(), route, params, style, presentedBy: "", path: [] });
}

function dismiss(session, { sheet }) {
    const at = sheet ? session.sheets.findIndex((item) => item.id === sheet) : session.sheets.length - 1;
    if (at >= 0) session.sheets.length = at;
}

function derive(session) {
    const active = container(session);
    const top = active.path.at(-1) ?? (session.sheets.length > 0 ? active : undefined);
    session.visible = {
        container: active.id, entry: top?.id, route: top?.route ?? active.id, params: top?.params ?? {},
        tabBarHidden: session.sheets.length > 0,
    };
}

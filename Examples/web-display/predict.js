// The most likely effect of a tap, played on a copy of the state while the service is asked.
// It knows just the commands that this app's own buttons send, and need not be right: the answer
// corrects it. A new entry gets the id that the service will most likely give it.

const dialogs = new Set(["alert", "confirmationDialog"]);
/** The styles that cover the tab bar. */
const covering = new Set(["sheet", "fullScreenCover"]);

/** The session after the command. */
export function predict(session, command, body) {
    const next = structuredClone(session);
    const play = { navigate, back, select, present, dismiss }[command];
    play?.(next, body);
    derive(next);
    return next;
}

function selectedTab(session) {
    return session.tabs.find((tab) => tab.id === session.selectedTab);
}

function container(session) {
    return session.sheets.at(-1) ?? selectedTab(session);
}

function newId(session) {
    const id = `e${session.nextEntry}`;
    session.nextEntry += 1;
    return id;
}

/** Whether a dialog waits for an answer. Then nothing can be put on top of it. */
function isAsking(session) {
    return dialogs.has(session.sheets.at(-1)?.style);
}

/** Whether navigation does not remove a sheet, or an entry on its path. */
function isLocked(sheet) {
    return sheet.dismissible === false || sheet.path.some((entry) => entry.locked);
}

function navigate(session, { route, params = {} }) {
    if (isAsking(session)) return;
    container(session).path.push({ id: newId(session), route, params });
}

// On a dialog a step back presses the button `cancel`, without which it is locked.
function back(session) {
    const { path } = container(session);
    const sheet = session.sheets.at(-1);
    if (path.length > 0) {
        if (!path.at(-1).locked) path.pop();
    } else if (sheet) {
        if (sheet.dismissible !== false) session.sheets.pop();
    } else selectLast(session);
}

// The app declares `"tabBack": "history"`.
function selectLast(session) {
    const last = (session.tabHistory ?? []).at(-1);
    if (!last) return;
    session.selectedTab = last;
    session.tabHistory = session.tabHistory.slice(0, -1);
}

function select(session, { tab }) {
    if (session.selectedTab === tab) emptyPath(session, selectedTab(session));
    session.selectedTab = tab;
}

// The sheets that its entries presented go as well, with all above them.
function emptyPath(session, tab) {
    const gone = new Set(tab.path.map((entry) => entry.id));
    const at = session.sheets.findIndex((sheet) => gone.has(sheet.presentedBy));
    const sheets = at < 0 ? [] : session.sheets.slice(at);
    if (tab.path.some((entry) => entry.locked) || sheets.some(isLocked)) return;
    tab.path = [];
    if (at >= 0) session.sheets.length = at;
}

function present(session, { route, params = {}, style = "sheet" }) {
    if (isAsking(session)) return;
    const presentedBy = session.visible.entry ?? session.visible.container;
    session.sheets.push({ id: newId(session), route, params, style, presentedBy, path: [] });
}

function dismiss(session, { sheet, button, force = false }) {
    const at = sheet ? session.sheets.findIndex((item) => item.id === sheet) : session.sheets.length - 1;
    if (at < 0) return;
    if (button === undefined && !force && session.sheets.slice(at).some(isLocked)) return;
    session.sheets.length = at;
}

function derive(session) {
    const active = container(session);
    const root = session.sheets.length > 0 ? active : active.root ?? { route: active.id, params: {} };
    const { route, params } = active.path.at(-1) ?? root;
    session.visible = {
        container: active.id, entry: active.path.at(-1)?.id ?? active.id, route, params,
        tabBarHidden: session.sheets.some((item) => covering.has(item.style)),
    };
}

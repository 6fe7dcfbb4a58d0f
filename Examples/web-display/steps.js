// Carries out one step of the way from one revision to the next on a copy of the session, so that the
// display can draw, and animate, each state in between.

/** The session after a step; `visible` and the other derived members stay as they are. */
export function applyStep(session, step) {
    const next = structuredClone(session);
    const play = { tabs, dismiss, select, pop, push, present, params, badge }[step.step];
    play?.(next, step);
    return next;
}

function pathOf(session, name) {
    return [...session.tabs, ...session.sheets].find((container) => container.id === name)?.path ?? [];
}

function tabs(session, { order, hidden = [] }) {
    session.tabs = order.map((id) => {
        const { hidden: _, ...tab } = session.tabs.find((item) => item.id === id) ?? { id, path: [] };
        return hidden.includes(id) ? { ...tab, hidden: true } : tab;
    });
}

function dismiss(session, { sheet }) {
    session.sheets = session.sheets.filter((item) => item.id !== sheet);
}

function select(session, { tab }) {
    session.selectedTab = tab;
}

function pop(session, step) {
    pathOf(session, step.in).splice(-step.count);
}

function push(session, step) {
    pathOf(session, step.in).push(step.entry);
}

function present(session, { sheet }) {
    session.sheets.push(structuredClone(sheet));
}

function params(session, { entry }) {
    const tab = session.tabs.find((item) => item.id === entry.id);
    if (tab) {
        tab.root = structuredClone(entry);
        return;
    }
    const screens = [...session.sheets, ...[...session.tabs, ...session.sheets].flatMap((item) => item.path)];
    const screen = screens.find((item) => item.id === entry.id);
    if (!screen) return;
    // A mark, a lock or a time that the step does not name is gone.
    for (const name of ["mark", "locked", "dismissible", "expiresAt"]) delete screen[name];
    Object.assign(screen, structuredClone(entry));
}

function badge(session, step) {
    const tab = session.tabs.find((item) => item.id === step.tab);
    if (!tab) return;
    if (step.badge === undefined) delete tab.badge;
    else tab.badge = step.badge;
}

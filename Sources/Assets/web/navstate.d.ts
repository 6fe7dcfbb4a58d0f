// The types of navstate.js. The server serves this file beside the module, at /navstate.d.ts.
//
// The first part is about an app: `navstate app generate typescript` writes an interface such as
// `Chat`, and `client.session<Chat>(id)` knows its routes, params, tabs, facts and answers.

// An app

/** The types of an app. */
export interface AppTypes {
    /** The params of each route, as they are read. */
    params: object;
    /** The answers to the questions and dialogs. */
    results: object;
    facts: object;
    /** The params that may be left out where they are written, by route. */
    defaults: object;
    tab: string;
    /** The routes that can be pushed. */
    push: string;
    /** The routes that can be presented. */
    present: string;
}

/** Any app: without types of its own. */
export interface AnyApp extends AppTypes {
    params: Record<string, Params>;
    results: Record<string, any>;
    facts: Record<string, any>;
    defaults: {};
}

type Omissible<A extends AppTypes, R> = R extends keyof A["defaults"] ? A["defaults"][R] : never;
type Written<A extends AppTypes, R extends keyof A["params"], P = A["params"][R]> =
    Omissible<A, R> extends never ? P
        : Omit<P, Omissible<A, R> & keyof P> & Partial<Pick<P, Omissible<A, R> & keyof P>>;

/** A route with its params, which may be left out if none is required. */
export type Place<A extends AppTypes, R> = R extends keyof A["params"] & string
    ? { route: R } & ({} extends Written<A, R> ? { params?: Written<A, R> } : { params: Written<A, R> })
    : never;

/** A visible screen: comparing its `route` tells the type of its `params`. */
export type Shown<A extends AppTypes> = {
    [R in keyof A["params"]]: Omit<Session["visible"], "route" | "params">
        & { route: R, params: A["params"][R] }
}[keyof A["params"]];

/** The session of an app. */
export type AppSession<A extends AppTypes> = Omit<Session, "selectedTab" | "visible" | "facts">
    & { selectedTab: A["tab"], visible: Shown<A>, facts?: A["facts"] };
export type AppAnswer<A extends AppTypes> = Omit<Answer, "session"> & { session: AppSession<A> };
/** An event with the session as it is then. */
export type AppEvent<A extends AppTypes> = Omit<SnapshotEvent | ChangeEvent, "session">
    & { session: AppSession<A> };
type More<C extends keyof Bodies, K extends string> = Omit<Bodies[C], K>;

/** The calls of a client about one session. */
export class BoundSession<A extends AppTypes = AnyApp> {
    constructor(client: NavstateClient, id: string);
    readonly client: NavstateClient;
    readonly id: string;
    get(): Promise<AppSession<A>>;
    /** Any command by its name. */
    command(name: string, body?: object, options?: ChangeOptions): Promise<AppAnswer<A>>;
    navigate<R extends A["push"]>(
        body: Place<A, R> & More<"navigate", "route" | "params">, options?: ChangeOptions,
    ): Promise<AppAnswer<A>>;
    present<R extends A["present"]>(
        body: Place<A, R> & More<"present", "route" | "params">, options?: ChangeOptions,
    ): Promise<AppAnswer<A>>;
    /**
     * Presents a screen that asks, and waits for the answer: the result of a sheet, or the button of
     * a dialog. Undefined if nobody answered.
     */
    ask<R extends keyof A["results"] & A["present"]>(
        body: Place<A, R> & More<"present", "route" | "params">, options?: ChangeOptions,
    ): Promise<A["results"][R] | undefined>;
    select(
        body: { tab: A["tab"] } & More<"select", "tab">, options?: ChangeOptions,
    ): Promise<AppAnswer<A>>;
    setFacts(
        facts: { [F in keyof A["facts"]]?: A["facts"][F] | null }, options?: ChangeOptions,
    ): Promise<AppAnswer<A>>;
    back(body?: Bodies["back"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    root(body?: Bodies["root"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    dismiss(body?: Bodies["dismiss"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    open(body: Bodies["open"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    setPath(body: Bodies["setPath"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    undo(body?: Bodies["undo"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    redo(body?: Bodies["redo"], options?: ChangeOptions): Promise<AppAnswer<A>>;
    /** Yields the session now, and then after each change, until it ends. */
    watch(options?: WatchOptions & SessionWatchOptions): AsyncGenerator<AppEvent<A>, void, undefined>;
}

/**
 * A session whose commands are shown before the server has answered, by the server's own rules. The
 * promise of a command is the server's answer, however long that takes.
 */
export interface RulesSession<A extends AppTypes = AnyApp> extends Omit<BoundSession<A>, "watch"> {
    /** What to show: the confirmed state with the pending commands carried out. */
    readonly state: AppSession<A>;
    /** The newest state that the server has sent. */
    readonly confirmed: AppSession<A> | undefined;
    /** The commands that the server has not answered, in their order. */
    readonly pending: Command[];
    /** Whether commands are shown at once: the document of the app could be read. */
    readonly predicts: boolean;
    readonly isOffline: boolean;
    /** Of the stream. */
    readonly connection: WatchStatus["state"];
    /** What is allowed in the state that is shown, also without a connection. */
    allowed(): Promise<Allowed>;
    /** The deep link of the visible screen. */
    link(): Promise<string | null>;
    /** Whether a guard of the app holds; null if that is not known. */
    holds(guard: string): boolean | null;
    /** Yields the state to show now, and then whenever it is another one. */
    watch(options?: { signal?: AbortSignal }): AsyncGenerator<
        { session: AppSession<A>, isPredicted: boolean }, void, undefined>;
    /** Ends the stream, and rejects the commands without an answer. */
    close(): void;
}

/** `as`, `signals`, `watchers` and the last callbacks are those of a stream. */
export interface RulesSessionOptions {
    /** A state to show, and the app's document, until the server has sent newer ones. */
    from?: Session;
    app?: App;
    as?: string;
    signals?: boolean;
    watchers?: boolean;
    /** Another state is to be shown. */
    onShow?: (session: Session, how: { isPredicted: boolean }) => void;
    /** A state that the server has confirmed. */
    onConfirm?: (session: Session) => void;
    /** The rules have another document of the app, or none: titles and `allowed` may differ. */
    onApp?: () => void;
    /**
     * The server has refused a command that was shown, or has answered otherwise, or the session has
     * ended before.
     */
    onConflict?: (conflict: { command: Command, problem?: Problem, answer?: Answer }) => void;
    onStatus?: (status: WatchStatus) => void;
    onSignal?: (event: SignalEvent) => void;
    onWatchers?: (event: WatchersEvent) => void;
    onEnd?: (event: EndEvent) => void;
    onError?: (error: unknown) => void;
}

// A client

/** Creates a client for one server. */
export function createClient(options?: ClientOptions): NavstateClient;

/** An error response of the server. */
export class NavstateError extends Error {
    constructor(problem: Problem, headers?: Headers);
    problem: Problem;
    status: number;
    /** The last part of the problem type, such as `session-not-found`. */
    code: string;
    etag: string | undefined;
    retryAfterSeconds: number;
}

/** The commands: each is a method of a client. */
export type Commands = {
    [C in keyof Bodies]: C extends Bodiless
        ? (id: string, body?: Bodies[C], options?: ChangeOptions) => Promise<Answer>
        : (id: string, body: Bodies[C], options?: ChangeOptions) => Promise<Answer>
};

type Aborting = { signal?: AbortSignal };

export interface NavstateClient extends Commands {}
export class NavstateClient {
    constructor(options: ClientOptions);
    url: string;
    token: string | undefined;
    retries: number;
    silenceMilliseconds: number;
    onRequest: ((request: SentRequest) => void) | undefined;
    fetch: typeof globalThis.fetch;

    /** The calls about one session, with the types of its app. */
    session<A extends AppTypes = AnyApp>(id: string, options?: { rules?: false }): BoundSession<A>;
    /** The same with prediction: loads navstate-rules.js and the rules. */
    session<A extends AppTypes = AnyApp>(
        id: string, options: { rules: true } & RulesSessionOptions,
    ): Promise<RulesSession<A>>;

    create(body?: {
        id?: string, app?: string, template?: string, tabs?: string[], selectedTab?: string,
        tabBack?: "none" | "first" | "history", facts?: Record<string, any>, copyOf?: string,
        revision?: number, ttlSeconds?: number, idle?: Idle, labels?: Record<string, string>,
    }, options?: ChangeOptions): Promise<Session>;
    get(id: string, options?: { revision?: number } & Aborting): Promise<Session>;
    waitForChange(id: string, options?: { seconds?: number } & Aborting): Promise<Session | null>;
    list(filter?: SessionFilter): Promise<{ sessions: SessionSummary[], next?: string }>;
    sessions(filter?: SessionFilter): AsyncGenerator<SessionSummary, void, undefined>;
    delete(id: string, options?: ChangeOptions): Promise<void>;
    patch(id: string, patch: {
        labels?: Record<string, string | null> | null, ttlSeconds?: number | null,
        idle?: Idle | null,
    }, options?: ChangeOptions): Promise<Session>;
    restore(
        id: string, state: object, options?: ChangeOptions & { onlyCreate?: boolean },
    ): Promise<Session>;
    history(
        id: string, page?: { limit?: number, before?: number } & Aborting,
    ): Promise<{ history: HistoryItem[], next?: number }>;
    allowed(id: string, options?: Aborting): Promise<Allowed>;
    link(id: string): Promise<{ url: string }>;
    steps(
        id: string, range: { from: number, to?: number } & Aborting,
    ): Promise<{ from: number, to: number, steps: Step[] }>;

    sheet(id: string, sheet: string, options?: { seconds?: number } & Aborting): Promise<SheetState>;
    ask(
        id: string, body: Bodies["present"], options?: ChangeOptions,
    ): Promise<Exclude<SheetState, { state: "presented" }>>;
    press(id: string, dialog: string, button: string, options?: ChangeOptions): Promise<Answer>;
    signal(
        id: string, body: { name: string, data?: any }, options?: Aborting,
    ): Promise<{ delivered: number }>;

    watchers(
        id: string, options?: { shown?: number, seconds?: number } & Aborting,
    ): Promise<{ watchers: Watcher[] }>;
    shown(id: string, body: { as: string, revision: number }, options?: Aborting): Promise<void>;

    createToken(id: string, body: {
        scope: "control" | "read", name?: string, ttlSeconds?: number, commands?: string[],
        routes?: string[],
    }): Promise<TokenHeading & { token: string }>;
    tokens(id: string): Promise<{ tokens: TokenHeading[] }>;
    revokeToken(id: string, tokenId: string): Promise<void>;

    apps(): Promise<{ apps: { id: string, title?: string }[] }>;
    app(app: string): Promise<App>;
    putApp(app: string, document: App): Promise<StoredApp>;
    checkApp(
        app: string, document: App, page?: { limit?: number, cursor?: string },
    ): Promise<AppReport>;
    impact(app: string, page?: { limit?: number, cursor?: string } & Aborting): Promise<Impact>;
    deleteApp(app: string): Promise<void>;
    resolve(app: string, url: string): Promise<Resolution>;

    command(id: string, name: string, body?: object, options?: ChangeOptions): Promise<Answer>;
    commandAll(body: {
        command: Command, app?: string, labels?: Record<string, string>, sessions?: string[],
        visible?: string, idle?: number,
    }, options?: Omit<ChangeOptions, "ifMatch">): Promise<{ results: CommandResult[] }>;

    watch(
        id: string, options?: WatchOptions & SessionWatchOptions,
    ): AsyncGenerator<WatchEvent, void, undefined>;
    watchAll(options?: WatchFilter & WatchOptions): AsyncGenerator<WatchAllEvent, void, undefined>;
    subscribe(
        id: string, callbacks: Callbacks,
        options?: { after?: string | number } & SessionWatchOptions,
    ): () => void;
    subscribeAll(
        callbacks: Callbacks, filter?: WatchFilter & { after?: string | number },
    ): () => void;
}

/** Also where the browser has no `crypto.randomUUID`. */
export function randomUUID(): string;

/** Reads `text/event-stream` as it arrives, cut anywhere. */
export class EventStreamParser {
    push(bytes: Uint8Array): {
        id: string, event: string, data: string, retryMilliseconds: number | undefined,
    }[];
}

// Bodies, sessions and events

// Made by Sources/Assets/generate.py of openapi.yaml:
/** `q` is the start of the id, a label is `key:value`, `limit` is the size of a page. */
export type SessionFilter = { q?: string, app?: string, label?: string | string[], visible?: string,
    idle?: number, limit?: number, cursor?: string, signal?: AbortSignal };
/** The body of each command. */
export interface Bodies {
    navigate: { route: string, params?: Params, in?: string, mark?: string, mode?: "push" |
        "single" | "popTo" | "toFront" | "replace" | "reset", locked?: boolean, select?: boolean,
        sheets?: "keep" | "dismiss" | "reject" | "force", force?: boolean };
    back: { count?: number, to?: { entry: string } | { route: string } | { mark: string },
        inclusive?: boolean, within?: "any" | "path", force?: boolean };
    root: { scope?: "tab" | "path" | "all", sheets?: "keep" | "dismiss" | "reject" | "force",
        force?: boolean };
    present: { route?: string, params?: Params, mark?: string, style?: "sheet" | "fullScreenCover" |
        "popover" | "inspector" | "alert" | "confirmationDialog", tag?: string, title?: string,
        message?: string, buttons?: { id: string, title: string, role?: "cancel" |
        "destructive" }[], anchor?: string, detents?: string[], dismissible?: boolean,
        ttlSeconds?: number, path?: { route: string, params?: Params, mark?: string }[],
        force?: boolean };
    dismiss: { sheet?: string, tag?: string, all?: boolean, result?: any, button?: string,
        force?: boolean };
    select: { tab: string, reselect?: "popToRoot" | "none", params?: Params, mark?: string,
        root?: boolean, sheets?: "keep" | "dismiss" | "reject" | "force", force?: boolean };
    open: { url: string, mode?: "replace" | "push" | "update", sheets?: "keep" | "dismiss" |
        "reject" | "force", tab?: string, force?: boolean };
    setPath: { in: string, path: { id?: string, route: string, params?: Params, mark?: string,
        locked?: boolean }[], sheets?: "keep" | "dismiss" | "reject" | "force", force?: boolean };
    setParams: { entry?: string, params?: Params, locked?: boolean, mode?: "merge" | "replace" };
    setBadge: { tab: string, badge: number | string | null };
    setTabs: { order?: string[], hidden?: string[] };
    setFacts: { facts: Record<string, any> };
    batch: { commands: Command[] };
    undo: { count?: number };
    redo: { count?: number };
}
/** The commands that may be sent without a body. */
export type Bodiless = "back" | "root" | "dismiss" | "undo" | "redo";
// End of it.

export type Params = Record<string, any>;
/** A locked one stays until a command with `force` removes it. */
export type Entry = { id: string, route: string, params: Params, mark?: string, locked?: true,
    title?: string };
/** `root` is there if the lowest entry is not as the app declares it; its id is that of the tab. */
export type Tab = { id: string, badge?: number | string, hidden?: true, root?: Entry,
    path: Entry[] };
export type DialogButton = { id: string, title: string, role?: "cancel" | "destructive" };
/** An alert or a confirmation dialog has `buttons`, and no path. */
export type Sheet = Omit<Entry, "locked"> & { style: "sheet" | "fullScreenCover" | "popover" |
    "inspector" |
    "alert" | "confirmationDialog", tag?: string, message?: string, buttons?: DialogButton[],
    anchor?: string, detents?: string[], dismissible?: false, expiresAt?: string,
    presentedBy: string, path: Entry[] };
/** A command for when nothing has changed. */
export type Idle = { seconds: number, command: Command };
export interface Session {
    id: string;
    revision: number;
    app?: string;
    labels?: Record<string, string>;
    /** The facts that the app declares. */
    facts?: Record<string, any>;
    /** Of a free-form session: what `back` does on a tab's root. */
    tabBack?: "first" | "history";
    ttlSeconds?: number;
    /** Stands in place of that of the app. */
    idle?: Idle;
    createdAt: string;
    updatedAt: string;
    expiresAt?: string;
    selectedTab: string;
    tabHistory?: string[];
    /** The user has reordered the tabs. */
    ownOrder?: true;
    pending?: Pending;
    tabs: Tab[];
    sheets: Sheet[];
    /** On a tab's root `entry` is the id of the tab. */
    visible: { container: string, entry: string, route: string, params: Params, title?: string,
        backTitle?: string, tabBarHidden: boolean };
    canGoBack: boolean;
    canUndo: boolean;
    canRedo: boolean;
    /** The number of the next id: 12 for `e12`. */
    nextEntry: number;
}
export type Command = { command: string } & Record<string, any>;
/**
 * The command that a guard holds back until its facts are set, and the sheet or entry that is shown
 * instead. It is `answered` if that sheet was dismissed with a result.
 */
export type Pending = { guard: string, command: Command, entry?: string, answered?: true };
/**
 * `pressed` has the buttons that were pressed, by the ids of their dialogs. `held` names the guard
 * that held the command back; `resumed` is a pending command that was carried out, or `refused`;
 * one that is `givenUp` will not be.
 */
export type Answer = { changed: boolean, reason?: string, added: string[], removed: string[],
    session: Session, revision?: number, popped?: number, selected?: string, undone?: number,
    redone?: number, results?: object[], held?: string, resumed?: Command, refused?: Problem,
    givenUp?: Command, dropped?: Dropped[], moved?: Moved[], pressed?: Record<string, string> };
export type CommandResult = { session: string, changed?: boolean, revision?: number,
    delivered?: number,
    problem?: Problem } & Partial<Answer>;
/** One animation on the way from one revision to another. */
export type Step = { step: "tabs", order: string[], hidden?: string[] } | { step: "dismiss",
    sheet: string }
    | { step: "select", tab: string } | { step: "pop", in: string, count: number }
    | { step: "push", in: string, entry: Entry } | { step: "present", sheet: Sheet }
    | { step: "params", entry: Entry & { dismissible?: false, expiresAt?: string } } | {
        step: "badge", tab: string, badge?: number | string };
/**
 * `command` is what removed the sheet, `result` what it was dismissed with, and `button` that of a
 * dialog that was pressed. Time has removed one that is `expired`.
 */
export type SheetState = { sheet: string, state: "presented" } | { sheet: string,
    state: "dismissed" | "expired",
    revision: number, at: string, command: string, result?: any, button?: string };
export type Watcher = { as?: string, since: string, shown?: number };
export type Problem = { type: string, title: string, status: number, detail: string,
    instance?: string,
    errors?: { pointer: string, detail: string }[], session?: Session } & Record<string, any>;
export interface ChangeOptions {
    /** An ETag, or true for the last state that this client has seen. */
    ifMatch?: string | true;
    /** Generated by default; false sends none and disables retries. */
    idempotencyKey?: string | false;
    /** Returns the full response without changing anything. */
    dryRun?: boolean;
    /** A command without effect is a 409 instead of `changed: false`. */
    strict?: boolean;
    /** The response of a command has `revision` instead of `session`. */
    minimal?: boolean;
    signal?: AbortSignal;
}
export type SessionSummary = { id: string, revision: number, etag: string, app?: string,
    labels?: Record<string, string>, selectedTab: string, visible: Session["visible"],
        updatedAt: string, expiresAt?: string,
    watchers: number };
/** `by` is the name of the token that made the change. */
export type HistoryItem = { revision: number, at: string, command: Command, by?: string,
    added: string[],
    removed: string[], held?: string, resumed?: Command, refused?: Problem, givenUp?: Command,
    dropped?: Dropped[], droppedTabs?: string[], moved?: Moved[], pressed?: Record<string,
        string> };
/** A screen that has another route, because the app has replaced its route. */
export type Moved = { id: string, from: string, route: string };
/** Removed because the app no longer allows it, or because a guard fails. */
export type Dropped = { id: string, route: string, why: string };
/** `params` is the JSON Schema of its params. */
export type AllowedRoute = { route: string, title?: string, params?: any, styles?: Sheet["style"][],
    guard?: string | string[], holds?: boolean };
/**
 * If `push` and `present` are absent, any route is allowed. `buttons` are those of the dialog on
 * top, and `commands` those of a token that is limited to some.
 */
export type Allowed = { push?: AllowedRoute[], present?: AllowedRoute[], canGoBack: boolean,
    $defs?: Record<string, any>, tabs: { id: string, title?: string, icon?: string,
    root?: string | { route: string, params?: Params }, params?: any, guard?: string | string[],
    holds?: boolean }[], buttons?: string[], commands?: string[] };
/** The declared graph. */
export type App = { tabs: { id: string }[] } & Record<string, any>;
export type Fault = { pointer?: string, parameter?: string, detail: string };
export type StoredApp = { app: App, warnings: Fault[] };
export type AppReport = { valid: boolean, errors: Fault[], warnings: Fault[], impact?: Impact };
/**
 * How a page of the sessions of an app would change: screens that move to another route, and those
 * lost.
 */
export type Impact = { sessions: number, affected: number, moved: number, losing: number, routes: {
    route: string,
    to?: string, why?: string, sessions: number, screens: number }[], next?: string };
/**
 * If `path` is absent, the tab keeps its path. `matched: false` means that the URL leads to the
 * app's `notFound`.
 */
export type Resolution = { tab: string, path?: { route: string, params: Params }[],
    pattern?: string,
    present?: { route: string, params: Params, style: Sheet["style"] } & Record<string, any>,
    redirected?: string, matched?: false, nearLinks?: NearLink[] };
/** A link that a URL nearly matches, and what differs. */
export type NearLink = { pattern: string, why: "unfit" | "absent" | "differs" | "case" | "spelling",
    at: string,
    detail: string };
/** One for control may be limited to commands, and to routes or groups of them. */
export type TokenHeading = { id: string, scope: "control" | "read", name?: string,
    createdAt?: string,
    expiresAt?: string, commands?: string[], routes?: string[] };
export type SnapshotEvent = { type: "snapshot", id: string, revision: number, etag: string,
    session: Session,
    gap?: boolean };
export type ChangeEvent = { type: "change", id: string, revision: number, etag: string,
    session: Session,
    command: Command, by?: string, added: string[], removed: string[], held?: string,
    resumed?: Command, refused?: Problem, givenUp?: Command, dropped?: Dropped[],
    droppedTabs?: string[], moved?: Moved[], pressed?: Record<string, string>,
    steps?: Step[] };
export type WatchersEvent = { type: "watchers", id: string, watchers: Watcher[] };
/** `id` is empty if the session turned out to be gone after reconnecting. */
export type EndEvent = { type: "deleted" | "expired", id: string, sessionId: string };
/**
 * Begins a stream of all sessions. With `gap`, changes were missed: read the list of sessions
 * again.
 */
export type HelloEvent = { type: "hello", id: string, gap?: boolean };
/** Told once to the streams that are open, and never again; `id` is empty. */
export type SignalEvent = { type: "signal", id: string, sessionId: string, name: string, data?: any,
    at: string,
    by?: string };
export type WatchEvent = SnapshotEvent | ChangeEvent | WatchersEvent | SignalEvent | EndEvent;
export type WatchAllEvent = HelloEvent | WatchEvent;
/** `waiting` means: the next attempt comes in `milliseconds`. */
export type WatchStatus = { state: "connecting" | "live" | "waiting", attempt: number,
    milliseconds?: number,
    error?: unknown };
/** `after` is the id of an event. */
export type WatchOptions = { after?: string | number, signal?: AbortSignal,
    onStatus?: (status: WatchStatus) => void };
/**
 * `as` is the name under which the list of watchers shows this stream. With `steps`, changes have
 * their steps; with `watchers`, there is an event whenever that list changes; with `signals`, there
 * is one for each signal.
 */
export type SessionWatchOptions = { as?: string, steps?: boolean, watchers?: boolean,
    signals?: boolean };
/**
 * Sessions by id, or all that match; a label is `key:value`. With `signals`, there is an event for
 * each signal.
 */
export type WatchFilter = { sessions?: string[], app?: string, label?: string | string[],
    signals?: boolean };
/**
 * `onError` is told why the subscription has ended. A callback that throws does not end it: that is
 * an uncaught error of the page.
 */
export type Callbacks = { onHello?: (event: HelloEvent) => void,
    onSnapshot?: (event: SnapshotEvent) => void,
    onChange?: (event: ChangeEvent) => void, onWatchers?: (event: WatchersEvent) => void,
    onSignal?: (event: SignalEvent) => void, onEnd?: (event: EndEvent) => void,
    onStatus?: (status: WatchStatus) => void, onError?: (error: unknown) => void };
export type SentRequest = { method: string, url: string, headers: Record<string, string>,
    body?: string };
export interface ClientOptions {
    /** The URL of the server; by default the origin of this module. */
    url?: string;
    token?: string;
    /** Maximum number of retries of a request; 3 by default. */
    retries?: number;
    fetch?: typeof globalThis.fetch;
    /**
     * A stream that is silent for this long counts as dead; 35,000 by default, because the server
     * sends a heartbeat every 15 s.
     */
    silenceMilliseconds?: number;
    /** Called for every request except streams. */
    onRequest?: (request: SentRequest) => void;
}

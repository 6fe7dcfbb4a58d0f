// The types of navstate-rules.js. The server serves this file beside the module.
import type { Allowed, Answer, AppTypes, AnyApp, AppAnswer, AppSession, Command, Session, Step } from "./navstate.js";

/** Bytes, which may be compressed with gzip, or where they are. */
export type RulesSource = URL | string | Response | ArrayBuffer | ArrayBufferView;

/** Loads the rules, once; by default from rules.wasm beside the module. */
export function loadRules(source?: RulesSource): Promise<Rules>;

/**
 * A place in the document of an app, and the fault there. Warnings have a code. The line and the
 * column begin at 1, and mean something only if the document was given as a text.
 */
export type AppFault = { pointer: string, detail: string, code?: string, line: number, column: number };

/** The faults of an app's document. */
export class InvalidApp extends Error {
    constructor(faults: AppFault[], warnings?: AppFault[]);
    faults: AppFault[];
    warnings: AppFault[];
}

/** The server's rules. */
export class Rules {
    private constructor();
    /** The size of the memory of the rules, which never shrinks. */
    readonly memoryBytes: number;
    /** Reads and checks a document, as PUT /v1/apps/{app} does. `id` is for one that has none. */
    app(document: string | object, id?: string): RulesApp;
    /**
     * Makes a session: by the body of a creation, with a state that was read before, or one that
     * continues a session of a server. `at` is in milliseconds since 1970, by default the time now.
     */
    session<A extends AppTypes = AnyApp>(app?: RulesApp | null, begin?: {
        create?: string | object, restore?: string | object, continue?: string | object, id?: string,
        strict?: boolean, at?: number,
    }): LocalSession<A>;
}

/** A document that has been read and checked. */
export class RulesApp {
    private constructor();
    readonly id: string;
    readonly title: string | undefined;
    readonly warnings: AppFault[];
    /** Of the rules; 0 after `free`. */
    readonly number: number;
    /** Whether the app has a place for a URL: a link that matches it, or `notFound`. */
    opens(url: string): boolean;
    /** Finds the screens that users can reach, and the faults of the app. It may take seconds. */
    explore(options?: {
        depth?: number, to?: string, params?: string | object, statesMax?: number,
    }): Exploration;
    free(): void;
}

/** A session without a server. */
export class LocalSession<A extends AppTypes = AnyApp> {
    private constructor();
    readonly app: RulesApp | null;
    /** The session as GET returns it. */
    readonly text: string;
    readonly state: AppSession<A>;
    /** The answer of the last change, `allowed` or `stepsTo`, or its problem, as text. */
    readonly answerText: string;
    /** The event of the last change, as the history has it. */
    readonly event: any;
    /** A command; throws a NavstateError. */
    perform(
        command: string, body?: string | object, options?: { strict?: boolean, at?: number },
    ): AppAnswer<A>;
    /** PUT. */
    restore(body: string | object, options?: { at?: number }): AppSession<A>;
    /** PATCH. */
    update(body: string | object, options?: { at?: number }): AppSession<A>;
    /** Moves the time, and does what is due first. To be called until it returns null. */
    advance(at?: number): AppAnswer<A> | AppSession<A> | null;
    allowed(): Allowed;
    /** The deep link of the visible screen. */
    link(): string | null;
    /** The steps of a user interface to another state. */
    stepsTo(goal: LocalSession<A>): Step[];
    /** Whether a guard of the app holds; null if there is none of this name. */
    holds(guard: string): boolean | null;
    copy(): LocalSession<A>;
    free(): void;
}

export type Exploration = {
    depth: number, states: number, isCutOff: boolean, declared: string[], screens: string[],
    links: string[], opened: string[],
    findings: { code: string, pointer: string, detail: string, program: Command[] }[],
    /** How `to` is reached; null if it is not. */
    program?: Command[] | null,
};

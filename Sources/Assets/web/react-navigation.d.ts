// The types of react-navigation.js.
import type { NavstateClient, Sheet } from "./navstate.js";

/** A route of a container's state. */
export type ContainerRoute = { key?: string, name: string, params?: any, state?: ContainerState };
export type ContainerState = { index?: number, routes: ContainerRoute[] };

/** The methods of a container's ref that are used. */
export interface Container {
    getRootState(): any;
    resetRoot(state: any): void;
    addListener(event: "state", listener: () => void): () => void;
}

export interface ConnectOptions {
    /** The name of the screen that has the tabs; `tabs` by default. */
    tabs?: string;
    /** Draws the dialog that waits for an answer, or takes it away. */
    onDialog?: (dialog: Sheet | null, press: (button: string) => void) => void;
    /** A command was refused, or the stream has ended. */
    onError?: (error: unknown) => void;
}

/** Connects a container to a session. `start` is for `onReady` of the container. */
export function connect(
    client: NavstateClient, id: string, container: Container, options?: ConnectOptions,
): { start(): Promise<void>, stop(): void };

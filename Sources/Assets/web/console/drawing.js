// Tells views what has changed, at a rate that a person can follow.
//
// A session may change hundreds of times a second. Every change is received, but drawing is put off
// and done once for many, and never between a press and its release.

const drawMilliseconds = 100;
/** The pause after drawing, in multiples of the time that it took: layout and clicks need room. */
const restFactor = 8;
/** A pressed button stays until it is released, but no longer than this, should that be missed. */
const heldMillisecondsMax = 5_000;

export class Drawing {
    constructor() {
        /** @type {Map<string, Set<() => void>>} */
        this.listeners = new Map();
        /** The events that may be told late, and once for many times. */
        this.late = new Set(["session", "history", "requests"]);
        /** @type {Set<string>} */
        this.undrawn = new Set();
        this.drawAfter = 0;
        this.heldUntil = 0;
    }

    /** @param {string} name @param {() => void} listener */
    on(name, listener) {
        this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(listener));
    }

    /** @param {string} name */
    emit(name) {
        if (!this.late.has(name)) return this.tell([name]);
        if (this.undrawn.size === 0) {
            setTimeout(() => this.draw(), Math.max(0, this.drawAfter - performance.now()));
        }
        this.undrawn.add(name);
    }

    /**
     * Tells each listener once, also if it waits for several of the events.
     *
     * @param {string[]} names
     */
    tell(names) {
        for (const listener of new Set(names.flatMap((name) => [...this.listeners.get(name) ?? []]))) {
            try {
                listener();
            } catch (error) {
                // The other views are drawn nevertheless.
                reportError(error);
            }
        }
    }

    /** Nothing is drawn between a press and its release: what is pressed would be gone by then. */
    hold() {
        this.heldUntil = performance.now() + heldMillisecondsMax;
    }

    release() {
        this.heldUntil = 0;
    }

    /** Whether an event is still worth telling, asked when its turn comes. */
    isWanted(/** @type {string} */ _name) {
        return true;
    }

    draw() {
        const began = performance.now();
        if (began < this.heldUntil) return void setTimeout(() => this.draw(), drawMilliseconds / 2);
        const names = [...this.undrawn].filter((name) => this.isWanted(name));
        this.undrawn.clear();
        if (names.length === 0) return;
        this.tell(names);
        const now = performance.now();
        this.drawAfter = now + Math.max(drawMilliseconds, restFactor * (now - began));
    }
}

// How the display looks. There is one scale: all lengths are in em, and an em follows the smaller side
// of the element, so that a wall can be read from four metres and a phone from thirty centimetres.
// Colors follow the color scheme of the page.

export const style = new CSSStyleSheet();
style.replaceSync(`
:host {
    --ground: light-dark(#f2f3f7, #0c0e12);
    --panel: light-dark(#ffffff, #1b1f27);
    --raised: light-dark(#f2f3f7, #15181e);
    --line: light-dark(#dfe1e8, #2c323d);
    --text: light-dark(#181b22, #e7e9ee);
    --dim: light-dark(#5d6472, #9aa2b1);
    --accent: light-dark(#4b45d6, #9a95ff);
    --soft: light-dark(#e6e5fb, #27264a);
    --badge: light-dark(#c9281e, #cb3930);
    --danger: light-dark(#b3261e, #ff8a80);
    --bar: light-dark(#fafafc, #14171d);
    --shade: light-dark(rgb(16 18 27 / 40%), rgb(0 0 0 / 60%));
    display: block;
    min-height: 240px;
    color: var(--text);
    font: 17px/1.35 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
    text-align: start;
    scrollbar-color: var(--line) transparent;
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; margin: 0; }
.frame { position: relative; height: 100%; min-height: inherit; background: var(--ground); container-type: size; overflow: hidden; }
.screen, .hint { font-size: max(16px, 3cqmin); }
button { padding: 0; border: 0; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; -webkit-tap-highlight-color: transparent; touch-action: manipulation; }
button:disabled { cursor: default; }
:focus-visible { outline: 0.16em solid var(--accent); outline-offset: -0.16em; }
h1:focus { outline: none; }
.icon { flex: none; width: 1.4em; height: 1.4em; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.icon .letter { fill: currentColor; stroke: none; font: 600 11px system-ui, sans-serif; }

.screen { position: absolute; inset: 0; overflow: hidden; }
.layer { position: absolute; inset: 0; display: flex; flex-direction: column; background: var(--ground); }
.layer.sheet, .layer.inspector, .layer.popover { background: var(--raised); }
.layer.sheet { inset: calc(env(safe-area-inset-top) + 0.7em + 0.6em * var(--level)) 0 0; border-radius: 1em 1em 0 0; box-shadow: 0 0 0 100vmax var(--shade); }
.layer.sheet.half { top: 45%; }
.layer.inspector { top: 45%; border-radius: 1em 1em 0 0; box-shadow: 0 0 0 1px var(--line), 0 0 2em var(--shade); }
.layer.popover { inset: calc(env(safe-area-inset-top) + 3.6em) 1em auto auto; width: min(22em, 100% - 2em); max-height: 70%; border-radius: 1em; box-shadow: 0 0 0 1px var(--line), 0 0.6em 3em var(--shade); }
.layer.popover::before { position: absolute; top: -0.5em; right: 1.4em; width: 1em; height: 1em; border: solid var(--line); border-width: 1px 0 0 1px; background: var(--raised); content: ""; transform: rotate(45deg); }
.layer.popover .content { border-radius: 1em; }

.layer.dialog { align-items: center; justify-content: center; padding: 1.4em; background: var(--shade); }
.layer.dialog.confirmation { justify-content: flex-end; padding: 1em 1em calc(1em + env(safe-area-inset-bottom)); }
.box { width: 100%; max-width: 22em; max-height: 100%; padding: 1.2em; border-radius: 1.1em; background: var(--panel); overflow-y: auto; text-align: center; }
.box h1 { font-size: 1.15em; overflow-wrap: anywhere; }
.box p { margin-top: 0.4em; color: var(--dim); overflow-wrap: anywhere; white-space: pre-line; }
.choices { display: grid; gap: 0.5em; margin-top: 1.1em; }
.choices.short { grid-template-columns: 1fr 1fr; }
.choice { min-height: 2.8em; padding: 0.5em 0.8em; border-radius: 0.7em; background: var(--ground); color: var(--accent); text-align: center; overflow-wrap: anywhere; }
.choice.cancel { font-weight: 600; }
.choice.destructive { color: var(--danger); }
.choice:disabled { color: var(--dim); }
.choice:active:enabled { background: var(--line); }

.bar { display: grid; flex: none; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 0.5em; width: 100%; max-width: 43em; min-height: 3em; padding: env(safe-area-inset-top) 1.2em 0; margin: 0 auto; }
.sheet > .bar, .popover > .bar, .inspector > .bar { padding-top: 0; }
/* The heading is for screen readers and the focus; the large title shows it. */
.bar h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar button { display: flex; align-items: center; gap: 0.1em; overflow: hidden; min-height: 2.6em; color: var(--accent); }
/* The arrow begins where the title does. */
.bar button .icon { margin-left: -0.45em; stroke-width: 2.2; }
.bar button span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .trailing { justify-self: end; font-weight: 600; }

.content { flex: 1; width: 100%; min-height: 0; max-width: 43em; padding: 0.3em 1.2em calc(1.6em + env(safe-area-inset-bottom)); margin: 0 auto; overflow-y: auto; scrollbar-width: thin; }
.large-title { padding: 0.1em 0 0.45em; font-size: 2em; font-weight: 700; letter-spacing: -0.02em; line-height: 1.12; overflow-wrap: anywhere; }
.group { margin-bottom: 1.2em; border-radius: 0.8em; background: var(--panel); overflow: hidden; }
.facts > div, .row { display: flex; justify-content: space-between; gap: 1em; width: 100%; min-height: 3em; padding: 0.8em 1em; }
.group > * + * { border-top: 1px solid var(--line); }
.facts dt { flex: none; max-width: 45%; color: var(--dim); overflow-wrap: anywhere; }
.facts dd { min-width: 0; text-align: right; overflow-wrap: anywhere; white-space: pre-line; }
.row { align-items: center; }
.row > span { min-width: 0; overflow-wrap: anywhere; }
.row .icon { color: var(--dim); }
.row.present { color: var(--accent); }
.row:active { background: var(--line); }

.tabs { display: flex; flex: none; padding: 0.25em 0.25em calc(0.25em + env(safe-area-inset-bottom)); border-top: 1px solid var(--line); background: var(--bar); overflow: auto hidden; }
.tab { display: grid; flex: 1 0 3.6em; grid-template-columns: minmax(0, 1fr); justify-items: center; align-content: center; gap: 0.1em; min-width: 0; min-height: 3.1em; padding: 0.3em 0.15em; border-radius: 0.7em; color: var(--dim); }
.tab[aria-current] { color: var(--accent); }
.tab-title { overflow: hidden; max-width: 100%; font-size: 0.75em; text-overflow: ellipsis; white-space: nowrap; }
.tab-icon { position: relative; line-height: 0; }
.badge { position: absolute; top: -0.45em; left: 62%; min-width: 1.5em; padding: 0 0.4em; border-radius: 0.8em; background: var(--badge); color: #fff; font-size: 0.72em; font-weight: 600; line-height: 1.5; text-align: center; white-space: nowrap; }

.empty { display: grid; align-content: center; justify-items: center; gap: 0.6em; height: 100%; padding: 2em; color: var(--dim); text-align: center; }
.empty h1 { max-width: 100%; color: var(--text); font-size: 1.5em; letter-spacing: -0.01em; overflow-wrap: anywhere; }
.empty p { max-width: 32em; overflow-wrap: anywhere; }

.hint { position: absolute; right: 1em; bottom: calc(4.6em + env(safe-area-inset-bottom)); left: 1em; width: fit-content; max-width: calc(100% - 2em); padding: 0.5em 1.1em; border-radius: 2em; margin: 0 auto; background: var(--text); color: var(--ground); text-align: center; }
.hint:empty { display: none; }

/* A tap that waits: its own control turns, and the others step back. */
.screen[aria-busy] { cursor: progress; }
.screen[aria-busy] .on-top button:not([aria-busy]) { opacity: 0.55; }
.screen[data-away] .on-top :is(.row, .choice, .tab, .bar button) { opacity: 0.5; }
button[aria-busy] { background: var(--soft); }
.row[aria-busy] .icon { visibility: hidden; }
.row[aria-busy], .choice[aria-busy] { position: relative; }
.row[aria-busy]::after, .choice[aria-busy]::after, .bar button[aria-busy]::after { position: absolute; top: calc(50% - 0.6em); right: 1em; width: 1.2em; height: 1.2em; border: 0.16em solid var(--accent); border-right-color: transparent; border-radius: 50%; content: ""; }
.bar button[aria-busy]::after { position: static; width: 0.9em; height: 0.9em; margin-left: 0.5em; }

/* A large, wide screen: a side bar, sheets as cards in the middle, an inspector beside its screen. */
@container (min-width: 700px) and (min-aspect-ratio: 6/5) {
    .base.tabbed { display: grid; grid-template: auto minmax(0, 1fr) / 12.5em minmax(0, 1fr); }
    .base > .tabs { flex-direction: column; grid-area: 1 / 1 / 3 / 2; gap: 0.3em; padding: 3em 0.8em 1em; border-top: 0; border-right: 1px solid var(--line); overflow: hidden auto; }
    .base > .tabs .tab { display: flex; flex: none; align-items: center; justify-content: flex-start; gap: 0.8em; min-height: 2.8em; padding: 0.3em 0.8em; color: var(--text); }
    .base > .tabs .tab[aria-current] { background: var(--soft); color: var(--accent); font-weight: 600; }
    .base > .tabs .tab-title { font-size: 1em; }
    .base > .tabs .tab-icon { position: static; }
    .base > .tabs .tab { position: relative; }
    .base > .tabs .badge { top: calc(50% - 0.75em); right: 1em; left: auto; }
    .base.tabbed > .bar, .base.tabbed > .content { grid-column: 2; }
    .bar.bare { min-height: 2em; }
    .layer.sheet { inset: calc(7% + 0.8em * var(--level)) max(1em, 50% - 18em) 7%; border-radius: 1em; overflow: hidden; box-shadow: 0 0 0 100vmax var(--shade); }
    .layer.sheet.half { inset-block: 24%; }
    .layer.inspector { inset: 0 0 0 auto; width: min(20em, 42%); border-radius: 0; box-shadow: -1px 0 0 var(--line); }
    .screen:has(> .inspector) > .base { right: min(20em, 42%); }
    .layer.popover { right: max(1.2em, 50% - 27em); }
    .layer.dialog.confirmation { padding-bottom: 2em; }
    .hint { bottom: calc(1.4em + env(safe-area-inset-bottom)); }
}

@media (prefers-reduced-motion: no-preference) {
    .pushed > .on-top > .content { animation: from-right 0.22s ease-out; }
    .popped > .on-top > .content { animation: from-left 0.22s ease-out; }
    .raised > .on-top:not(.dialog, .popover, .inspector) { animation: from-below 0.26s ease-out; }
    .raised > .dialog > .box, .raised > .popover { animation: appear 0.18s ease-out; }
    button[aria-busy]::after { animation: turn 0.9s linear infinite; }
    .tab[aria-busy] { animation: pulse 0.9s ease-in-out infinite; }
}
@keyframes from-right { from { transform: translateX(2em); opacity: 0; } }
@keyframes from-left { from { transform: translateX(-2em); opacity: 0; } }
@keyframes appear { from { transform: scale(1.04); opacity: 0; } }
@keyframes from-below { from { transform: translateY(100%); } }
@keyframes turn { to { transform: rotate(1turn); } }
@keyframes pulse { 50% { opacity: 0.4; } }
`);

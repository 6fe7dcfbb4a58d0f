// Commands in one instance of the rules, whose memory must not grow: node growth.js [COMMANDS]
//
// Sessions, apps and refusals come and go as well. It also prints how long a command takes.
import { readFile } from "node:fs/promises";
import { loadRules } from "../../Sources/Assets/web/navstate-rules.js";

const commands = Number(process.argv[2] ?? 1_000_000);
const rules = await loadRules();
const document = await readFile(new URL("../../Examples/apps/shop.json", import.meta.url), "utf8");
const app = rules.app(document);
const session = rules.session(app, { at: 0 });
const programs = [
    ["navigate", { route: "product", params: { product: { title: "Tea", price: 3.5 } } }], ["open", { url: "https://shop.example/orders/7" }],
    ["setFacts", { facts: { signedIn: true } }], ["present", { route: "filters", style: "sheet" }], ["dismiss", {}], ["back", {}],
    ["undo", {}], ["redo", {}], ["navigate", { route: "nowhere" }], ["select", { tab: "shop" }],
    ["setFacts", { facts: { signedIn: false } }], ["root", { scope: "all" }],
];
let refused = 0;
function perform(number) {
    const [name, body] = programs[number % programs.length];
    try {
        session.perform(name, body, { at: number });
    } catch (error) {
        if (!error.problem) throw error;
        refused += 1;
    }
    if (number % 100 === 0) session.copy().free();
    if (number % 1000 === 0) {
        rules.app(document).free();
        session.allowed();
    }
}

let number = 0;
for (; number < commands / 10; number += 1) perform(number);
const [before, start] = [rules.memoryBytes, performance.now()];
for (; number < commands; number += 1) perform(number);
const microseconds = (performance.now() - start) / (commands * 0.9) * 1000;
console.log(`${commands} commands, ${refused} refused, ${microseconds.toFixed(1)} µs each, ${before} bytes of memory`);
if (rules.memoryBytes !== before) {
    console.error(`The memory has grown to ${rules.memoryBytes} bytes.`);
    process.exitCode = 1;
}

// As much of @playwright/test as emitted tests use, on the library that the Python package contains.
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const { chromium } = createRequire(import.meta.url)(process.env.PLAYWRIGHT);
const patienceMilliseconds = 20_000;
const tests = [];

export const test = (name, body) => tests.push({ name, body });

export const expect = (value) => ({
    toBe(other) {
        if (!Object.is(value, other)) throw new Error(`${value} is not ${other}`);
    },
    async toBeVisible() {
        const end = Date.now() + patienceMilliseconds;
        while (!(await value.isVisible())) {
            if (Date.now() > end) throw new Error(`${value} is not visible`);
            await sleep(50);
        }
    },
});

// The module that imports this one adds its tests first.
setTimeout(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    for (const { name, body } of tests) {
        const context = await browser.newContext();
        try {
            await body({ page: await context.newPage(), request: context.request });
        } catch (error) {
            console.log(`${name}: ${error.message}`);
            process.exitCode = 1;
        }
        await context.close();
    }
    await browser.close();
}, 0);

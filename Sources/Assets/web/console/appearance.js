// The button for light, dark, or as the system has it.
import { announce, replace } from "./dom.js";
import { icon } from "./icons.js";

const names = { system: "as the system", light: "light", dark: "dark" };
const order = /** @type {(keyof names)[]} */ (Object.keys(names));

/** @returns {keyof names} */
function current() {
    return /** @type {keyof names} */ (document.documentElement.dataset.theme ?? "system");
}

/** @param {HTMLElement} button */
function draw(button) {
    const theme = current();
    button.title = `Appearance: ${names[theme]}`;
    button.setAttribute("aria-label", button.title);
    replace(button, icon(theme === "system" ? "contrast" : theme === "dark" ? "moon" : "sun.max"));
}

/** @param {HTMLElement} button */
export function showAppearance(button) {
    draw(button);
    button.addEventListener("click", () => {
        next();
        draw(button);
    });
    addEventListener("storage", () => draw(button));
}

function next() {
    const theme = order[(order.indexOf(current()) + 1) % order.length];
    if (theme === "system") {
        localStorage.removeItem("theme");
        delete document.documentElement.dataset.theme;
    } else {
        localStorage.setItem("theme", theme);
        document.documentElement.dataset.theme = theme;
    }
    announce(`Appearance: ${names[theme]}`);
}

/** For the palette. */
export function nextAppearance() {
    document.getElementById("appearance")?.click();
}

// Light, dark, or as the system has it. This runs before the page is drawn, so that it does not
// flash in the other colors; it is no module for that reason.
(() => {
    const key = "theme";
    /** @param {string | null} theme */
    const apply = (theme) => {
        if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
    };
    apply(localStorage.getItem(key));
    // Other windows of the console follow.
    addEventListener("storage", (event) => event.key === key && apply(event.newValue));
})();

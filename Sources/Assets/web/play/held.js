// Starts a page that holds all its files, as `navstate playground` makes it: each module gets a URL, and
// names those that it imports by theirs. It is no module, since a page from a disk loads none.
(() => {
    /** @type {Map<string, string>} */
    const urls = new Map();
    /** @param {string} path @param {(path: string) => string} urlOf @returns {string} The text of a module, with the URLs of others. */
    const linked = (path, urlOf) => (document.querySelector(`script[data-file="${path}"]`)?.textContent ?? "")
        .replace(/^(import .* from )"(\..*)";$/gm, (_, start, name) => `${start}"${urlOf(new URL(name, `file://${path}`).pathname)}";`);
    /** @param {string} text */
    const blobURL = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    /** @param {string} path @returns {string} */
    const moduleURL = (path) => {
        const url = urls.get(path) ?? blobURL(linked(path, moduleURL));
        urls.set(path, url);
        return url;
    };
    // A thread of a page from a disk may be no module, and may not read the page's other URLs. So it
    // imports a module that has all others in its own URL, and keeps what it is asked meanwhile.
    /** @param {string} path @returns {string} */
    const dataURL = (path) => `data:text/javascript,${encodeURIComponent(linked(path, dataURL))}`;
    const heldWorker = (/** @type {string} */ path) => new Worker(blobURL(`
        const early = [];
        const keep = (event) => early.push(event.data);
        addEventListener("message", keep);
        import(${JSON.stringify(dataURL(path))}).then(() => {
            removeEventListener("message", keep);
            for (const data of early) dispatchEvent(new MessageEvent("message", { data }));
        });`));
    Object.assign(globalThis, { heldWorker });
    import(moduleURL("/play/main.js"));
})();

// The first step: the list of sessions is requested before anything is drawn, and is on its way
// while `main.js` builds the rest of the page.
import { address, readAddress } from "./address.js";
import { showArea } from "./areas.js";
import { byId } from "./dom.js";
import { Directory } from "./directory.js";
import { Model } from "./model.js";
import { SessionList } from "./sessions.js";

export const model = new Model();
export const isForOneSession = readAddress(model);
export const directory = isForOneSession ? null : new Directory(model);
if (directory) {
    directory.start();
    new SessionList(model, directory, choose);
}

/** @param {string} id */
export function choose(id) {
    const wanted = address({ session: id });
    if (location.hash !== wanted) location.hash = wanted;
    // It may have been created just now.
    else if (model.failure) model.open(id);
    showArea("stage");
    byId("stage").focus();
}

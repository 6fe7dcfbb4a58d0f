// The first step: the session that the address names and the list are requested before anything is
// drawn, and are on their way while `main.js` builds the page.
import { address, fragment, readAddress } from "./address.js";
import { showArea } from "./areas.js";
import { byId } from "./dom.js";
import { Directory } from "./directory.js";
import { Model } from "./model.js";

export const model = new Model();
export const isForOneSession = readAddress(model);
export const directory = isForOneSession ? null : new Directory(model);
const named = fragment().get("session");
if (named) model.open(named);
directory?.start();

/** @param {string} id */
export function choose(id) {
    const wanted = address({ session: id });
    if (location.hash !== wanted) location.hash = wanted;
    // It may have been created just now.
    else if (model.failure) model.open(id);
    showArea("stage");
    byId("stage").focus();
}

// The rights of a token, as far as the pages can find them out.

/**
 * Whether a token is for a single session. It reads no apps, and makes no sessions and no tokens.
 *
 * @param {string | undefined} token
 */
export function isForSession(token) {
    return /^n[sv]t_/.test(token ?? "");
}

/**
 * Whether the token lets change what it reads. A command that is only tried tells it.
 *
 * @param {() => Promise<any>} tried
 * @returns {Promise<boolean | undefined>} Nothing while the server does not respond.
 */
export async function mayChange(tried) {
    try {
        await tried();
    } catch (/** @type {any} */ error) {
        if (!error.status) return undefined;
        // A token that is limited to some commands or routes may send those.
        const isLimited = error.problem?.commands !== undefined || error.problem?.routes !== undefined;
        return isLimited || (error.status !== 403 && error.status !== 401);
    }
    return true;
}

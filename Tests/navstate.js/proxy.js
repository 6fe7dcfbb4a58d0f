// A way to the server that can be cut, and mended.
import net from "node:net";

/** @param {string} url Of the server. */
export async function proxy(url) {
    const { hostname, port } = new URL(url);
    const sockets = new Set();
    let isCut = false;
    const server = net.createServer((near) => {
        if (isCut) return near.destroy();
        const far = net.connect(Number(port), hostname);
        for (const [one, other] of [[near, far], [far, near]]) {
            sockets.add(one);
            one.on("error", () => {});
            one.on("close", () => {
                sockets.delete(one);
                other.destroy();
            });
            one.pipe(other);
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const cut = () => {
        isCut = true;
        for (const socket of sockets) socket.destroy();
    };
    return {
        url: `http://127.0.0.1:${/** @type {net.AddressInfo} */ (server.address()).port}`, cut,
        mend: () => (isCut = false),
        close: () => {
            cut();
            return new Promise((resolve) => server.close(resolve));
        },
    };
}

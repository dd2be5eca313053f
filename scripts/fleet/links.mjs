// The wires of a fleet's members: each reaches its servers through a relay that can be cut.
import { createConnection, createServer } from "node:net";

/**
 * A relay to a port of this machine. A cut wire carries nothing and says nothing, as a network that is gone does.
 * @param {() => number} target
 */
export async function openLink(target) {
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  let isCut = false;
  const server = createServer((near) => {
    const far = createConnection({ port: target(), host: "127.0.0.1" });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.setNoDelay(true);
      if (isCut) one.pause();
      one.on("data", (chunk) => void (other.destroyed || other.write(chunk)));
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: server.address().port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

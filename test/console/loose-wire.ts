import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire to a server that can be pulled out and put back while the server itself runs on. */
export interface LooseWire {
  readonly url: string;
  readonly pull: () => void;
  readonly plug: () => void;
  readonly close: () => void;
}

/** @param target The address of the server. */
export async function openLooseWire(target: string): Promise<LooseWire> {
  const { hostname, port } = new URL(target);
  const ends = new Set<Socket>();
  let pulled = false;
  const server = createServer((near) => {
    if (pulled) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      // The other end is told by the close that follows.
      end.on("error", () => undefined);
      end.on("close", () => {
        ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
    return undefined;
  });
  server.listen(0, hostname);
  await once(server, "listening");
  const cut = () => ends.forEach((end) => end.destroy());
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    pull() {
      pulled = true;
      cut();
    },
    plug() {
      pulled = false;
    },
    close() {
      server.close();
      cut();
    },
  };
}

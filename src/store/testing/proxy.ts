import { createServer, connect, type AddressInfo, type Socket } from "node:net";

/** A wire between a client and a server that can be cut at the worst moment. */
export interface Proxy {
  /** The server's address, by way of the wire. */
  readonly url: string;
  /** Cut the next connection on which the client sends `text`; with `delivered` the server still gets it. */
  cutAt(text: string, options: { readonly delivered: boolean; readonly then?: "refuse" }): void;
  /** From now on: `refuse` every connection, `swallow` all that is sent, or pass it on, each part `slow` by so many ms. */
  be(how: "well" | "refuse" | "swallow" | { readonly slow: number }): void;
  /** How often it was cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Put a wire in front of a server. */
export async function openProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cut: ({ readonly text: string } & Parameters<Proxy["cutAt"]>[1]) | undefined;
  let cuts = 0;
  let how: Parameters<Proxy["be"]>[0] = "well";
  const pass = (data: Buffer, to: Socket): void => {
    if (how === "swallow" || to.destroyed) return;
    if (typeof how === "object") setTimeout(() => to.write(data), how.slow);
    else to.write(data);
  };
  const server = createServer((client) => {
    if (how === "refuse") {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    client.on("data", (data) => {
      if (cut === undefined || !data.includes(cut.text)) {
        pass(data, upstream);
        return;
      }
      const { delivered, then } = cut;
      cut = undefined;
      how = then ?? how;
      cuts += 1;
      if (delivered) upstream.end(data);
      else upstream.destroy();
      client.destroy();
    });
    upstream
      .on("data", (data) => (how === "swallow" ? undefined : client.write(data)))
      .on("end", () => client.end());
    client.on("end", () => upstream.end());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAt: (text, options) => void (cut = { text, ...options }),
    be(next) {
      how = next;
      if (next === "refuse") for (const socket of sockets) socket.destroy();
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

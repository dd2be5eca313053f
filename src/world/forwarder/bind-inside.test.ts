import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { describe, expect, it } from "vitest";
import { bindInside, type Listener } from "./bind-inside.js";
import { bindProgram } from "./bind-program.js";

const namespace = { enter: (argv: readonly string[]) => [...argv], close() {} };

describe.each([["perl", true] as const, ["Node.js", false] as const])(
  "sockets that %s passes",
  (_name, hasPerl) => {
    const bind = (listeners: readonly Listener[]) =>
      bindInside(namespace, listeners, bindProgram(listeners, hasPerl));

    it("accept connections and datagrams here, and those that cannot listen say why", async () => {
      const busy = createServer().listen(0, "127.0.0.1");
      await once(busy, "listening");
      const taken = (busy.address() as AddressInfo).port;
      const bound = await bind([
        { protocol: "tcp", host: "127.0.0.1", port: 0 },
        { protocol: "tcp", host: "127.0.0.1", port: taken },
        { protocol: "udp", host: "127.8.0.53", port: 0 },
        { protocol: "tcp", host: "192.0.2.1", port: 0 },
        { protocol: "tcp", host: "0.0.0.0", port: 0 },
      ]);
      busy.close();
      expect(bound.map(({ error }) => error)).toEqual([
        undefined,
        "EADDRINUSE",
        undefined,
        "EADDRNOTAVAIL",
        undefined,
      ]);
      for (const [at, host] of [
        [0, "127.0.0.1"],
        [4, "127.8.1.2"],
      ] as const) {
        const server = bound[at]?.handle as Server;
        server.on("connection", (client) => client.end(`to ${client.localAddress}`));
        const socket = connect((server.address() as AddressInfo).port, host);
        const [data] = (await once(socket, "data")) as [Buffer];
        expect(data.toString()).toBe(`to ${host}`);
        server.close();
      }
      const udp = bound[2]?.handle as Socket;
      const client = createSocket("udp4");
      client.send("question", udp.address().port, "127.8.0.53");
      const [data] = (await once(udp, "message")) as [Buffer];
      expect(data.toString()).toBe("question");
      udp.close();
      client.close();
    });
  },
);

it("reports a program that ends without sockets", async () => {
  await expect(
    bindInside(
      namespace,
      [{ protocol: "tcp", host: "127.0.0.1", port: 0 }],
      ["/bin/sh", "-c", "echo no right >&2"],
    ),
  ).rejects.toThrow("The forwarder could not be started: no right.");
});

import { createServer, type AddressInfo, type Socket } from "node:net";

/** A server that says of itself what it is told to, and answers nothing else. */
export interface FakePostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** Pretend to be a PostgreSQL server of some version. */
export async function fakePostgres(version: number): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let started = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!started) {
        started = true;
        socket.write(Buffer.concat([message("R", Buffer.from([0, 0, 0, 0])), ready]));
      } else if (data[0] === 0x51) socket.write(answer(data.toString("utf8"), version));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/any`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function answer(sql: string, version: number): Buffer {
  const row = sql.includes("server_version_num")
    ? [
        ["version", 23, String(version)] as const,
        ["encoding", 25, "UTF8"] as const,
        ["begun", 16, "f"] as const,
      ]
    : [["open", 16, "t"] as const];
  const count = Buffer.alloc(2);
  count.writeInt16BE(row.length);
  const names = row.map(([name, type]) => {
    const about = Buffer.alloc(18);
    about.writeInt32BE(type, 6);
    return Buffer.concat([Buffer.from(`${name}\0`), about]);
  });
  const values = row.map(([, , value]) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(value.length);
    return Buffer.concat([size, Buffer.from(value)]);
  });
  return Buffer.concat([
    // One result alone is given to the client in another form than several.
    ...(sql.includes("SET ") ? [message("C", Buffer.from("SET\0"))] : []),
    message("T", Buffer.concat([count, ...names])),
    message("D", Buffer.concat([count, ...values])),
    message("C", Buffer.from("SELECT 1\0")),
    ready,
  ]);
}

function message(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ready = message("Z", Buffer.from("I"));

import type { Socket } from "node:net";
import { canonicalHost } from "./host-grants.js";
import { DialError } from "./dial.js";
import { joinSockets, openUpstream, readSome, type ForwardDeps, type InnerConnection } from "./forward.js";

/** The first byte of SOCKS 5. */
export const socksVersion = 5;

const methods = { none: 0, userName: 2, unacceptable: 0xff } as const;
const commands = { connect: 1, bind: 2, udp: 3 } as const;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
const replies = { done: 0, refused: 2, unreachable: 4, commandUnknown: 7, addressUnknown: 8 } as const;

/** Serve a connection that speaks SOCKS 5; a user name is accepted and has no meaning. */
export async function serveSocks({ client, run }: InnerConnection, deps: ForwardDeps): Promise<void> {
  const read = createReader(client);
  const offered = await readMethods(read);
  const method = [methods.none, methods.userName].find((each) => offered.includes(each));
  client.write(Buffer.from([socksVersion, method ?? methods.unacceptable]));
  if (method === undefined) return void client.end();
  if (method === methods.userName) await acceptUser(read, client);
  const [, command = 0, , type = 0] = await read(4);
  const host = await readHost(read, type);
  const port = (await read(2)).readUInt16BE();
  if (host === undefined) return reply(client, replies.addressUnknown);
  if (command !== commands.connect) {
    const reason = command === commands.udp ? "UDP is not forwarded" : "only connections are forwarded";
    run.log.refuse({ host, port }, "refused", reason);
    return reply(client, replies.commandUnknown);
  }
  try {
    const upstream = await openUpstream({ host, port }, run, deps);
    client.write(answer(replies.done));
    read.release();
    joinSockets(client, upstream);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    reply(client, error.verdict === "refused" ? replies.refused : replies.unreachable);
  }
}

async function readMethods(read: Reader): Promise<readonly number[]> {
  const [, count = 0] = await read(2);
  return [...(await read(count))];
}

/** RFC 1929. */
async function acceptUser(read: Reader, client: Socket): Promise<void> {
  const [, nameLength = 0] = await read(2);
  await read(nameLength);
  const [passwordLength = 0] = await read(1);
  await read(passwordLength);
  client.write(Buffer.from([1, 0]));
}

async function readHost(read: Reader, type: number): Promise<string | undefined> {
  if (type === addressTypes.ipv4) return (await read(4)).join(".");
  if (type === addressTypes.ipv6) {
    const groups = (await read(16)).toString("hex").match(/.{4}/g) ?? [];
    return canonicalHost(groups.join(":"));
  }
  if (type !== addressTypes.name) return undefined;
  const [length = 0] = await read(1);
  return canonicalHost((await read(length)).toString("latin1"));
}

function reply(client: Socket, code: number): void {
  client.end(answer(code));
}

function answer(code: number): Buffer {
  return Buffer.from([socksVersion, code, 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0]);
}

interface Reader {
  (count: number): Promise<Buffer>;
  /** Stop reading: the rest is read by another consumer. */
  release(): void;
}

/** Read an exact number of bytes; fails if the connection ends before. */
function createReader(client: Socket): Reader {
  // Bytes that are not enough yet are kept here: a stream that holds some announces them again at every wait for more.
  let buffered: Buffer = Buffer.alloc(0);
  const take = async (count: number): Promise<Buffer> => {
    while (buffered.length < count) {
      const bytes = await readSome(client);
      if (bytes === undefined) throw new Error("the connection ended");
      buffered = Buffer.concat([buffered, bytes]);
    }
    const taken = buffered.subarray(0, count);
    buffered = buffered.subarray(count);
    return taken;
  };
  const release = (): void => {
    client.removeAllListeners("readable");
    if (buffered.length > 0) client.unshift(buffered);
  };
  return Object.assign(take, { release });
}

import type { Socket as UdpSocket } from "node:dgram";
import { messageOf } from "../../contract/message-of.js";
import { buildAnswer, dnsCodes, dnsTypes, parseQuery, type DnsQuery } from "./dns-message.js";
import type { ForwardDeps } from "./forward.js";
import type { NameTable } from "./name-table.js";
import { notGranted } from "./network-run.js";
import { findOwner } from "./socket-owner.js";

/** Answer queries for granted names with loopback addresses of the forwarder; every other name does not exist. */
export function serveResolver(socket: UdpSocket, names: NameTable, deps: ForwardDeps): void {
  socket.on("error", () => {}); // the sender is gone
  socket.on("message", (bytes, sender) => {
    const query = parseQuery(bytes);
    if (query === undefined) return;
    const answer = answerQuery(query, names, deps);
    socket.send(answer.bytes, sender.port, sender.address, () => {});
    if (!answer.isRefused) return;
    void noteRefusal(query.name, sender.port, deps);
  });
}

function answerQuery(
  query: DnsQuery,
  names: NameTable,
  { runs }: ForwardDeps,
): { readonly bytes: Buffer; readonly isRefused: boolean } {
  // Judged again for the command itself when it connects: here it is not known yet which one asks.
  const isGranted = [...runs].some(
    ({ grants, judge }) => grants.allowsName(query.name) && passes(judge, query.name),
  );
  if (!isGranted) return { bytes: buildAnswer(query, dnsCodes.nameError), isRefused: true };
  const address = query.type === dnsTypes.A ? names.addressFor(query.name) : undefined;
  return { bytes: buildAnswer(query, dnsCodes.noError, address), isRefused: false };
}

function passes(judge: (host: string) => void, host: string): boolean {
  try {
    judge(host);
    return true;
  } catch {
    return false; // a rule denies it: the name is refused like any other
  }
}

async function noteRefusal(host: string, port: number, { runs }: ForwardDeps): Promise<void> {
  const run = await findOwner(runs, { protocol: "udp", port });
  if (run === undefined) return;
  let reason: string = notGranted;
  try {
    if (run.grants.allowsName(host)) run.judge(host);
  } catch (error) {
    reason = messageOf(error);
  }
  run.log.refuse({ host }, "refused", reason);
}

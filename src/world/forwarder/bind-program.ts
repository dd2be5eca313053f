import { existsSync } from "node:fs";
import type { Listener } from "./bind-inside.js";

/** The number of `sendmsg`. */
const sendmsg: Partial<Record<NodeJS.Architecture, number>> = { x64: 46, arm64: 211 };
const perl = "/usr/bin/perl";

/**
 * The program that listens on addresses and passes the sockets to its parent over the channel that Node.js opens for its
 * children. Perl starts in a tenth of the time of Node.js, which would make up most of what the first granted host costs.
 */
export function bindProgram(listeners: readonly Listener[], hasPerl = existsSync(perl)): readonly string[] {
  const number = sendmsg[process.arch];
  return number === undefined || !hasPerl
    ? [process.execPath, "-e", nodeScript, JSON.stringify(listeners)]
    : [perl, "-e", perlScript, String(number), ...listeners.flatMap(socketArguments)];
}

/** The family, the type and the bytes of the address, so that the script needs no module of Perl. */
function socketArguments({ protocol, host, port }: Listener): string[] {
  const isSix = host.includes(":");
  const family = isSix ? 10 : 2;
  const address = Buffer.alloc(isSix ? 28 : 16);
  // Both architectures are little-endian; only the port is in the order of the network.
  address.writeUInt16LE(family, 0);
  address.writeUInt16BE(port, 2);
  if (isSix) address.set(ipv6Bytes(host), 8);
  else address.set(host.split(".").map(Number), 4);
  return [String(family), protocol === "udp" ? "2" : "1", address.toString("hex")];
}

/** Only the loopback is listened on. */
function ipv6Bytes(host: string): number[] {
  if (host !== "::1") throw new Error(`cannot listen on ${host}`);
  return [...Array.from({ length: 15 }, () => 0), 1];
}

/**
 * Each socket goes with a message as Node.js itself sends it. It must not block, because libuv expects that of sockets that
 * it receives. `P` in a template is the address of a string.
 */
const perlScript = String.raw`
my ($sendmsg, @wanted) = @ARGV;
open(my $channel, "+<&=", $ENV{NODE_CHANNEL_FD}) or die "no channel: $!";
sub report {
  my ($text, $socket) = @_;
  $text .= "\n";
  my $rights = defined $socket ? pack("Q l l i x4", 20, 1, 1, fileno $socket) : "";
  my $parts = pack("P Q", $text, length $text);
  my $header = pack("Q Q P Q", 0, 0, $parts, 1) . ($rights eq "" ? pack("Q Q", 0, 0) : pack("P Q", $rights, length $rights)) . pack("Q", 0);
  syscall($sendmsg + 0, fileno $channel, $header, 0) == length $text or die "cannot pass a socket: $!";
}
for (my $index = 0; @wanted; $index++) {
  my ($family, $type, $address) = splice @wanted, 0, 3;
  my $is_tcp = $type == 1;
  my $socket;
  my $ok = socket($socket, $family, $type, 0)
    && (!$is_tcp || setsockopt($socket, 1, 2, 1))
    && fcntl($socket, 4, 0x800)
    && bind($socket, pack("H*", $address))
    && (!$is_tcp || listen($socket, 511));
  if (!$ok) {
    report(sprintf '{"index":%d,"errno":%d}', $index, $!);
    next;
  }
  my $port = unpack "x2 n", getsockname $socket;
  my $kind = $is_tcp ? '"net.Server"' : '"dgram.Socket","dgramType":"udp' . ($family == 10 ? 6 : 4) . '"';
  report(sprintf('{"cmd":"NODE_HANDLE","type":%s,"msg":{"index":%d,"port":%d}}', $kind, $index, $port), $socket);
}
1 while sysread $channel, my $rest, 4096;
`;

const nodeScript = `
JSON.parse(process.argv[1]).forEach(({ protocol, host, port }, index) => {
  const failed = ({ errno }) => process.send({ index, errno: -errno });
  if (protocol === "udp") {
    const socket = require("node:dgram").createSocket({ type: host.includes(":") ? "udp6" : "udp4" });
    socket.once("error", failed);
    socket.bind({ port, address: host, exclusive: true }, () =>
      process.send({ index, port: socket.address().port }, socket));
    return;
  }
  const server = require("node:net").createServer();
  server.once("error", failed);
  server.listen({ port, host, exclusive: true, backlog: 511 }, () =>
    process.send({ index, port: server.address().port }, server));
});
process.on("disconnect", () => process.exit());
`;

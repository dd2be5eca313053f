import { createRequire } from "node:module";
import { BlockList, isIP } from "node:net";
import type * as IpAddress from "ipaddr.js";

const require = createRequire(import.meta.url);

/** Loaded with the first IPv6 address, not with the package. */
const ipaddr = (): typeof IpAddress => require("ipaddr.js") as typeof IpAddress;

/** What an address is, and the range that says so; `public` is the only kind that is reached unasked. */
export interface AddressKind {
  readonly kind: "public" | "private" | "reserved" | "metadata";
  /** Says it to a person: "a loopback address". */
  readonly range: string;
}

/** Tell what an IP address is; one that carries an IPv4 address inside is judged by that. */
export function addressKind(text: string): AddressKind {
  const address = plainAddress(text);
  if (isIP(address) === 4) return kindOf(address, "ipv4");
  if (isIP(address) !== 6) return { kind: "reserved", range: "no IP address" };
  const bytes = ipaddr().parse(address).toByteArray();
  const embedded = embeddedAddresses(bytes).map((inner) => kindOf(inner, "ipv4"));
  const worst = embedded.find(({ kind }) => kind !== "public");
  if (worst !== undefined) return worst;
  return embedded[0] ?? kindOf(address, "ipv6");
}

/** One spelling for each address: no zone, no brackets, IPv4 taken out of its mapped form. */
export function plainAddress(text: string): string {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/s, "");
  if (isIP(bare) !== 6) return bare;
  // Into hexadecimal groups first: ipaddr.js takes the old ::a.b.c.d for the mapped ::ffff:a.b.c.d.
  const groups = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  return ipaddr().process(groups).toString();
}

type Family = "ipv4" | "ipv6";

interface Range extends AddressKind {
  readonly list: BlockList;
}

function kindOf(address: string, family: Family): AddressKind {
  const found = tables[family].find(({ list }) => list.check(address, family));
  if (found !== undefined) return found;
  // Of IPv6 only 2000::/3 is given out to the public at all.
  if (family === "ipv4" || globalUnicast.check(address, "ipv6")) return publicKind;
  return { kind: "reserved", range: "a reserved address" };
}

const publicKind: AddressKind = { kind: "public", range: "a public address" };

const globalUnicast = listOf("ipv6", ["2000::/3"]);

/** The first range that holds an address names it, so the narrow ones stand first. */
const tables: Readonly<Record<Family, readonly Range[]>> = {
  ipv4: [
    range("ipv4", "metadata", "a cloud metadata address", [
      "169.254.169.0/24",
      "169.254.170.0/24",
      "169.254.0.23/32",
      "169.254.42.42/32",
      "100.100.100.200/32",
      "168.63.129.16/32",
      "192.0.0.192/32",
    ]),
    range("ipv4", "private", "a loopback address", ["127.0.0.0/8"]),
    range("ipv4", "private", "a private address", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]),
    range("ipv4", "private", "a link-local address", ["169.254.0.0/16"]),
    range("ipv4", "private", "a carrier's private address", ["100.64.0.0/10"]),
    range("ipv4", "reserved", "an unspecified address", ["0.0.0.0/8"]),
    range("ipv4", "reserved", "a multicast address", ["224.0.0.0/4"]),
    range("ipv4", "reserved", "a reserved address", [
      "192.0.0.0/24",
      "192.0.2.0/24",
      "192.88.99.0/24",
      "198.18.0.0/15",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "240.0.0.0/4",
    ]),
  ],
  ipv6: [
    range("ipv6", "metadata", "a cloud metadata address", [
      "fd00:ec2::/32",
      "fd20:ce::254/128",
      "fd00:42::42/128",
      "fe80::a9fe:a9fe/128",
    ]),
    range("ipv6", "private", "a loopback address", ["::1/128"]),
    range("ipv6", "private", "a private address", ["fc00::/7", "fec0::/10", "64:ff9b:1::/48"]),
    range("ipv6", "private", "a link-local address", ["fe80::/10"]),
    range("ipv6", "reserved", "an unspecified address", ["::/128"]),
    range("ipv6", "reserved", "a multicast address", ["ff00::/8"]),
    range("ipv6", "reserved", "a reserved address", ["2001::/23", "2001:db8::/32", "3fff::/20"]),
  ],
};

function range(family: Family, kind: AddressKind["kind"], name: string, subnets: readonly string[]): Range {
  return { kind, range: name, list: listOf(family, subnets) };
}

function listOf(family: Family, subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The IPv4 addresses that packets to an IPv6 address end up at. */
function embeddedAddresses(bytes: readonly number[]): readonly string[] {
  const at = (start: number) => bytes.slice(start, start + 4).join(".");
  const starts = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const zeros = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0);
  // IPv4-translated (::ffff:0:a.b.c.d) and NAT64 (64:ff9b::/96); the mapped form is plain IPv4 by now.
  if (zeros(0, 8) && bytes[8] === 0xff && bytes[9] === 0xff && zeros(10, 12)) return [at(12)];
  if (starts(0x00, 0x64, 0xff, 0x9b) && zeros(4, 12)) return [at(12)];
  if (starts(0x20, 0x02)) return [at(2)];
  // Teredo holds the server, and the client with every bit turned over.
  if (starts(0x20, 0x01, 0, 0))
    return [
      at(4),
      bytes
        .slice(12)
        .map((byte) => byte ^ 0xff)
        .join("."),
    ];
  // ISATAP: any prefix, then 00 00 5e fe (or 02 00) and the address.
  if ((bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    return ((bytes[0] ?? 0) & 0xe0) === 0x20 ? [at(12)] : [];
  }
  return [];
}

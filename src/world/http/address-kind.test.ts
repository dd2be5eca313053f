import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKind } from "./address-kind.js";
import { randomCases } from "../../../test/setup/random-cases.js";

const publicV4 = [
  "8.8.8.8",
  "1.1.1.1",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.0",
  "100.63.255.255",
  "223.255.255.255",
];
const privateV4 = [
  "10.0.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.1.1",
  "100.64.0.1",
  "100.127.255.255",
];
const reservedV4 = [
  "0.0.0.0",
  "0.1.2.3",
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
];
const metadataV4 = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
];

describe("addressKind", () => {
  it.each(publicV4)("takes %s for public", (address) => {
    expect(addressKind(address).kind).toBe("public");
  });

  it.each(privateV4)("takes %s for private", (address) => {
    expect(addressKind(address).kind).toBe("private");
  });

  it.each(reservedV4)("takes %s for reserved", (address) => {
    expect(addressKind(address).kind).toBe("reserved");
  });

  it.each([
    ...metadataV4,
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fe80::a9fe:a9fe",
    "fe80::a9fe:a9fe%eth0",
  ])("takes %s for a metadata service", (address) => {
    expect(addressKind(address).kind).toBe("metadata");
  });

  it.each(["2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2400::1"])(
    "takes %s for public",
    (address) => {
      expect(addressKind(address).kind).toBe("public");
    },
  );

  it.each(["::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%lo", "fec0::1", "64:ff9b:1::1"])(
    "takes %s for private",
    (address) => {
      expect(addressKind(address).kind).toBe("private");
    },
  );

  it.each([
    "::",
    "ff02::1",
    "100::1",
    "2001:db8::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "::8.8.8.8",
    "::2",
  ])("takes %s for reserved", (address) => {
    expect(addressKind(address).kind).toBe("reserved");
  });

  it.each(["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5", "::g", "10.0.0.1 "])(
    "takes %j for no address that may be reached",
    (text) => {
      expect(addressKind(text).kind).toBe("reserved");
    },
  );

  const hex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const groups = (bytes: readonly number[]) => `${hex(bytes.slice(0, 2))}:${hex(bytes.slice(2))}`;
  const carriers: readonly [string, (bytes: readonly number[]) => string][] = [
    ["mapped", (bytes) => `::ffff:${groups(bytes)}`],
    ["mapped, dotted", (bytes) => `::ffff:${bytes.join(".")}`],
    ["translated", (bytes) => `::ffff:0:${groups(bytes)}`],
    ["NAT64", (bytes) => `64:ff9b::${groups(bytes)}`],
    ["6to4", (bytes) => `2002:${groups(bytes)}::1`],
    ["Teredo client", (bytes) => `2001:0:808:808:0:0:${groups(bytes.map((byte) => byte ^ 0xff))}`],
    ["Teredo server", (bytes) => `2001:0:${groups(bytes)}:0:0:f7f7:f7f7`],
    ["ISATAP", (bytes) => `2a00:1450::5efe:${groups(bytes)}`],
  ];

  it.each(carriers)("judges an IPv4 address that is carried inside (%s) by itself", (_name, carry) => {
    const byte = fc.integer({ min: 0, max: 255 });
    const first = fc.oneof(byte, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255));
    fc.assert(
      fc.property(fc.tuple(first, byte, byte, byte), (bytes) => {
        expect(addressKind(carry(bytes)).kind).toBe(addressKind(bytes.join(".")).kind);
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("takes nothing outside 2000::/3 for public, unless it carries a public IPv4 address", () => {
    const carried = /^(::ffff:|64:ff9b::)/;
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const top = Number.parseInt(address.split(":", 1)[0] || "0", 16);
        fc.pre(!carried.test(new URL(`http://[${address}]`).hostname.slice(1)));
        fc.pre(top < 0x2000 || top > 0x3fff);
        expect(addressKind(address).kind).not.toBe("public");
      }),
      { numRuns: randomCases(1000) },
    );
  });
});

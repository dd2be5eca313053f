import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { Socket } from "node:net";
import { certainBase, createSenderOf } from "./sender.js";

const trustedProxies = ["10.0.0.0/8", "fd00::/8", "127.0.0.1"];

function senderOf(remoteAddress: string, headers: Record<string, string>, publicUrl?: string) {
  const request = { socket: { remoteAddress }, headers: { host: "Tenon.example.org", ...headers } };
  return createSenderOf({ trustedProxies, publicUrl })(request as unknown as IncomingMessage);
}

describe("the sender of a request", () => {
  it.each([
    ["nobody behind a proxy", "192.0.2.1", { "x-forwarded-for": "198.51.100.1" }, "192.0.2.1"],
    ["the client of a proxy", "10.1.1.1", { "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    ["an IPv4 socket in IPv6 form", "::ffff:10.1.1.1", { "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    ["what a client made up", "10.1.1.1", { "x-forwarded-for": "1.1.1.1, 198.51.100.1" }, "198.51.100.1"],
    ["a chain of proxies", "10.1.1.1", { "x-forwarded-for": "198.51.100.1, 10.2.2.2" }, "198.51.100.1"],
    ["proxies only", "10.1.1.1", { "x-forwarded-for": "10.3.3.3, 10.2.2.2" }, "10.3.3.3"],
    ["with a port", "10.1.1.1", { "x-forwarded-for": "198.51.100.1:4711" }, "198.51.100.1"],
    ["Forwarded", "fd00::1", { forwarded: 'for="[2001:db8::1]:4711";proto=https' }, "2001:db8::1"],
    ["Forwarded twice", "10.1.1.1", { forwarded: "for=1.1.1.1, for=198.51.100.1" }, "198.51.100.1"],
    ["both, alike", "10.1.1.1", { forwarded: "for=1.2.3.4", "x-forwarded-for": "1.2.3.4" }, "1.2.3.4"],
    // A proxy that writes one header passes the other one on as the client sent it.
    ["both, different", "10.1.1.1", { forwarded: "for=1.1.1.1", "x-forwarded-for": "1.2.3.4" }, "10.1.1.1"],
    ["an obfuscated hop", "10.1.1.1", { forwarded: "for=_hidden" }, "10.1.1.1"],
    ["no address", "10.1.1.1", { "x-forwarded-for": "evil\r\n, unknown" }, "10.1.1.1"],
    ["nothing", "10.1.1.1", {}, "10.1.1.1"],
  ])("is found: %s", (_, remote, headers, address) => {
    expect(senderOf(remote, headers).address).toBe(address);
  });

  it.each([
    ["192.0.2.1", { "x-forwarded-proto": "https" }, undefined, "http://tenon.example.org"],
    ["10.1.1.1", { "x-forwarded-proto": "https" }, undefined, "https://tenon.example.org"],
    ["10.1.1.1", { "x-forwarded-proto": "http, https" }, undefined, "https://tenon.example.org"],
    ["10.1.1.1", { "x-forwarded-proto": "javascript" }, undefined, "http://tenon.example.org"],
    [
      "10.1.1.1",
      { "x-forwarded-proto": "https", forwarded: "proto=http" },
      undefined,
      "http://tenon.example.org",
    ],
    ["192.0.2.1", {}, "https://public.example.org", "https://public.example.org"],
  ])("knows the server by its address: %s %j", (remote, headers, publicUrl, base) => {
    expect(senderOf(remote, headers as Record<string, string>, publicUrl).base).toBe(base);
  });

  it.each(["10.0.0.0/33", "::/129", "example.org", "", "10.0.0.1/x"])("refuses the network %j", (network) => {
    expect(() => createSenderOf({ trustedProxies: [network] })).toThrow("Invalid trusted proxy");
  });
});

describe("the address that an access token must be for", () => {
  const socket = { localAddress: "::ffff:192.0.2.7", localPort: 7420 } as Socket;
  it.each([
    ["http://192.0.2.7:7420", "http://192.0.2.7:7420"],
    ["http://192.0.2.8:7420", "http://192.0.2.7:7420"],
    ["http://192.0.2.7", "http://192.0.2.7:7420"],
    ["https://[2001:db8::1]:7420", "https://192.0.2.7:7420"],
    ["http://localhost:7420", "http://localhost:7420"],
    ["http://localhost.:3000", "http://192.0.2.7:7420"],
    ["http://a.localhost:3000", "http://192.0.2.7:7420"],
    // Names are checked before: they are this server's own, at whichever port a proxy listens.
    ["https://tenon.example.org", "https://tenon.example.org"],
  ])("is a name, or the end of the connection: %s", (base, certain) => {
    expect(certainBase(base, socket)).toBe(certain);
  });

  it("has brackets around IPv6", () => {
    const own = { localAddress: "::1", localPort: 443 } as Socket;
    expect(certainBase("https://[::1]", own)).toBe("https://[::1]");
    expect(certainBase("https://[::2]", own)).toBe("https://[::1]:443");
  });
});

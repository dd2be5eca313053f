import { describe, expect, it } from "vitest";
import { compileHosts, viewHost } from "./host-condition.js";
import { match } from "./match.js";
import { PatternError } from "../glob/wildcard.js";

describe("viewHost", () => {
  it.each([
    ["Example.COM", "example.com", undefined],
    ["example.com.", "example.com", undefined],
    ["example.com:8080", "example.com", "8080"],
    ["https://user:pw@Example.com:8443/x?y", "example.com", "8443"],
    ["https://example.com/", "example.com", "443"],
    ["[::1]:80", "::1", "80"],
    ["::1", "::1", undefined],
    ["0:0:0:0:0:0:0:1", "::1", undefined],
    ["127.1", "127.0.0.1", undefined],
    ["0x7f000001:99", "127.0.0.1", "99"],
    ["münchen.de", "xn--mnchen-3ya.de", undefined],
    ["*", "*", undefined],
  ])("reads %j", (text, name, port) => {
    expect(viewHost(text)).toEqual({ name, port });
  });
});

describe("compileHosts", () => {
  it.each([
    ["example.com", "example.com", true],
    ["example.com", "EXAMPLE.com:443", true],
    ["example.com", "evil-example.com", false],
    ["example.com", "example.com.evil.org", false],
    ["*.example.com", "a.b.example.com", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "evilexample.com", false],
    ["{a,b}.org", "b.org", true],
    ["localhost:8080", "localhost:8080", true],
    ["localhost:8080", "localhost:8081", false],
    ["localhost:*", "localhost:1", true],
    ["[::1]", "[0::1]:5", true],
    ["127.0.0.1", "127.1", true],
    ["münchen.de", "xn--mnchen-3ya.de", true],
    ["*.münchen.de", "a.xn--mnchen-3ya.de", true],
    ["*", "x.org", true],
  ])("matches %j against %j: %s", (pattern, host, expected) => {
    expect(compileHosts([pattern], true)(viewHost(host)) === match.yes).toBe(expected);
    expect(compileHosts([pattern], false)(viewHost(host)) === match.yes).toBe(expected);
  });

  it("is in doubt about a port or host that is not known", () => {
    expect(compileHosts(["x.org:22"], false)(viewHost("x.org"))).toBe(match.maybe);
    expect(compileHosts(["x.org:22"], true)(viewHost("x.org"))).toBe(match.no);
    expect(compileHosts(["x.org"], false)(viewHost("*"))).toBe(match.maybe);
    expect(compileHosts(["x.org"], true)(viewHost("*"))).toBe(match.no);
    expect(compileHosts(["*"], true)(viewHost("*"))).toBe(match.yes);
  });

  it.each(["", " ", ".", ":80", "http://x.org", "x.org/a", "me@x.org"])(
    "refuses %j, which is not a host",
    (pattern) => {
      expect(() => compileHosts([pattern], true)).toThrow(PatternError);
    },
  );

  it("takes exceptions out", () => {
    const allow = compileHosts(["*.x.org", "!secret.x.org"], true);
    expect(allow(viewHost("a.x.org"))).toBe(match.yes);
    expect(allow(viewHost("secret.x.org"))).toBe(match.no);
    expect(compileHosts(["!x.org"], false)(viewHost("y.org"))).toBe(match.yes);
  });

  it.each(["https://x.org", "x.org/path", "a@b"])("refuses %j", (pattern) => {
    expect(() => compileHosts([pattern], true)).toThrow(PatternError);
  });
});

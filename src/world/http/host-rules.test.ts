import { describe, expect, it } from "vitest";
import { compileHosts } from "./host-rules.js";
import { underLoad } from "../../../test/setup/under-load.js";

describe("compileHosts", () => {
  it.each([
    ["example.com", "example.com", 80, true],
    ["example.com", "www.example.com", 80, false],
    ["Example.COM.", "example.com", 443, true],
    ["*.example.com", "a.b.example.com", 443, true],
    ["*.example.com", "example.com", 443, false],
    ["*.example.com", "evil-example.com", 443, false],
    ["*example.com", "evilexample.com.evil.org", 443, false],
    ["10.0.0.*", "10.0.0.7", 80, true],
    ["10.0.0.?", "10.0.0.17", 80, false],
    ["localhost:3000", "localhost", 3000, true],
    ["localhost:3000", "localhost", 3001, false],
    ["localhost:*", "localhost", 3001, true],
    ["[::1]:8080", "::1", 8080, true],
    ["[::1]:8080", "::1", 80, false],
    ["::1", "::1", 80, true],
    ["0:0:0:0:0:0:0:1", "::1", 80, true],
    ["0x7f.1", "127.0.0.1", 80, true],
    ["{api,www}.corp", "www.corp", 80, true],
    ["{api,www}.corp", "ftp.corp", 80, false],
    ["bücher.example", "xn--bcher-kva.example", 80, true],
    ["*.bücher.example", "a.xn--bcher-kva.example", 80, true],
    ["db-[0-9].corp", "db-7.corp", 80, true],
    ["db-[!0-9].corp", "db-7.corp", 80, false],
    ["*", "anything.at.all", 1, true],
  ])("%s with %s:%i is %s", (pattern, host, port, expected) => {
    expect(compileHosts([pattern]).matches(host, port)).toBe(expected);
  });

  it("tells a host that is named from one that a wildcard takes", () => {
    const rules = compileHosts(["169.254.*", "10.0.0.1"]);
    expect(rules.names("169.254.169.254", 80)).toBe(false);
    expect(rules.names("10.0.0.1", 80)).toBe(true);
  });

  it.each([
    "",
    "http://example.com",
    "example.com/path",
    "a b",
    "user@host",
    "host:99999",
    "host:port",
    "10.0.0.0/8",
    "@(a|b).corp",
    `${"{a,b}".repeat(9)}.corp`,
  ])("refuses %j", (pattern) => {
    expect(() => compileHosts([pattern])).toThrow(expect.objectContaining({ code: "VALUE_INVALID" }));
  });

  it("does not take long over many wildcards", () => {
    const rules = compileHosts([`${"*a".repeat(30)}*b`]);
    const started = performance.now();
    expect(rules.matches("a".repeat(250), 80)).toBe(false);
    expect(performance.now() - started).toBeLessThan(underLoad(100));
  });
});

import { describe, expect, it } from "vitest";
import { currentProcess, livenessOf } from "./process-identity.js";

describe("livenessOf", () => {
  const self = currentProcess();

  it.each([
    ["this very process", self, "alive"],
    ["a number that is nobody's", { ...self, pid: 2 ** 22 + 1 }, "dead"],
    ["a number that was given out again", { ...self, started: "1" }, "dead"],
    ["another boot", { ...self, boot: "other" }, "dead"],
    ["another container", { ...self, namespace: "pid:[1]" }, "unknown"],
  ])("tells of %s", (_, identity, expected) => {
    expect(livenessOf(identity, self, "sqlite")).toBe(expected);
  });

  it("cannot tell of another machine that shares a server", () => {
    expect(livenessOf({ ...self, boot: "other" }, self, "postgres")).toBe("unknown");
  });
});

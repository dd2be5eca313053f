import { expect, it } from "vitest";
import type { Caller } from "./caller.js";
import { Callers } from "./callers.js";

const caller = (sessionId: string, capabilities: object): Caller =>
  ({ sessionId, client: { capabilities } }) as unknown as Caller;

it("finds the only open session, or the only one whose host declared the same, and forgets those that end", () => {
  const callers = new Callers();
  const roots = { roots: { listChanged: true }, sampling: {} };
  expect(callers.only()).toBeUndefined();
  callers.meet(caller("a", roots));
  expect(callers.only()?.sessionId).toBe("a");
  expect(callers.only({ sampling: {}, roots: { listChanged: true } })?.sessionId).toBe("a");
  expect(callers.only({})).toBeUndefined();
  callers.meet(caller("b", {}));
  expect(callers.only()).toBeUndefined();
  expect(callers.only(roots)?.sessionId).toBe("a");
  expect(callers.only({})?.sessionId).toBe("b");
  callers.meet(caller("c", roots));
  expect(callers.only(roots)).toBeUndefined();
  // A host of 2026 says with each call what it can do, so only how many sessions there are counts.
  expect(callers.onlyFor({ capabilities: {}, era: "modern" }, undefined)).toBeUndefined();
  expect(callers.onlyFor({ capabilities: {}, era: "legacy" }, undefined)?.sessionId).toBe("b");
  expect(callers.onlyFor({}, "c")?.sessionId).toBe("c");
  callers.forget("a");
  expect(callers.only(roots)?.sessionId).toBe("c");
  callers.forget("b");
  expect(callers.onlyFor({ capabilities: {}, era: "modern" }, undefined)?.sessionId).toBe("c");
  expect(callers.onlyFor({}, undefined)).toBeUndefined();
  expect([callers.only()?.sessionId, callers.last("a"), callers.last("c")?.sessionId]).toEqual([
    "c",
    undefined,
    "c",
  ]);
});

import { describe, expect, it } from "vitest";
import {
  CallForCaller,
  callerOf,
  capabilitiesOf,
  capabilityKey,
  listingKey,
  profileOf,
  type PartialCaller,
} from "./caller.js";

const host = (client: object): PartialCaller => ({ sessionId: "s", client: client as never });
const supports = (elicitForm: boolean, elicitUrl: boolean, sample: boolean): PartialCaller =>
  host({ supports: { elicitForm, elicitUrl, sample } });

describe("what a caller can be asked", () => {
  it.each<[string, PartialCaller, object]>([
    ["nothing where nobody is there", { sessionId: "s" }, {}],
    [
      "in both ways where a person is there",
      { interact: {} as never },
      { elicitation: { form: {}, url: {} } },
    ],
    ["nothing by a host that supports nothing", supports(false, false, false), {}],
    ["by forms alone", supports(true, false, false), { elicitation: { form: {} } }],
    ["by addresses alone", supports(false, true, false), { elicitation: { url: {} } }],
    [
      "in both ways by a host",
      supports(true, true, true),
      { elicitation: { form: {}, url: {} }, sampling: {} },
    ],
    ["for samples alone", supports(false, false, true), { sampling: {} }],
    ["nothing that the host did not declare", host({ capabilities: {}, supports: { elicitForm: true } }), {}],
    [
      "what the host declared, as it did",
      host({
        capabilities: {
          elicitation: { form: { a: 1 } },
          sampling: {},
          roots: { listChanged: true },
          tasks: {},
        },
      }),
      { elicitation: { form: { a: 1 } }, sampling: {}, roots: { listChanged: true } },
    ],
    [
      "only what was declared in a readable form",
      host({ capabilities: { elicitation: true, roots: null, sampling: {} } }),
      { sampling: {} },
    ],
  ])("is %s", (_what, caller, expected) => {
    expect(capabilitiesOf(caller)).toEqual(expected);
  });

  it("has a key that does not depend on the order of its members, and tells all else apart", () => {
    expect(capabilityKey({})).toBe("{}");
    expect(capabilityKey({ b: { d: 1, c: [2, 1] }, a: {} })).toBe('{"a":{},"b":{"c":[2,1],"d":1}}');
    expect(capabilityKey({ a: {}, b: { c: [2, 1], d: 1 } })).toBe('{"a":{},"b":{"c":[2,1],"d":1}}');
    expect(listingKey("modern", { a: {} })).toBe("modern");
    expect(listingKey("legacy")).toBe("legacy");
    expect(listingKey("legacy", {})).toBe("legacy");
    expect(listingKey("legacy", { a: {} })).toBe('legacy {"a":{}}');
  });
});

describe("a call for a caller", () => {
  it("has what its host sent along, and whose secrets it may use", () => {
    const client = {
      era: "modern",
      meta: { m: 1 },
      extras: { e: 1 },
      logLevel: "info",
      capabilities: { roots: {} },
    };
    const caller = { sessionId: "user:alice:1", endpoint: "team", client: client as never };
    const stop = { signal: AbortSignal.abort(), onStop: () => {} } as never;
    const onProgress = (): void => {};
    const call = new CallForCaller(caller, stop, onProgress);
    expect(call).toMatchObject({
      caller,
      era: "modern",
      meta: { m: 1 },
      extras: { e: 1 },
      logLevel: "info",
      capabilities: { roots: {} },
    });
    expect(call.onProgress).toBe(onProgress);
    expect(call.signal.aborted).toBe(true);
    expect(call.onStop).toBe((stop as { onStop: unknown }).onStop);
    expect(call.owner).toEqual(profileOf(caller).owner);
    expect(profileOf(caller)).toMatchObject({
      capabilities: { roots: {} },
      era: "modern",
      session: caller.sessionId,
      owner: { endpoint: "team" },
    });
    expect(profileOf({})).toEqual({
      capabilities: {},
      era: undefined,
      owner: { user: undefined, endpoint: undefined },
      session: undefined,
    });
    expect(callerOf(call)).toBe(caller);
    expect(callerOf(new CallForCaller({ client: client as never }, stop))).toBeUndefined();
    expect(callerOf(stop)).toBeUndefined();
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolPermissionError, ToolTimeoutError } from "../contract/errors.js";
import { fromWireError, toWireError } from "./wire-error.js";
import { decode, encode } from "./protocol.js";
import { randomCases } from "../../test/setup/random-cases.js";

const sent = (value: unknown): unknown => decode(JSON.parse(JSON.stringify(encode(value))));

describe("values on the wire", () => {
  it("come out as they went in: JSON data, bytes, missing arguments", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.uint8Array());
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        leaf,
        fc.array(tie("node")),
        fc.dictionary(fc.string(), tie("node"), { noNullPrototype: true }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (given) => {
        expect(sent(given)).toEqual(given);
      }),
      { numRuns: randomCases(300) },
    );
    expect(sent(["a", undefined, 1, undefined])).toEqual(["a", undefined, 1, undefined]);
  });
});

describe("errors on the wire", () => {
  it("keep their class, code, hint, details and whether they can be retried", () => {
    const error = new ToolPermissionError("no", {
      code: "NETWORK_REFUSED",
      hint: "ask",
      details: { host: "x" },
    });
    const back = fromWireError(JSON.parse(JSON.stringify(toWireError(error))));
    expect(back).toBeInstanceOf(ToolPermissionError);
    expect(back).toMatchObject({
      code: "NETWORK_REFUSED",
      hint: "ask",
      details: { host: "x" },
      message: error.message,
    });
    expect(fromWireError(toWireError(new ToolTimeoutError("late")))).toMatchObject({
      retryable: true,
      code: "TIMED_OUT",
    });
  });

  it("are known by their shape: a plugin may have its own copy of the classes", () => {
    const foreign = Object.assign(new Error("no"), { name: "ToolSecurityError", code: "PATH_OUTSIDE" });
    expect(fromWireError(toWireError(foreign)).name).toBe("ToolSecurityError");
  });

  it("are made of anything that was thrown, and of any rubbish that came", () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("never");
        },
      },
    );
    for (const thrown of [undefined, null, "x", 7n, hostile, Object.create(null)]) {
      expect(toWireError(thrown).type).toBe("ToolExecutionError");
    }
    fc.assert(
      fc.property(fc.anything(), (wire) => {
        expect(fromWireError(wire)).toBeInstanceOf(Error);
      }),
    );
  });
});

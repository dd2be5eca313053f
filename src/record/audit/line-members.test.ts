import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameHash, NameTable } from "./index-columns.js";
import { LineMembers } from "./line-members.js";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("é", "Ã©", "\\n", "\n", 'a"b'),
);
const record = fc.record(
  {
    hash: fc.constant("0".repeat(64)),
    previous: fc.constant("1".repeat(64)),
    seq: fc.nat(),
    kind: fc.constantFrom("start", "segment"),
    callId: text,
    time: fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    outcome: fc.constantFrom("success", "denied"),
    tool: text,
    decision: fc.record({ reason: text, callId: text, list: fc.array(text) }),
    arguments: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.record({ code: text }),
  },
  { requiredKeys: ["hash", "previous"] },
);

describe("the members of a line", () => {
  it("are those that its JSON has, also where a line has spaces", () => {
    const names = new NameTable([""]);
    const members = new LineMembers();
    fc.assert(
      fc.property(record, fc.boolean(), (written, isSpaced) => {
        const value = JSON.parse(JSON.stringify(written)) as typeof written;
        expect(members.read(Buffer.from(JSON.stringify(value, undefined, isSpaced ? 1 : 0)))).toBe(true);
        for (const name of ["callId", "kind", "tool", "outcome", "arguments", "result", "error"] as const) {
          expect(members.has(name)).toBe(value[name] !== undefined);
          expect(members.value(name)).toEqual(value[name]);
        }
        expect(names.names[members.idIn(names, "tool")]).toBe(value.tool ?? "");
        expect(members.number("time")).toBe(value.time ?? 0);
        expect(members.is("kind", "start")).toBe(value.kind === "start");
        if (value.callId !== undefined) expect(members.hash("callId")).toBe(nameHash(value.callId));
        if (value.result !== undefined)
          expect(members.bytes("result")).toBe(Buffer.byteLength(JSON.stringify(value.result)));
      }),
    );
  });

  it.each([
    "",
    "{",
    "[]",
    '{"callId":"a"',
    '{"callId":"a"}}',
    '{"callId" "a"}',
    '{"callId":"a","tool":"b}',
    "\0\0",
  ])("has none where %j is damaged", (line) => {
    const members = new LineMembers();
    members.read(Buffer.from('{"callId":"before"}'));
    expect(members.read(Buffer.from(line))).toBe(false);
    expect(members.has("callId")).toBe(false);
  });

  it("can be asked for whichever byte is damaged", () => {
    const error = { code: "A", list: [1, { b: "c" }] };
    const line = Buffer.from(
      JSON.stringify({
        callId: 'é"',
        time: 12.5,
        tool: "echo",
        outcome: "success",
        error,
        result: [null, {}],
      }),
    );
    const members = new LineMembers();
    for (let at = 0; at < line.length; at++) {
      for (const byte of [34, 44, 92, 120, 125, 255]) {
        const damaged = Buffer.from(line);
        damaged[at] = byte;
        members.read(damaged);
        expect(Number.isFinite(members.number("time"))).toBe(true);
        expect(members.bytes("result")).toBeGreaterThanOrEqual(0);
        expect(typeof members.text("callId")).toBe("string");
        expect(() => members.value("error")).not.toThrow();
      }
    }
  });
});

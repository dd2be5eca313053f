import { expect, it } from "vitest";
import type { AuditRecord } from "../contract/ports/audit.js";
import { cutLarge, readPart } from "./shown-record.js";

const record = (args: object, result?: unknown) => ({ arguments: args, result }) as unknown as AuditRecord;

it("leaves a record alone that has nothing large", () => {
  const small = record({ a: "x".repeat(64_000), b: [1, null, true] }, { c: 1 });
  expect(cutLarge(small)).toEqual({ record: small, large: [] });
});

it("cuts long texts and lists, and says where and how much", () => {
  const { record: cut, large } = cutLarge(
    record({ "a/b~c": "x".repeat(64_001) }, { list: Array.from({ length: 1001 }, () => 1) }),
  );
  expect((cut.arguments as { "a/b~c": string })["a/b~c"]).toHaveLength(64_000);
  expect((cut.result as { list: [] }).list).toHaveLength(1000);
  expect(large).toEqual([
    { of: "arguments", pointer: "/a~1b~0c", kind: "text", length: 64_001, shown: 64_000 },
    { of: "result", pointer: "/list", kind: "list", length: 1001, shown: 1000 },
  ]);
});

it("shows only the beginning of each text once all together are too long", () => {
  const texts = Array.from({ length: 40 }, () => "x".repeat(64_000));
  const shown = (cutLarge(record({ texts })).record.arguments as { texts: string[] }).texts;
  const [whole, cut] = [64_000, 1000].map((length) => shown.filter((text) => text.length === length).length);
  expect([whole, cut]).toEqual([31, 9]);
});

it("cuts no character in half, and gives the rest in pieces", () => {
  const text = `${"x".repeat(63_999)}😀y`;
  const full = record({ text });
  expect((cutLarge(full).record.arguments as { text: string }).text).toBe("x".repeat(63_999));
  const piece = { of: "arguments", pointer: "/text", from: 63_999, count: 10 } as const;
  expect(readPart(full, piece)).toEqual({ from: 63_999, length: 64_002, text: "😀y" });
  expect(() => readPart(full, { ...piece, pointer: "/none" })).toThrow(
    "Text or list in the record not found.",
  );
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildAnswer, dnsCodes, dnsTypes, parseQuery } from "./dns-message.js";

function queryFor(labels: readonly string[], type: number): Buffer {
  const header = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const name = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  return Buffer.concat([header, ...name, Buffer.from([0, 0, type, 0, 1])]);
}

const label = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);

describe("DNS messages", () => {
  it("are read back as they were asked, in lower case", () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 6 }), (labels) => {
        const query = parseQuery(queryFor(labels, dnsTypes.AAAA));
        expect(query).toMatchObject({
          id: 0x1234,
          name: labels.join(".").toLowerCase(),
          type: dnsTypes.AAAA,
          recursionDesired: true,
        });
      }),
    );
  });

  it("never break the reader, whatever they contain", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const query = parseQuery(Buffer.from(bytes));
        expect(query === undefined || /^[\w.-]+$/.test(query.name)).toBe(true);
      }),
    );
    const good = queryFor(["packages", "example", "org"], dnsTypes.A);
    for (let at = 0; at < good.length; at++) expect(() => parseQuery(good.subarray(0, at))).not.toThrow();
  });

  it("with a name that a label could disguise are ignored", () => {
    expect(parseQuery(queryFor(["good.example", "org"], dnsTypes.A))).toBeUndefined();
    expect(parseQuery(queryFor(["a\0b", "org"], dnsTypes.A))).toBeUndefined();
  });

  it("are answered with the address, or with a code only", () => {
    const query = parseQuery(queryFor(["packages", "example", "org"], dnsTypes.A))!;
    const found = buildAnswer(query, dnsCodes.noError, "127.8.1.2");
    expect([...found.subarray(-4)]).toEqual([127, 8, 1, 2]);
    expect(found.readUInt16BE(6)).toBe(1);
    const missing = buildAnswer(query, dnsCodes.nameError);
    expect([missing.readUInt16BE(2) & 15, missing.readUInt16BE(6)]).toEqual([3, 0]);
  });
});

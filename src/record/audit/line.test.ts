import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  beginsWithHashes,
  bodyOf,
  genesis,
  inspectLine,
  inspectLink,
  keepHash,
  maxLineBytes,
  sealLine,
} from "./line.js";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A line as it is written behind some bytes, and what was said of it. */
function seal(rest: string, { previous = genesis, seq = 7, from = 3 } = {}) {
  const bytes = Buffer.alloc(from + rest.length * maxLineBytes.perChar + maxLineBytes.more, "!");
  const sealed = sealLine(bytes, from, { previous, seq, rest });
  return { sealed, line: bytes.subarray(from, sealed.end - 1), bytes };
}

const call = ',"callId":"c","tool":"é"}';

describe("a line", () => {
  it("is JSON whose hash is of all behind it, up to the line end", () => {
    const { sealed, line, bytes } = seal(call);
    const body = `"previous":"${genesis}","seq":7${call}`;
    expect(line.toString()).toBe(`{"hash":"${sha(body)}",${body}`);
    expect(JSON.parse(line.toString())).toMatchObject({ seq: 7, callId: "c", tool: "é" });
    expect(sealed.hash).toBe(sha(body));
    expect(bodyOf(line.toString())).toBe(body);
    expect(bytes.toString("latin1", 0, 3)).toBe("!!!");
    expect(bytes[sealed.end - 1]).toBe(10);
    expect(bytes[sealed.end]).toBe(33);
  });

  it.each([
    ["call", call, { kind: "call", purged: false }, false],
    ["start", ',"kind":"start","callId":"c"}', { kind: "start", purged: false }, true],
    ["end", ',"start":1234,"callId":"c"}', { kind: "call", start: 1234, purged: false }, true],
    ["marker", ',"kind":"heads","time":1}', { kind: "marker", purged: false }, true],
    ["purged call", ',"purged":5,"callId":"c"}', { kind: "call", purged: true }, true],
    ["purged start", ',"purged":5,"kind":"start","callId":"c"}', { kind: "start", purged: true }, true],
    ["purged end", ',"purged":5,"start":9,"callId":"c"}', { kind: "call", start: 9, purged: true }, true],
    [
      "purged end with a place that is none",
      ',"purged":5,"start":"9"}',
      { kind: "call", purged: true },
      true,
    ],
    ["damaged purged", ',"purged":5,', { kind: "call", purged: true }, true],
  ])("of a %s says what it is", (_, rest, link, isLinked) => {
    const { sealed, line } = seal(rest, { previous: sha("before"), seq: 1_000_004 });
    expect(sealed.isLinked).toBe(isLinked);
    expect(inspectLink(line)).toEqual({ seq: 1_000_004, ...link });
    expect(inspectLine(line)).toEqual({
      seq: 1_000_004,
      hash: sealed.hash,
      actual: sealed.hash,
      previous: sha("before"),
      ...link,
    });
    expect(beginsWithHashes(line)).toBe(true);
  });

  it("that keeps its hash is told by what it hashes to now", () => {
    const { sealed, line } = seal(call);
    const changed = keepHash(sealed.hash, bodyOf(line.toString()).replace('"c"', '"d"'));
    expect(inspectLine(Buffer.from(changed))).toMatchObject({
      hash: sealed.hash,
      actual: sha(bodyOf(changed)),
      kind: "call",
    });
  });

  it("of the log has all three of its marks, each in its place", () => {
    const { line } = seal(call);
    const text = line.toString("latin1");
    for (const mark of ['{"hash":"', '","previous":"', '","seq":']) {
      const at = text.indexOf(mark);
      for (const place of [at, at + mark.length - 1]) {
        const wrong = `${text.slice(0, place)}_${text.slice(place + 1)}`;
        expect(inspectLine(Buffer.from(wrong, "latin1"))).toBeUndefined();
      }
    }
    expect(inspectLine(Buffer.from(text.slice(0, text.indexOf('"seq":') + 6)))).toBeUndefined();
    expect(inspectLine(Buffer.from(text.slice(0, text.indexOf('"seq":') + 8)))).toBeDefined();
    expect(inspectLine(Buffer.alloc(0))).toBeUndefined();
    expect(beginsWithHashes(Buffer.from(`x${text}`, "latin1"))).toBe(false);
    expect(beginsWithHashes(Buffer.from(text.replace('","seq"', '"_"seq"'), "latin1"))).toBe(false);
  });
});

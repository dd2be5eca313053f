import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "./make-splice.js";
import { decodeText } from "./decode-text.js";
import { encodeText } from "./encode-text.js";
import { planEdit, type EditPlan, type TextEdit } from "./plan-edit.js";
import type { Splice } from "./splice.js";
import { randomCases } from "../../test/setup/random-cases.js";

const encodings = [
  "utf8",
  "utf16le",
  "utf16be",
  "latin1",
  "windows-1251",
  "gb18030",
  "shift_jis",
  "euc-jp",
  "euc-kr",
  "big5",
];

/** Few different characters, so that texts repeat and edits hit. */
const word = fc.constantFrom(
  "a",
  "b",
  "ab",
  " ",
  "  ",
  "\t",
  "é",
  "文",
  "件",
  "я",
  "🙂",
  "e\u0301",
  "$&",
  "$1",
  "$$",
  "ß",
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "");
const someText = fc
  .array(fc.tuple(fc.array(word, { maxLength: 4 }), lineEnd), { maxLength: 8 })
  .map((lines) => lines.map(([words, end]) => words.join("") + end).join(""));

/** An old text that is often a part of the whole one. */
const someEdit = fc
  .tuple(someText, someText, fc.nat(), fc.nat(), fc.boolean(), fc.boolean())
  .map(([text, newStr, from, length, normalize, replaceAll]) => {
    const start = text.length === 0 ? 0 : from % text.length;
    const part = text.slice(start, start + 1 + (length % 12));
    const oldStr = normalize && !part.includes("\r\r") ? part.replaceAll("\r\n", "\n") : part;
    return { text, edit: { oldStr, newStr, replaceAll } };
  });

/** That nothing but the splices differs: what lies between them is the same in both files. */
function expectOutsideUntouched(before: Uint8Array, after: Uint8Array, splices: readonly Splice[]): void {
  let from = 0;
  let to = 0;
  for (const { start, end, data } of splices) {
    expect(start).toBeGreaterThanOrEqual(from);
    const kept = start - from;
    expect(Buffer.from(after.subarray(to, to + kept))).toEqual(Buffer.from(before.subarray(from, start)));
    to += kept + data.length;
    from = end;
  }
  expect(Buffer.from(after.subarray(to))).toEqual(Buffer.from(before.subarray(from)));
}

/** What a splice may touch lies on the lines that the plan names. */
function expectWithinSpans(
  plan: EditPlan & { ok: true },
  text: string,
  offset: (index: number) => number,
): void {
  const mark = text.includes("\n") ? "\n" : "\r";
  const starts = [0];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) starts.push(at + 1);
  const bounds = plan.spans.map(({ startLine, endLine }) => [
    offset(starts[startLine - 1] ?? 0),
    offset(starts[endLine] ?? text.length),
  ]);
  for (const { start, end } of plan.splices) {
    expect(bounds.some(([low = 0, high = 0]) => low <= start && end <= high)).toBe(true);
  }
}

function reference(text: string, { oldStr, newStr, replaceAll }: TextEdit): string {
  let count = 0;
  for (let at = text.indexOf(oldStr); at !== -1; at = text.indexOf(oldStr, at + 1)) count += 1;
  if (count === 0) return referenceAtOpenEnd(text, oldStr, newStr);
  if (count > 1 && replaceAll !== true) return "many";
  return text.split(oldStr).join(newStr);
}

/** The one thing overlooked in plain text without blanks: that the last line has no line end. */
function referenceAtOpenEnd(text: string, oldStr: string, newStr: string): string {
  const line = oldStr.slice(0, -1);
  if (!oldStr.endsWith("\n") || line === "" || line.endsWith("\n") || !text.endsWith(line)) return "none";
  return text.slice(0, text.length - line.length) + newStr.replace(/\n$/, "");
}

describe("planEdit, for any file and edit", () => {
  it("does on plain ASCII text what replacing strings does", () => {
    const ascii = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$", "&"), maxLength: 30 });
    fc.assert(
      fc.property(ascii, ascii, ascii, fc.boolean(), (text, oldStr, newStr, replaceAll) => {
        fc.pre(oldStr !== "");
        const bytes = Buffer.from(text);
        const plan = planEdit(bytes, { oldStr, newStr, replaceAll });
        const wanted = reference(text, { oldStr, newStr, replaceAll });
        if (plan.ok) expect(Buffer.from(applySplices(bytes, plan.splices)).toString()).toBe(wanted);
        else expect(plan.fault).toBe(wanted === "none" ? "not-found" : "not-unique");
      }),
      { numRuns: randomCases(2000) },
    );
  });

  it("changes no byte outside its splices, and makes the text that was asked for, in every encoding", () => {
    fc.assert(
      fc.property(fc.constantFrom(...encodings), fc.boolean(), someEdit, (encoding, bom, { text, edit }) => {
        const bytes = encodeText(text, encoding, { bom });
        fc.pre(bytes !== undefined && edit.oldStr.isWellFormed() && edit.oldStr !== "");
        const plan = planEdit(bytes, edit, encoding);
        if (!plan.ok) {
          // A text taken from the file is found, once or often, unless the new one cannot be written.
          expect(plan.fault).not.toBe("not-found");
          return;
        }
        const after = applySplices(bytes, plan.splices);
        expectOutsideUntouched(bytes, after, plan.splices);
        const before = decodeText(bytes, encoding);
        expectWithinSpans(plan, before.text, (index) => before.byteOffset(index));
        const plain = (one: string): string => one.replaceAll(/\r\n?/g, "\n");
        const result = decodeText(after, encoding);
        expect(result.bom).toBe(before.bom);
        if (plan.replacements === 1 && plan.how !== "indentation") {
          const at = plain(before.text).indexOf(plain(edit.oldStr));
          expect(at).toBeGreaterThanOrEqual(0);
          // A return that stands alone may come to stand before a feed, and be one line end with it.
          if (!/\r(?!\n)/.test(text) && !`${edit.newStr}${edit.oldStr}`.includes("\r")) {
            expect(plain(result.text)).toBe(
              plain(before.text).slice(0, at) +
                plain(edit.newStr) +
                plain(before.text).slice(at + plain(edit.oldStr).length),
            );
          }
        }
      }),
      { numRuns: randomCases(1500) },
    );
  });

  it("leaves broken bytes and everything else around an edit alone, or refuses", () => {
    const chunk = fc.oneof(
      fc.constantFrom("needle", "é文", "\r\n", "\n", "🙂").map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 10 }),
        fc.constantFrom("needle", "é", "文", "\n", "needle\n", "\uFFFD", "🙂"),
        fc.constantFrom("", "x", "é\ny", "🙂"),
        fc.constantFrom("auto", ...encodings),
        (chunks, oldStr, newStr, encoding) => {
          const bytes = Buffer.concat(chunks);
          for (const replaceAll of [false, true]) {
            const plan = planEdit(bytes, { oldStr, newStr, replaceAll }, encoding);
            if (!plan.ok) continue;
            const after = applySplices(bytes, plan.splices);
            expectOutsideUntouched(bytes, after, plan.splices);
            const before = decodeText(bytes, encoding);
            expectWithinSpans(plan, before.text, (index) => before.byteOffset(index));
            // The bytes taken out are those of the old text, or of a part of it.
            for (const { start, end } of plan.splices) {
              const taken = decodeText(bytes.subarray(start, end), plan.encoding).text;
              expect(
                oldStr.replaceAll("\n", "\r\n").includes(taken) || oldStr.includes(taken) || taken === "\r",
              ).toBe(true);
            }
          }
        },
      ),
      { numRuns: randomCases(2000) },
    );
  });
});

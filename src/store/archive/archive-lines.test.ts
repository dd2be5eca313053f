import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  createArchiveWriter,
  fromArchiveValue,
  readArchive,
  toArchiveValue,
  type ArchiveHead,
  type ArchiveLine,
} from "./archive-lines.js";

const head: ArchiveHead = {
  tenon: "state",
  format: 1,
  schema: 3,
  workspace: "/w",
  time: 5,
  given: { t: 4 },
};
const content = "a1".repeat(32);
const lines = [
  head,
  { table: "t", row: { a: null, b: 1, c: "text", d: { base64: "AA==" } } },
  { content, base64: "AAEC", last: false },
  { content, base64: "", last: true },
  { table: "u", row: {} },
] as const;

async function write(some: readonly (typeof lines)[number][] = lines): Promise<string> {
  let text = "";
  const writer = createArchiveWriter(async (line) => void (text += line));
  for (const line of some) await writer.add(line);
  await writer.end();
  return text;
}

/** What a reader makes of it, however it is cut into chunks. */
async function read(text: string, chunkBytes = 7): Promise<ArchiveLine[]> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const found: ArchiveLine[] = [];
  for await (const line of readArchive(chunks())) found.push(line);
  return found;
}
const refusal = (text: string): Promise<string> =>
  read(text).then(
    () => "taken",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
const refused = (why: string): string =>
  `VALUE_INVALID: The file is not a complete backup of a state: ${why}.`;
/** An archive of these lines, with a last line that fits them. */
const sealed = (some: readonly unknown[], more: object = {}): string => {
  const text = some.map((line) => `${JSON.stringify(line)}\n`).join("");
  const rows = some.filter((line) => Object.hasOwn(line as object, "table")).length;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ rows, contents: 0, sha256, ...more })}\n`;
};

describe("an archive", () => {
  it("is read as it was written, and ends with what is in it", async () => {
    const text = await write();
    const sha256 = createHash("sha256").update(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
    const end = { rows: 2, contents: 1, sha256: sha256.digest("hex") };
    for (const chunkBytes of [1, 7, 100, 1e6]) expect(await read(text, chunkBytes)).toEqual([...lines, end]);
    expect(await read(await write([head]))).toHaveLength(2);
  });

  it("is refused wherever it is cut off", async () => {
    const text = await write();
    for (let length = 0; length < text.length; length += 3) {
      const told = await refusal(text.slice(0, length));
      expect([
        refused("it is truncated"),
        ...[1, 2, 3, 4, 5, 6].map((at) => refused(`line ${at} is invalid`)),
      ]).toContain(told);
    }
    expect(await refusal(text.slice(0, -1))).toBe(refused("it is truncated"));
  });

  it("is refused where it was changed, or is of something else", async () => {
    const text = await write();
    const checksum = refused("its checksum does not match");
    expect(await refusal(text.replace('"c":"text"', '"c":"TEXT"'))).toBe(checksum);
    expect(await refusal(text.replace('"rows":2', '"rows":3'))).toBe(checksum);
    expect(await refusal(text.replace('"contents":1', '"contents":0'))).toBe(checksum);
    expect(await refusal(`${text}${text}`)).toBe(refused("something follows its last line"));
    expect(await refusal(sealed([{ table: "t", row: {} }]))).toBe(refused("it does not start like one"));
    expect(await refusal(sealed([head, head]))).toBe(refused("it does not start like one"));
    expect(await refusal("")).toBe(refused("it is truncated"));
    expect(await refusal("no JSON\n")).toBe(refused("line 1 is invalid"));
  });

  it.each([
    { ...head, tenon: "plan" },
    { ...head, format: 2 },
    { ...head, schema: 0 },
    { ...head, schema: 1.5 },
    { ...head, given: null },
    { ...head, given: { t: -1 } },
    { ...head, given: { t: 0.5 } },
  ])("does not begin with %j", async (line) => {
    expect(await refusal(sealed([line]))).toBe(refused("line 1 is invalid"));
  });

  it.each([
    { ...head, schema: 1 },
    { ...head, given: {} },
    { ...head, given: { t: 0 } },
    { ...head, given: undefined },
  ])("may begin with %j", async (line) => {
    expect(await refusal(sealed([line]))).toBe("taken");
  });

  it.each<[unknown, boolean]>([
    [{ table: "t", row: { a: 1 } }, true],
    [{ table: 1, row: {} }, false],
    [{ table: "t" }, false],
    [{ table: "t", row: null }, false],
    [{ table: "t", row: { a: true } }, false],
    [{ table: "t", row: { a: {} } }, false],
    [{ table: "t", row: { a: { base64: 1 } } }, false],
    [{ table: "t", row: { a: { base64: "AA==" } } }, true],
    [{ content, base64: "", last: false }, true],
    [{ content: `${content}0`, base64: "", last: false }, false],
    [{ content: content.toUpperCase(), base64: "", last: false }, false],
    [{ content, base64: 1, last: false }, false],
    [{ content, base64: "", last: "false" }, false],
    [{ rows: 0, contents: "0", sha256: "" }, false],
    [{ rows: "0", contents: 0, sha256: "" }, false],
    [{ rows: 0, contents: 0, sha256: 1 }, false],
    [[], false],
    [null, false],
    ["text", false],
  ])("that goes on with %j is one: %s", async (line, isOne) => {
    const text = sealed([head, ...(line === null ? [] : [line])]);
    const own = line === null ? text.replace("\n{", "\nnull\n{") : text;
    expect(await refusal(own)).toBe(isOne ? "taken" : refused("line 2 is invalid"));
  });
});

it("a value of a column is the same after an archive", () => {
  for (const value of [null, 0, 1.5, "", "text"]) {
    expect(toArchiveValue(value)).toBe(value);
    expect(fromArchiveValue(value)).toBe(value);
  }
  const bytes = Buffer.from([0, 255, 10]);
  expect(toArchiveValue(bytes)).toEqual({ base64: "AP8K" });
  expect(fromArchiveValue({ base64: "AP8K" })).toEqual(bytes);
});

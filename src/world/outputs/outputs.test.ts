import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeptOutput, Outputs } from "../../contract/ports/outputs.js";
import { createOutputStore, type OutputStore, type OutputStoreOptions } from "./outputs.js";

let root: string;
let now: number;
let store: OutputStore;
let outputs: Outputs;

function open(options: Partial<OutputStoreOptions> = {}): OutputStore {
  return createOutputStore({ dir: join(root, "outputs"), now: () => now, randomBytes, ...options });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-outputs-"));
  now = 1_000_000;
  store = open();
  outputs = store.forSession("s1");
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

async function keep(text: string | Uint8Array, into: Outputs = outputs): Promise<KeptOutput> {
  const writer = into.create();
  await writer.write(Buffer.from(text));
  return writer.finish();
}

describe("a kept output", () => {
  it("touches the disk only when there is one", () => {
    expect(readdirSync(root)).toEqual([]);
  });

  it("is paged by lines", async () => {
    const { handle, bytes, dropped } = await keep("one\ntwo\nthree\nfour\n");
    expect({ bytes, dropped }).toEqual({ bytes: 19, dropped: 0 });
    expect(await outputs.page(handle)).toEqual({
      text: "one\ntwo\nthree\nfour",
      startLine: 1,
      endLine: 4,
      totalLines: 4,
      more: false,
    });
    expect(await outputs.page(handle, { startLine: 2, endLine: 3 })).toMatchObject({
      text: "two\nthree",
      startLine: 2,
      endLine: 3,
      more: true,
    });
    expect(await outputs.page(handle, { startLine: 9 })).toMatchObject({ text: "", more: false });
    expect(await outputs.page(handle, { maxChars: 9 })).toMatchObject({
      text: "one\ntwo",
      endLine: 2,
      more: true,
    });
  });

  it("comes back whole, page by page, whatever its lines are", async () => {
    const line = fc.oneof(fc.string({ maxLength: 20 }), fc.constant("é漢🎉"), fc.constant(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 80 }),
        async (raw, size) => {
          // What terminals obey is not shown as it is.
          const lines = raw.map((text) => text.replaceAll(/[^\p{L}\p{N}\p{S} ]/gu, "."));
          const { handle } = await keep(`${lines.join("\n")}\n`);
          const read: string[] = [];
          for (let startLine = 1, more = true; more;) {
            const page = await outputs.page(handle, { startLine, maxChars: size + 200 });
            expect(page.startLine).toBe(startLine);
            read.push(page.text);
            startLine = page.endLine + 1;
            more = page.more;
          }
          expect(read.join("\n")).toBe(lines.join("\n"));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("cuts a line that does not fit, at a character, and says so", async () => {
    const { handle } = await keep(`${"é".repeat(1000)}\nnext\n`);
    const page = await outputs.page(handle, { maxChars: 101 });
    expect(page.text).toMatch(/^é{50}\n\[line 1 is longer/);
    expect(page).toMatchObject({ endLine: 1, more: true });
    expect(await outputs.page(handle, { startLine: 2 })).toMatchObject({ text: "next" });
  });

  it("finds a page far down without reading from the start again", async () => {
    const { handle } = await keep(Array.from({ length: 400_000 }, (_, at) => `line ${at + 1}`).join("\n"));
    for (const line of [1, 2, 199_999, 400_000, 77_777]) {
      expect(await outputs.page(handle, { startLine: line, endLine: line })).toMatchObject({
        text: `line ${line}`,
        totalLines: 400_000,
      });
    }
  });

  it("is searched for a text as it is written", async () => {
    const { handle } = await keep("alpha\nbeta (x+)\nALPHA\ngamma alpha\n");
    expect(await outputs.search(handle, "alpha")).toEqual({
      matches: [
        { line: 1, text: "alpha" },
        { line: 4, text: "gamma alpha" },
      ],
      truncated: false,
    });
    expect((await outputs.search(handle, "(x+)")).matches).toEqual([{ line: 2, text: "beta (x+)" }]);
    expect((await outputs.search(handle, "alpha", { ignoreCase: true })).matches).toHaveLength(3);
    expect(await outputs.search(handle, "a", { limit: 2 })).toMatchObject({ truncated: true });
    expect(await outputs.search(handle, "nowhere")).toEqual({ matches: [], truncated: false });
  });

  it("is searched across the pieces it is read in, and inside a line that never ends", async () => {
    const filler = "x".repeat(128 * 1024 - 3);
    const { handle } = await keep(
      `${filler}needle\n${"y".repeat(3_000_000)}needle${"z".repeat(100_000)}\nlast needle`,
    );
    const { matches } = await outputs.search(handle, "needle");
    expect(matches.map(({ line }) => line)).toEqual([1, 2, 3]);
    expect(matches.every(({ text }) => text.includes("needle") && text.length < 600)).toBe(true);
  });

  it.each(["", "two\nlines", "x".repeat(40_000)])("refuses to search for %#", async (text) => {
    const { handle } = await keep("x\n");
    expect(() => outputs.search(handle, text)).toThrow(/one line/);
  });

  it("is whole for those who read it while it is being finished, at whatever moment", async () => {
    for (let turns = 0; turns < 12; turns++) {
      // The folder is made with a store's first output, for which the others have to wait.
      const fresh = open({ dir: join(root, `turn-${turns}`) });
      const own = fresh.forSession("s1");
      const writer = own.create();
      void writer.write(Buffer.from("first\nlast\n"));
      const finished = writer.finish();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const meanwhile = await own.page(writer.handle);
      await finished;
      const afterwards = await own.page(writer.handle);
      expect([turns, meanwhile.text, afterwards.text]).toEqual([turns, "first\nlast", "first\nlast"]);
      await fresh.close();
    }
  });

  it("can be read while it is written", async () => {
    const writer = outputs.create();
    await writer.write(Buffer.from("a\nb\n"));
    expect(await outputs.page(writer.handle)).toMatchObject({ text: "a\nb", totalLines: 2 });
    await writer.write(Buffer.from("c"));
    expect(await outputs.page(writer.handle, { startLine: 3 })).toMatchObject({ text: "c", totalLines: 3 });
    await writer.finish();
    expect(await outputs.page(writer.handle)).toMatchObject({ text: "a\nb\nc" });
  });

  it("shows no escape sequence and no invisible character", async () => {
    const { handle } = await keep("\x1b[2Jx\u202ey\n");
    expect((await outputs.page(handle)).text).toBe("x\\u{202e}y");
    expect((await outputs.search(handle, "y")).matches[0]?.text).toBe("x\\u{202e}y");
  });
});

describe("the store", () => {
  it("drops the middle of what is more than the cap, and says how much", async () => {
    const small = open({ dir: join(root, "small"), maxBytes: 100_000 }).forSession("s1");
    const writer = small.create();
    for (let at = 1; at <= 100_000; at++) await writer.write(Buffer.from(`${at}\n`));
    const kept = await writer.finish();
    expect(kept.bytes).toBe(588_895);
    expect(kept.dropped).toBeGreaterThan(488_000);
    const { size } = statSync(join(root, "small", `${kept.handle}.out`));
    expect(size).toBeLessThan(100_200);
    const { matches } = await small.search(kept.handle, "of the middle were not kept");
    expect(matches[0]?.text).toContain(String(kept.dropped));
    const { totalLines } = await small.page(kept.handle);
    expect((await small.page(kept.handle, { startLine: totalLines })).text).toBe("100000");
    expect((await small.page(kept.handle, { endLine: 2 })).text).toBe("1\n2");
  });

  it("keeps a stream byte for byte, however it is cut, as long as it is under the cap", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 30 }), async (chunks) => {
        const few = open({ maxBytes: 200_000 }).forSession("s1");
        const writer = few.create();
        for (const chunk of chunks) {
          await writer.write(chunk);
          chunk.fill(0, 0, 0); // the writer has taken a copy
        }
        const { handle, bytes, dropped } = await writer.finish();
        expect({ bytes, dropped }).toEqual({ bytes: Buffer.concat(chunks).length, dropped: 0 });
        expect(statSync(join(root, "outputs", `${handle}.out`)).size).toBe(bytes);
      }),
      { numRuns: 30 },
    );
  });

  it("shows an output only to the session that made it, after a restart too", async () => {
    const { handle } = await keep("mine\n");
    await expect(store.forSession("s2").page(handle)).rejects.toThrow(/not found/);
    expect(await store.forSession("s2").describe(handle)).toBeUndefined();
    expect(await open().forSession("s1").page(handle)).toMatchObject({ text: "mine" });
  });

  it.each([
    "",
    "out_",
    "../../etc/passwd",
    "out_../../../etc/passwd",
    "out_aaaaaaaaaaaaaaaaaaaaaa",
    "x".repeat(5000),
  ])("knows nothing under a foreign handle (%#)", async (handle) => {
    await expect(outputs.page(handle)).rejects.toMatchObject({ name: "ToolResourceNotFoundError" });
    await expect(outputs.search(handle, "x")).rejects.toThrow(/not found/);
  });

  it("does not take another file's record for its own", async () => {
    const { handle } = await keep("mine\n");
    const other = await keep("other\n", store.forSession("s2"));
    const record = { ...other, sessionId: "s1" };
    writeFileSync(join(root, "outputs", `${handle}.json`), JSON.stringify(record));
    await expect(outputs.page(handle)).rejects.toThrow(/not found/);
    writeFileSync(join(root, "outputs", `${handle}.json`), '{"half');
    await expect(outputs.page(handle)).rejects.toThrow(/not found/);
  });

  it("forgets what is expired, and what a killed process left half done", async () => {
    const { handle } = await keep("old\n");
    const dir = join(root, "outputs");
    writeFileSync(join(dir, "out_abandonedabandonedabcd.out"), "half");
    now = Date.now() + 25 * 3_600_000;
    await expect(outputs.page(handle)).rejects.toThrow(/not found/);
    await store.sweep();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("keeps all outputs together under a bound, the newest ones", async () => {
    const bounded = open({ maxTotalBytes: 2500 });
    const kept: string[] = [];
    for (let at = 0; at < 5; at++) {
      kept.push((await keep("x".repeat(999), bounded.forSession("s1"))).handle);
      await new Promise((resolve) => setTimeout(resolve, 15)); // files are told apart by their time
    }
    await bounded.close();
    const left = readdirSync(join(root, "outputs")).filter((name) => name.endsWith(".out"));
    expect(left.sort()).toEqual(
      kept
        .slice(-2)
        .map((handle) => `${handle}.out`)
        .sort(),
    );
  });

  it("forgets what a session made when it is over, and nothing else", async () => {
    const mine = await keep("mine\n");
    const other = await keep("other\n", store.forSession("s2"));
    outputs.create();
    await store.endSession("s1");
    await expect(outputs.page(mine.handle)).rejects.toThrow(/not found/);
    expect(await store.forSession("s2").page(other.handle)).toMatchObject({ text: "other" });
    expect(readdirSync(join(root, "outputs"))).toHaveLength(2);
  });

  it("forgets what was given up", async () => {
    const writer = outputs.create();
    await writer.write(Buffer.from("x"));
    writer.abort();
    await expect(writer.finish()).rejects.toThrow(/not found/);
    expect(readdirSync(join(root, "outputs"))).toEqual([]);
  });

  it("lets nobody else into its folder", async () => {
    const { handle } = await keep("x");
    expect(statSync(join(root, "outputs")).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, "outputs", `${handle}.out`)).mode & 0o777).toBe(0o600);
  });

  it("says why where an output cannot be kept, and leaves nothing", async () => {
    writeFileSync(join(root, "file"), "");
    const blocked = open({ dir: join(root, "file", "outputs") });
    await expect(keep("x", blocked.forSession("s1"))).rejects.toThrow(/could not be stored: .*ENOTDIR/);
  });
});

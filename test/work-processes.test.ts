import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTenon, type Tenon } from "../src/index.js";
import { buildProgram } from "./setup/program-dir.js";

let program: string;
let base: string;

beforeAll(async () => {
  program = await buildProgram(join(import.meta.dirname, "work-child.ts"));
});

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-work-"));
  mkdirSync(join(base, "workspace"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function start(...args: string[]) {
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

function ended(child: ReturnType<typeof start>): Promise<number | NodeJS.Signals | null> {
  return new Promise((done) => child.once("close", (code, signal) => done(signal ?? code)));
}

async function withTenon(check: (tenon: Tenon) => Promise<void>): Promise<void> {
  const tenon = createTenon({
    workspace: join(base, "workspace"),
    config: { stateDir: join(base, "state") },
  });
  try {
    await check(tenon);
  } finally {
    await tenon.close();
  }
}

describe("several processes at work on one state", { timeout: 120_000 }, () => {
  it("lose nothing of each other, under the same names too", async () => {
    const [marks, count] = [["one", "two", "three"], 15];
    const ends = await Promise.all(marks.map((mark) => ended(start("work", base, mark, String(count)))));
    expect(ends).toEqual([0, 0, 0]);
    const all = marks.flatMap((mark) => Array.from({ length: count }, (_, n) => `${mark} ${n}`)).toSorted();
    await withTenon(async ({ work: { snippets, memories, artifacts, pipeline } }) => {
      const snippet = await snippets.load("shared");
      const codes = [snippet?.code ?? "", ...(await snippets.history("shared")).map(({ code }) => code)];
      expect(codes.toSorted()).toEqual(all);
      expect(
        (await memories.query({ scope: "all", limit: 100 })).map(({ title }) => title).toSorted(),
      ).toEqual(all);
      for (const mark of marks) expect(await memories.query({ query: `word${mark}7` })).toHaveLength(1);
      expect(await pipeline.iterations()).toHaveLength(1);
      const versions = await artifacts.versions({ name: "idea" });
      const contents = await Promise.all(
        versions.map(async ({ version }) => (await artifacts.read({ name: "idea", version }))?.content),
      );
      for (const content of all) expect(contents).toContain(content);
    });
  });

  it("keep every acknowledged save of one that is killed, and find it", async () => {
    const child = start("forever", base);
    const end = ended(child);
    let told = "";
    await new Promise<void>((done) => {
      child.stdout.on("data", (chunk: Buffer) => {
        told += chunk.toString();
        if (told.split("\n").length > 100) done();
      });
    });
    child.kill("SIGKILL");
    expect(await end).toBe("SIGKILL");
    const last = Number(told.trimEnd().split("\n").at(-1));
    await withTenon(async (tenon) => {
      const { memories, snippets } = tenon.work;
      for (const n of [0, 1, 63, 64, last - 1, last]) {
        expect(await memories.query({ query: `word${n}` }), String(n)).toMatchObject([
          { title: `note ${n}` },
        ]);
        expect(await snippets.load(`snippet ${n}`)).toMatchObject({ code: String(n) });
      }
      expect(await memories.count()).toBeGreaterThan(last);
      expect((await tenon.checkState()).problems).toEqual([]);
    });
  });
});

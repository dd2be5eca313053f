import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, linkSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync } from "node:fs";
import { realpathSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Launcher } from "../processes/launch.js";
import { createProgramLauncher } from "../processes/program-launcher.js";
import { findRipgrep } from "./ripgrep.js";
import { runRipgrep, type RipgrepEnd, type RipgrepRun } from "./run-ripgrep.js";

const path = findRipgrep() ?? "ripgrep is missing";
let root = "";
/** The files to search in. */
let directory = "";
/** For the pipes of helpers. */
let tempDir = "";
let launcher: Launcher;
/** The processes that the launcher started. */
let pids: number[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-ripgrep-")));
  directory = join(root, "files");
  tempDir = join(root, "pipes");
  for (const dir of [directory, tempDir]) mkdirSync(dir);
  writeFileSync(join(directory, "a.txt"), "one\nit's $HOME\nthree é😀\n");
  launcher = openLauncher();
  pids = [];
});

afterEach(async () => {
  await launcher.close();
  expect(readdirSync(tempDir)).toEqual([]);
  expect(pids.filter(isAlive)).toEqual([]);
  rmSync(root, { recursive: true, force: true });
});

function openLauncher(options: { readonly idleMs?: number } = {}): Launcher {
  return createProgramLauncher({
    shell: { platform: process.platform, env: { PATH: process.env["PATH"] } },
    tempDir,
    newTagValue: () => randomBytes(9).toString("hex"),
    ...options,
  });
}

const launch: Launcher["launch"] = async (...args) => {
  const running = await launcher.launch(...args);
  pids.push(running.pid);
  return running;
};

type Run = Partial<RipgrepRun> & Pick<RipgrepRun, "args">;

async function search(run: Run): Promise<RipgrepEnd & { readonly text: string }> {
  let text = "";
  const end = await runRipgrep({
    program: { path, launch },
    directory,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput: (chunk) => (text += chunk.toString("utf8")),
    ...run,
  });
  return { ...end, text };
}

const find = (pattern: string): string[] => [
  "--no-config",
  "--line-number",
  "--multiline",
  `--regexp=${pattern}`,
  "--",
  "a.txt",
];

/** A search that has found a line and waits for more, until `finish`. */
function openEndless(): { readonly args: string[]; readonly finish: () => void } {
  execFileSync("mkfifo", [join(directory, "fifo")]);
  // Opened for reading too, so that it does not wait for a reader.
  const fd = openSync(join(directory, "fifo"), "r+");
  writeFileSync(join(directory, "first.txt"), "found 1\n");
  const inOrder = ["--threads=1", "--line-buffered", "--no-filename"];
  return {
    args: ["--no-config", ...inOrder, "--regexp=found", "--", "./first.txt", "./fifo"],
    finish: () => {
      writeSync(fd, "found 2\n");
      closeSync(fd);
    },
  };
}

/** Run one until it has found something; what is returned then goes on. */
async function untilFound(run: Run): Promise<{ readonly end: ReturnType<typeof search> }> {
  let text = "";
  const end = search({ ...run, onOutput: (chunk) => (text += chunk.toString("utf8")) });
  end.catch(() => {}); // awaited later
  await vi.waitFor(() => expect(text).toContain("found 1"), { timeout: 10_000 });
  return { end: end.then((result) => ({ ...result, text })) };
}

function isAlive(pid: number): boolean {
  return !["", "Z"].includes(statOf(pid)[0] ?? "");
}

const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** State and parent of a process come first. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [""];
  }
}

describe.each([
  ["through the helper", { path, launch }],
  ["directly", { path }],
])("ripgrep, started %s", (_way, program) => {
  it("tells what it found, how it ended and what it complained of", async () => {
    expect(await search({ program, args: find("it's \\$HOME\nthree é😀") })).toEqual({
      code: 0,
      cut: undefined,
      complaint: "",
      text: "2:it's $HOME\n3:three é😀\n",
    });
    expect(await search({ program, args: find("nowhere") })).toMatchObject({ code: 1, text: "" });
    const refused = await search({ program, args: find("a(b") });
    expect(refused).toMatchObject({ code: 2, text: "" });
    expect(refused.complaint).toContain("unclosed group");
    await expect(search({ program, args: find("x"), directory: join(root, "none") })).rejects.toThrow(
      /ENOENT/,
    );
  });

  it("is killed when the call is cancelled, takes too long or has found enough", async () => {
    const { args } = openEndless();
    const cancelled = new AbortController();
    const { end } = await untilFound({ program, args, signal: cancelled.signal });
    cancelled.abort();
    await expect(end).rejects.toThrow(/cancel/i);
    expect(await search({ program, args, timeoutMs: 1 })).toMatchObject({ cut: "time" });
    writeFileSync(join(directory, "many.txt"), "line\n".repeat(1_000_000));
    let chunks = 0;
    const onOutput: RipgrepRun["onOutput"] = (_chunk, stop) => {
      chunks += 1;
      stop();
    };
    const enough = await search({ program, args: ["--no-config", "--regexp=^", "--", "many.txt"], onOutput });
    expect([enough.cut, chunks]).toEqual(["count", 1]);
  });

  it("does not pass off a part for the whole when somebody kills it", async () => {
    const { args } = openEndless();
    const { end } = await untilFound({ program, args });
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1");
    const isRipgrep = (pid: number): boolean =>
      readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(path);
    const own = children.trim().split(" ").map(Number).filter(isRipgrep);
    for (const pid of [...pids, ...own]) process.kill(pid, "SIGKILL");
    await expect(end).rejects.toThrow(/was aborted/);
  });
});

describe("the helper of searches", () => {
  it("may die while a search runs: it ends as if nothing had happened, and the next one has another helper", async () => {
    const { args, finish } = openEndless();
    const { end } = await untilFound({ args });
    const helper = parentOf(parentOf(pids[0] ?? 0));
    process.kill(helper, "SIGKILL");
    await vi.waitFor(() => expect(isAlive(helper)).toBe(false), { timeout: 10_000 });
    finish();
    expect(await end).toMatchObject({ code: 0, text: "found 1\nfound 2\n" });
    expect(await search({ args: find("one") })).toMatchObject({ code: 0, text: "1:one\n" });
    expect(parentOf(parentOf(pids[1] ?? 0))).not.toBe(helper);
  });

  it("fails a search whose end nobody can tell any more", async () => {
    const { args, finish } = openEndless();
    const { end } = await untilFound({ args });
    const waiter = parentOf(pids[0] ?? 0);
    for (const pid of [parentOf(waiter), waiter]) process.kill(pid, "SIGKILL");
    finish();
    await expect(end).rejects.toThrow(/was aborted/);
  });

  it("serves 200 searches side by side", async () => {
    const patterns = Array.from(
      { length: 200 },
      (_, at) => ["one", "HOME", "three", "nowhere"][at % 4] ?? "",
    );
    const lines: Readonly<Record<string, string>> = { one: "1", HOME: "2", three: "3", nowhere: "" };
    const found = await Promise.all(patterns.map((pattern) => search({ args: find(pattern) })));
    expect(found.map(({ text }) => text.split(":")[0])).toEqual(patterns.map((pattern) => lines[pattern]));
    expect(pids).toHaveLength(200);
  });

  it("hands on 100 MB without holding them", async () => {
    writeFileSync(join(directory, "0.big"), `${"x".repeat(99)}\n`.repeat(100_000));
    for (let at = 1; at < 10; at += 1) linkSync(join(directory, "0.big"), join(directory, `${at}.big`));
    const before = process.memoryUsage().external;
    let [bytes, most] = [0, 0];
    const args = [
      "--no-config",
      "--no-filename",
      "--no-line-number",
      "--glob=*.big",
      "--regexp=x",
      "--",
      ".",
    ];
    const onOutput = (chunk: Buffer): void => {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().external - before);
    };
    expect(await search({ args, onOutput })).toMatchObject({ code: 0 });
    expect(bytes).toBe(100_000_000);
    expect(most).toBeLessThan(20_000_000);
  });

  it("ends when it was idle, and starts again", async () => {
    await launcher.close();
    launcher = openLauncher({ idleMs: 0 });
    for (let round = 0; round < 2; round += 1) {
      expect(await search({ args: find("one") })).toMatchObject({ code: 0, text: "1:one\n" });
      await vi.waitFor(() => expect(readdirSync(tempDir)).toEqual([]), { timeout: 10_000 });
    }
    expect(pids).toHaveLength(2);
  });

  it("is replaced by a direct start where it cannot be had", async () => {
    await launcher.close();
    expect(await search({ args: find("one") })).toMatchObject({ code: 0, text: "1:one\n" });
    expect(pids).toEqual([]);
  });

  it("does not hold up a search that is over before it has started", async () => {
    const program = { path, launch: () => new Promise<never>(() => {}) };
    expect(await search({ program, args: find("one"), timeoutMs: 1 })).toMatchObject({ cut: "time" });
    const cancelled = new AbortController();
    const end = search({ program, args: find("one"), signal: cancelled.signal });
    cancelled.abort();
    await expect(end).rejects.toThrow(/cancel/i);
  });

  it("may tell the end of a search before all that it found was read", async () => {
    const late: Launcher["launch"] = async (_launch, sink) => ({
      pid: 0,
      exited: Promise.resolve({ code: 0, signal: null }),
      drained: new Promise<void>((resolve) => setImmediate(resolve)).then(() =>
        sink("stdout", Buffer.from("late")),
      ),
      release() {},
      unref() {},
    });
    expect(await search({ program: { path, launch: late }, args: [] })).toMatchObject({
      code: 0,
      text: "late",
    });
  });

  it("kills what starts only after the search is over", async () => {
    const { args } = openEndless();
    let start = (): void => {};
    const later = new Promise<void>((resolve) => (start = resolve));
    const program = {
      path,
      launch: (...all: Parameters<Launcher["launch"]>) => later.then(() => launch(...all)),
    };
    expect(await search({ program, args, timeoutMs: 1 })).toMatchObject({ cut: "time" });
    start();
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false]), { timeout: 10_000 });
  });
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadCompiled } from "./compiled-code.js";

const { cache } = createRequire(import.meta.url);
let root: string;
let state: string;
let entry: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-compiled-"));
  state = join(root, "state");
  entry = join(root, "dist", "cli.cjs");
  mkdirSync(join(root, "dist", "chunks"), { recursive: true });
  mkdirSync(state);
  build("one");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("compiled code", () => {
  it("is kept for the next run, for its owner only", () => {
    expect(run()).toEqual(["one", "here", entry]);
    const [file = ""] = kept();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = statSync(file).ino;
    expect(run()).toEqual(["one", "here", entry]);
    expect(statSync(file).ino, "nothing new to keep").toBe(before);
  });

  it("of another build is not used", () => {
    run();
    build("two");
    expect(run()[0]).toBe("two");
    expect(run()[0]).toBe("two");
    expect(kept()).toHaveLength(1);
  });

  it.each([
    ["is damaged", (bytes: Buffer) => bytes.fill(0, bytes.length - 400)],
    ["is cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["is something else", () => Buffer.from("not a header")],
  ])("that %s is not used, and replaced", (_, damage) => {
    run();
    const [file = ""] = kept();
    const whole = readFileSync(file);
    writeFileSync(file, damage(Buffer.from(whole)));
    expect(run()[0]).toBe("one");
    expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
    expect(run()[0]).toBe("one");
  });

  it("that others could have written is not used", () => {
    run();
    const [file = ""] = kept();
    chmodSync(file, 0o666);
    expect(run()[0]).toBe("one");
    expect(statSync(file).mode & 0o777, "replaced").toBe(0o600);
  });

  it("is not written where Tenon has no state yet", () => {
    expect(run({ TENON_STATE_DIR: join(root, "none") })[0]).toBe("one");
    expect(existsSync(join(root, "none"))).toBe(false);
  });

  it("is the same module for code that requires the file later", () => {
    const loaded = start().loaded;
    expect(createRequire(entry)(entry)).toBe(loaded);
  });
});

/** A program of two files, one of which is loaded by the other. */
function build(word: string): void {
  writeFileSync(
    entry,
    `exports.read = () => [require("./chunks/part-${word}.cjs").word, "here", __filename];`,
  );
  writeFileSync(join(root, "dist", "chunks", `part-${word}.cjs`), `exports.word = "${word}";`);
}

/** One run of the program, from its start to its end, in a process that knows nothing of earlier ones. */
function run(env: Record<string, string> = { TENON_STATE_DIR: state }): unknown[] {
  const { loaded, exit } = start(env);
  const answer = (loaded as { read(): unknown[] }).read();
  exit();
  return answer;
}

function start(env: Record<string, string> = { TENON_STATE_DIR: state }): {
  loaded: unknown;
  exit: () => void;
} {
  for (const file of Object.keys(cache)) if (file.startsWith(root)) delete cache[file];
  let exit = (): void => {};
  const loaded = loadCompiled(
    { env, getuid: () => process.getuid?.() ?? 0, once: (_event, listener) => (exit = listener) },
    entry,
  );
  return { loaded, exit };
}

function kept(): string[] {
  const folder = join(state, "compiled");
  return readdirSync(folder).map((name) => join(folder, name));
}

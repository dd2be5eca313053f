import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileNotFound } from "../../src/world/files/file-errors.js";
import { chooseOpener, type Opener } from "../../src/world/files/opener.js";
import { portableOpener } from "../../src/world/files/portable-opener.js";
import { createGuard } from "../../src/world/files/guard.js";
import type { FileMutation, FileStat, WriteOptions } from "../../src/contract/ports/files.js";
import { openState, type State } from "../../src/store/open-state.js";
import { systemClock } from "../../src/contract/system-clock.js";
import type { Guard, GuardOptions } from "../../src/world/files/guard-types.js";
import { createPathRules, type PathRulesOptions } from "../../src/world/files/path-rules.js";
import { createJournal } from "../../src/world/journal/journal.js";
import { openBelow } from "../../src/world/testing/open-below.js";
import { underLoad } from "../setup/under-load.js";

/** What stands outside and must never be seen or changed. */
export const SECRET = "SECRET: outside the workspace";

/** A guard, and changes through a journal that uses it: what every tool that changes files goes through. */
export interface TestFiles extends Guard {
  replaceFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<FileStat>;
  appendFile(path: string, data: Uint8Array): Promise<FileStat>;
  copyFile(from: string, to: string, options?: { overwrite?: boolean }): Promise<FileStat>;
  rename(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  /** Delete a file, or a link itself. */
  unlink(path: string, options?: { ifIdentity?: string }): Promise<void>;
  /** Delete a directory with everything in it, or a file. */
  deleteTree(path: string, options?: { ifIdentity?: string; signal?: AbortSignal }): Promise<void>;
}

/** What a test can change of the guard and the journal. */
export interface TestFilesOptions extends Partial<GuardOptions> {
  /** Runs between any two steps of a change. */
  readonly failpoint?: (step: string) => void;
}

/** A workspace in a temp directory, with a place outside it. */
export interface TestFixture {
  readonly base: string;
  readonly ws: string;
  readonly outside: string;
  guard(rules?: Partial<PathRulesOptions>, options?: Partial<GuardOptions>): Guard;
  files(rules?: Partial<PathRulesOptions>, options?: TestFilesOptions): Promise<TestFiles>;
  put(relative: string, content?: string | Uint8Array): string;
  link(relative: string, target: string): string;
  /** The state directory of `files`. */
  readonly stateDir: string;
  /** Remove all; throws where anything outside the workspace was changed, or anything is still open. */
  dispose(): Promise<void>;
}

/** Make a fresh workspace; `kind` forces the way that paths are held. */
export function createTestFixture(kind: "descriptor" | "portable" = "descriptor"): TestFixture {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "tenon-files-")));
  const ws = path.join(base, "ws");
  const outside = path.join(base, "outside");
  mkdirSync(path.join(outside, "sub"), { recursive: true });
  mkdirSync(ws);
  writeFileSync(path.join(outside, "secret.txt"), SECRET);
  writeFileSync(path.join(outside, "sub", "secret.txt"), SECRET);
  const before = fingerprint(outside);
  const opener = kind === "portable" ? portableOpener(process.platform) : chooseOpener();
  if (opener.kind !== kind) throw new Error(`This system has no ${kind} way to open files.`);
  const stateDir = realpathSync(mkdtempSync(path.join(os.tmpdir(), "tenon-files-state-")));
  const states: State[] = [];
  const guard: TestFixture["guard"] = (rules = {}, options = {}) =>
    createGuard({
      rules: createPathRules({ workspace: ws, ...rules }),
      maxFileSize: 1024 * 1024,
      sync: false,
      opener,
      ...options,
    });
  return {
    base,
    ws,
    outside,
    stateDir,
    guard,
    async files(rules, { failpoint, ...options } = {}) {
      const state = await openState({ stateDir: path.join(stateDir, String(states.length)), workspace: ws });
      states.push(state);
      return withChanges(guard(rules, options), state, {
        opener,
        maxFileSize: options.maxFileSize ?? 1024 * 1024,
        ...(failpoint !== undefined && { failpoint }),
      });
    },
    put(relative, content = "") {
      const absolute = path.join(ws, relative);
      mkdirSync(path.dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
      return absolute;
    },
    link(relative, target) {
      const absolute = path.join(ws, relative);
      mkdirSync(path.dirname(absolute), { recursive: true });
      symlinkSync(target, absolute);
      return absolute;
    },
    async dispose() {
      for (const state of states) await state.close();
      const now = fingerprint(outside);
      const left = await stillOpen(base);
      for (const directory of [base, stateDir]) rmSync(directory, { recursive: true, force: true });
      if (now !== before) throw new Error(`Something outside was changed.\nbefore:\n${before}\nnow:\n${now}`);
      if (left.length > 0) throw new Error(`Nobody closed ${left.join(", ")}.`);
    },
  };
}

/** What is still open a second later: a watcher closes what it looked through by and by. */
async function stillOpen(base: string): Promise<readonly string[]> {
  const end = performance.now() + underLoad(1000);
  while (openBelow(base).length > 0 && performance.now() < end) await sleep(10);
  return openBelow(base);
}

function withChanges(
  guard: Guard,
  { journal: store, blobs, locks, dir }: State,
  options: { opener: Opener; maxFileSize: number; failpoint?: (step: string) => void },
): TestFiles {
  const keptDir = `${dir}/kept`;
  const journal = createJournal({ guard, store, blobs, locks, clock: systemClock, keptDir, ...options });
  const origin = { callId: "call", sessionId: "test", tool: "test" };
  const apply = async (mutation: FileMutation, signal?: AbortSignal): Promise<void> => {
    await journal.apply([mutation], origin, { signal });
  };
  const applyAndStat = async (path: string, mutation: FileMutation): Promise<FileStat> => {
    await apply(mutation);
    const stat = guard.stat(path);
    if (stat === null) throw fileNotFound(path);
    return stat;
  };
  return {
    ...guard,
    replaceFile: (path, data, write = {}) => applyAndStat(path, { op: "write", path, data, options: write }),
    appendFile: (path, data) => applyAndStat(path, { op: "append", path, data }),
    copyFile: (from, to, copy = {}) => applyAndStat(to, { op: "copy", from, to, ...copy }),
    rename: (from, to, move = {}) => apply({ op: "move", from, to, ...move }),
    unlink: (path, { ifIdentity } = {}) =>
      apply({ op: "delete", path, ...(ifIdentity !== undefined && { ifIdentity }) }),
    deleteTree: (path, { ifIdentity, signal } = {}) =>
      apply({ op: "delete", path, recursive: true, ...(ifIdentity !== undefined && { ifIdentity }) }, signal),
  };
}

/** Every name below a directory with its content, mode and inode. */
export function fingerprint(directory: string): string {
  const lines = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const absolute = path.join(directory, name);
      const stat = lstatSync(absolute);
      const content = stat.isFile() ? readFileSync(absolute, "utf8") : "";
      return `${name} ${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${content}`;
    });
  return lines.join("\n");
}

/** The code of the error that a step throws, or "no error". */
export async function codeOf(step: () => unknown): Promise<string> {
  try {
    await step();
    return "no error";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

/** Everything in an iterable. */
export async function collect<Value>(items: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const item of items) found.push(item);
  return found;
}

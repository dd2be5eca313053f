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
import { chooseOpener } from "../../src/world/files/opener.js";
import { portableOpener } from "../../src/world/files/portable-opener.js";
import { createGuard } from "../../src/world/files/guard.js";
import type { Guard, GuardOptions } from "../../src/world/files/guard-types.js";
import { createPathRules, type PathRulesOptions } from "../../src/world/files/path-rules.js";

/** What stands outside and must never be seen or changed. */
export const SECRET = "SECRET: outside the workspace";

/** A workspace in a temp directory, with a place outside it. */
export interface TestFixture {
  readonly base: string;
  readonly ws: string;
  readonly outside: string;
  guard(rules?: Partial<PathRulesOptions>, options?: Partial<GuardOptions>): Guard;
  put(relative: string, content?: string | Uint8Array): string;
  link(relative: string, target: string): string;
  /** Remove all; throws where anything outside the workspace was changed. */
  dispose(): void;
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
  return {
    base,
    ws,
    outside,
    guard: (rules = {}, options = {}) =>
      createGuard({
        rules: createPathRules({ workspace: ws, ...rules }),
        maxFileSize: 1024 * 1024,
        sync: false,
        opener,
        ...options,
      }),
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
    dispose() {
      const now = fingerprint(outside);
      rmSync(base, { recursive: true, force: true });
      if (now !== before) throw new Error(`Something outside was changed.\nbefore:\n${before}\nnow:\n${now}`);
    },
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

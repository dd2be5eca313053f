import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { JudgedPath } from "./git-paths.js";
import type { PathContent } from "./judge-change.js";
import type { Snapshot } from "./snapshots.js";

/** What must be known of a run to judge what it left, should Tenon be killed before its end. */
export interface RunRecord {
  readonly callId: string;
  readonly sessionId: string;
  readonly judged: ReadonlyMap<string, JudgedPath>;
  readonly before: ReadonlyMap<string, Snapshot>;
}

/** Records of runs under way, on disk. */
export interface RunRecords {
  write(id: string, record: RunRecord): void;
  /** Tenon lives: what changes until now may be of the run. */
  touch(id: string): void;
  remove(id: string): void;
  /** Those of processes that are gone, each with the time until which it certainly lived. */
  abandoned(): { readonly id: string; readonly record: RunRecord; readonly livedUntil: number }[];
}

const content = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), bytes: z.base64() }),
  z.object({ kind: z.literal("link"), target: z.string() }),
  z.object({ kind: z.literal("other") }),
]);

const shape = z.object({
  pid: z.number(),
  callId: z.string(),
  sessionId: z.string(),
  paths: z.array(
    z.object({
      path: z.string(),
      role: z.string(),
      rule: z.string(),
      before: z.object({ content, mode: z.number(), stamp: z.string(), changedMs: z.number() }).optional(),
    }),
  ),
});

export function createRunRecords(dir: string): RunRecords {
  const own = new Set<string>();
  const fileOf = (id: string): string => join(dir, `${id}.json`);
  return {
    write(id, { callId, sessionId, judged, before }) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      own.add(id);
      const paths = [...judged.values()].map((each) => ({ ...each, before: toPlain(before.get(each.path)) }));
      writeFileSync(fileOf(id), JSON.stringify({ pid: process.pid, callId, sessionId, paths }), {
        mode: 0o600,
      });
    },
    touch(id) {
      const now = new Date();
      utimesSync(fileOf(id), now, now);
    },
    remove(id) {
      own.delete(id);
      rmSync(fileOf(id), { force: true });
    },
    abandoned() {
      const ids = namesIn(dir).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
      return ids
        .filter((id) => !own.has(id))
        .flatMap((id) => {
          const file = fileOf(id);
          const parsed = shape.safeParse(readJson(file));
          // One that cannot be read was being written when its process ended: nothing had started yet.
          if (!parsed.success) return isOld(file) ? [{ id, record: nothing, livedUntil: 0 }] : [];
          if (parsed.data.pid !== process.pid && isAlive(parsed.data.pid)) return [];
          return [{ id, record: fromPlain(parsed.data), livedUntil: statSync(file).mtimeMs }];
        });
    },
  };
}

const nothing: RunRecord = { callId: "", sessionId: "", judged: new Map(), before: new Map() };

function toPlain(snapshot: Snapshot | undefined) {
  if (snapshot === undefined) return undefined;
  const { content: held } = snapshot;
  const plain = held.kind === "file" ? { ...held, bytes: Buffer.from(held.bytes).toString("base64") } : held;
  return { ...snapshot, content: plain };
}

function fromPlain({ callId, sessionId, paths }: z.infer<typeof shape>): RunRecord {
  const toContent = (plain: z.infer<typeof content>): PathContent =>
    plain.kind === "file" ? { kind: "file", bytes: Buffer.from(plain.bytes, "base64") } : plain;
  return {
    callId,
    sessionId,
    judged: new Map(
      paths.map(({ path, role, rule }) => [path, { path, role: role as JudgedPath["role"], rule }]),
    ),
    before: new Map(
      paths.flatMap(({ path, before }) =>
        before === undefined ? [] : [[path, { ...before, content: toContent(before.content) }] as const],
      ),
    ),
  };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // gone meanwhile, or written half
  }
}

function isOld(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > 60_000;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

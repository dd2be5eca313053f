import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { sendSignal } from "../../processes/stop-tree.js";
import type { JudgedPath } from "./git-paths.js";
import { namesIn } from "./held-store.js";
import type { PathContent } from "./judge-change.js";
import type { Snapshot } from "./snapshots.js";
import { makeFolder } from "../../../contract/make-folder.js";

/** What is needed to judge the changes of a command if Tenon is killed before it ends. */
export interface RunRecord {
  readonly callId: string;
  readonly sessionId: string;
  readonly judged: ReadonlyMap<string, JudgedPath>;
  readonly before: ReadonlyMap<string, Snapshot>;
}

/** Records of running commands, on disk. */
export interface RunRecords {
  write(id: string, record: RunRecord): void;
  /** Tenon is alive: changes until now may belong to the run. */
  touch(id: string): void;
  remove(id: string): void;
  /** Records of processes that have ended, each with the last time that it was known to be alive. */
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
      makeFolder(dir, 0o700);
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
          // An unreadable record was being written when its process ended: the command had not started yet.
          if (!parsed.success) return isOld(file) ? [{ id, record: emptyRecord, livedUntil: 0 }] : [];
          if (parsed.data.pid !== process.pid && sendSignal(parsed.data.pid, 0)) return [];
          return [{ id, record: fromPlain(parsed.data), livedUntil: statSync(file).mtimeMs }];
        });
    },
  };
}

const emptyRecord: RunRecord = { callId: "", sessionId: "", judged: new Map(), before: new Map() };

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
    return undefined; // removed in the meantime, or incomplete
  }
}

function isOld(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > 60_000;
}

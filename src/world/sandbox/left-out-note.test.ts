import { expect, it } from "vitest";
import type { CommandPaths } from "../../contract/session.js";
import { leftOutNote } from "./left-out-note.js";

const guarded = (...paths: string[]) => paths.map((path) => ({ path, kind: "file" as const }));
const reading = (...bases: string[]): CommandPaths => ({
  patterns: [],
  named: [],
  judge: () => undefined,
  unasked: { bases },
});

it("tells what was left out of the workspace, by the paths in it", () => {
  expect(leftOutNote([], undefined, "/ws")).toEqual([]);
  expect(leftOutNote(guarded("/ws/.env"), undefined, "/ws")).toEqual([
    "1 path that needs consent was left out: .env. Name a path in the command to ask for it.",
  ]);
  expect(leftOutNote(guarded("/ws/.env", "/data/b"), undefined, "/ws")).toEqual([
    "1 path that needs consent was left out: .env. Name a path in the command to ask for it.",
  ]);
});

it("tells only of what the command could have read: in what it reads, or around it", () => {
  const consent = guarded("/ws/a/.env", "/ws/b", "/data/c");
  expect(leftOutNote(consent, reading("/ws/a"), "/ws")).toEqual([expect.stringContaining(": a/.env.")]);
  expect(leftOutNote(consent, reading("/ws/b/inside"), "/ws")).toEqual([expect.stringContaining(": b.")]);
  expect(leftOutNote(consent, reading("/data"), "/ws")).toEqual([expect.stringContaining(": /data/c.")]);
  expect(leftOutNote(consent, reading("/ws/c"), "/ws")).toEqual([]);
});

it("names five, and counts the others", () => {
  const paths = (count: number) => guarded(...Array.from({ length: count }, (_, n) => `/ws/${n}`));
  expect(leftOutNote(paths(5), undefined, "/ws")).toEqual([
    "5 paths that need consent were left out: 0, 1, 2, 3, 4. Name a path in the command to ask for it.",
  ]);
  expect(leftOutNote(paths(7), undefined, "/ws")).toEqual([
    "7 paths that need consent were left out: 0, 1, 2, 3, 4, and 2 more. Name a path in the command to ask for it.",
  ]);
});

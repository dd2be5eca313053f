import {
  mkdirSync,
  openSync,
  closeSync,
  existsSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { createTestFixture, fingerprint, SECRET, type TestFiles } from "./fixture.js";

/** What an attacked operation finds inside. */
export const PUBLIC = "public: inside the workspace";

/** A workspace in which names are exchanged with links that leave it. */
export interface Arena {
  readonly guard: TestFiles;
  readonly ws: string;
  readonly outside: string;
  /** Names to exchange: a directory, a file and a nested directory, each with a link to its like outside. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Paths to a file through every exchanged name. */
  readonly targets: readonly string[];
  /** Paths to a directory through every exchanged directory. */
  readonly directories: readonly string[];
  /** A file's path in the real directory behind a target, whatever stands at its name now. */
  readonly inside: (index: number, name: string) => string;
  /** A tree in which a directory is exchanged with a link, made again where it is missing. */
  readonly plantTree: () => void;
  /** Put back what an operation may have taken. */
  readonly restore: () => void;
  /** What was changed outside, or `undefined`. */
  damage(): string | undefined;
  dispose(): Promise<void>;
}

/** Build the arena; outside and inside hold the same names with different content. */
export async function createArena(): Promise<Arena> {
  const fixture = createTestFixture("descriptor");
  const { ws, outside } = fixture;
  fill(outside, SECRET);
  mkdirSync(path.join(ws, "deep"));
  const real = ["entry", "deep/mid"].map((name) => makeRoom(path.join(ws, name)));
  fixture.put("file.txt", PUBLIC);
  fixture.put("plain", PUBLIC);
  execFileSync("mkfifo", [path.join(ws, "pipe")]);
  fixture.link("entry-link", "../outside");
  fixture.link("deep/mid-link", outside);
  fixture.link("file-link", "../outside/secret.txt");
  const guard = await fixture.files();
  // Opens whatever the state opens with its first change, so that no descriptor counts as leaked later.
  await guard.replaceFile("warm", Buffer.from(PUBLIC));
  await guard.deleteTree("warm");
  const before = fingerprint(outside);
  const pair = (one: string, other: string) => [path.join(ws, one), path.join(ws, other)] as const;
  return {
    guard,
    ws,
    outside,
    pairs: [
      pair("entry", "entry-link"),
      pair("file.txt", "file-link"),
      pair("deep/mid", "deep/mid-link"),
      pair("plain", "pipe"),
      pair("tree/a", "tree/a-link"),
    ],
    targets: ["entry/secret.txt", "deep/mid/secret.txt", "entry/sub/secret.txt", "deep/mid/sub/secret.txt"],
    directories: ["entry", "deep/mid", "entry/sub", "deep/mid/sub"],
    inside: (index, name) => `/proc/self/fd/${real[index % real.length]}/${name}`,
    plantTree: () => plantTree(path.join(ws, "tree"), outside),
    restore: () => real.forEach((fd) => fill(`/proc/self/fd/${fd}`, PUBLIC)),
    damage() {
      const now = fingerprint(outside);
      return now === before ? undefined : `before:\n${before}\nnow:\n${now}`;
    },
    async dispose() {
      real.forEach((fd) => closeSync(fd));
      // The attack reports what it changed outside by `damage`.
      await fixture.dispose().catch(() => undefined);
    },
  };
}

function makeRoom(directory: string): number {
  mkdirSync(directory);
  fill(directory, PUBLIC);
  return openSync(directory, "r");
}

function plantTree(tree: string, outside: string): void {
  if (existsSync(`${tree}/a-link`)) return;
  for (const name of ["a/sub", "b"]) mkdirSync(`${tree}/${name}`, { recursive: true });
  for (const name of ["a/secret.txt", "a/sub/secret.txt", "b/file"]) writeFileSync(`${tree}/${name}`, PUBLIC);
  symlinkSync(outside, `${tree}/a-link`);
}

/** The names that operations work on, the same inside and outside. */
function fill(directory: string, content: string): void {
  for (const name of ["sub", "tree/a/b"]) mkdirSync(`${directory}/${name}`, { recursive: true });
  for (const name of ["secret.txt", "sub/secret.txt", "tree/a/file", "tree/a/b/file"]) {
    const file = `${directory}/${name}`;
    if (readOrNothing(file) !== content) writeFileSync(file, content);
  }
  if (content === SECRET) writeFileSync(`${directory}/only-outside`, SECRET);
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

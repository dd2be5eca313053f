import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeOf, createTestFixture, SECRET, type TestFixture } from "../../../test/attack/fixture.js";

const name = fc.constantFrom("a", "b", "c");
const place = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
// A way through a directory outside and back again is refused by design, so none is planted.
const target = fc.oneof(
  fc
    .array(fc.constantFrom("a", "b", "c", "..", "."), { minLength: 1, maxLength: 6 })
    .map((names) => names.join("/")),
  fc.constantFrom(
    "@outside",
    "../outside",
    "../../outside/sub",
    "@outside/secret.txt",
    "@ws/a",
    "../ws/a",
    "../../ws/b",
    "@ws",
    "/",
    "/proc/self/root",
    "/dev/null",
  ),
);
const plant = fc.record({ at: place, link: fc.option(target) });

/** Put a file or a link at a place where the tree allows it. */
function grow(fixture: TestFixture, { at, link }: { at: string; link: string | null }): void {
  const names = at.split("/");
  try {
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = path.join(fixture.ws, ...names.slice(0, depth));
      const stat = lstatSync(directory, { throwIfNoEntry: false });
      if (stat === undefined) mkdirSync(directory);
      else if (!stat.isDirectory()) return;
    }
    const absolute = path.join(fixture.ws, at);
    if (link === null) return writeFileSync(absolute, `public ${at}`, { flag: "wx" });
    symlinkSync(link.replace("@outside", fixture.outside).replace("@ws", fixture.ws), absolute);
  } catch {
    // Something stands there already; the tree grows elsewhere.
  }
}

/** What a look at the path may answer. */
function mayAnswer(expected: string): readonly string[] {
  if (expected === "outside") return ["PATH_SYMLINK"];
  // Something is missing on the way, inside or outside.
  return path.isAbsolute(expected) ? ["no error"] : ["no error", "PATH_SYMLINK"];
}

/** What the file system itself says of a path: the file's content, or why there is none. */
function truth(fixture: TestFixture, at: string): string {
  let real: string;
  try {
    // The other realpathSync takes ".." in a link as text, which the kernel does not.
    real = realpathSync.native(path.join(fixture.ws, at));
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
  if (real !== fixture.ws && !real.startsWith(`${fixture.ws}/`)) return "outside";
  return existsSync(real) ? real : "gone";
}

describe.each(["descriptor", "portable"] as const)("any tree of files and links, held by %s", (kind) => {
  it("is read as far as it lies inside, and no further", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plant, { minLength: 1, maxLength: 12 }),
        fc.array(place, { minLength: 5, maxLength: 5 }),
        async (plants, paths) => {
          const fixture = createTestFixture(kind);
          try {
            for (const each of plants) grow(fixture, each);
            const guard = fixture.guard();
            for (const at of [...paths, ...plants.map((each) => each.at)]) {
              const expected = truth(fixture, at);
              const stat = await codeOf(() => guard.stat(at));
              expect(mayAnswer(expected)).toContain(stat);
              const content = await guard.read(at).catch(() => undefined);
              if (content === undefined) continue;
              expect(Buffer.from(content).toString()).toBe(readFileSync(expected, "utf8"));
              expect(Buffer.from(content).toString()).not.toContain(SECRET);
            }
          } finally {
            await fixture.dispose();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("lets every change happen inside, or not at all", async () => {
    const data = Buffer.from("written");
    await fc.assert(
      fc.asyncProperty(
        fc.array(plant, { minLength: 1, maxLength: 10 }),
        fc.array(fc.tuple(fc.nat(7), place, place), { maxLength: 10 }),
        async (plants, steps) => {
          const fixture = createTestFixture(kind);
          for (const each of plants) grow(fixture, each);
          const guard = await fixture.files();
          for (const [which, one, other] of steps) {
            const change = [
              () => guard.replaceFile(one, data),
              () => guard.appendFile(one, data),
              () => guard.makeDirectory(one),
              () => guard.rename(one, other, { overwrite: true }),
              () => guard.copyFile(one, other),
              () => guard.removeTree(one),
              () => guard.unlink(one),
              () => guard.deleteTree(one),
            ][which];
            expect(await codeOf(() => change?.())).toMatch(/^(no error|PATH_|FILE_|RESOURCE_)/);
          }
          // Throws where anything outside was touched.
          await fixture.dispose();
        },
      ),
      { numRuns: 60 },
    );
  });
});

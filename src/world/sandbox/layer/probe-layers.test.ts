import { mkdirSync, mkdtempSync, rmSync, writeFileSync, chownSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { layerNames, type LayerPlace } from "./layer-script.js";
import { mountedInside, probeLayers } from "./probe-layers.js";

let root: string;
let place: LayerPlace;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-probe-"));
  for (const name of ["layer", "workspace"]) mkdirSync(join(root, name));
  place = { dir: join(root, "layer"), workspace: join(root, "workspace"), mount: "/bin/mount" };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a layer's probe says if the system answers its script with this one. */
const probe = (script: string, isRoot = true): Promise<string | undefined> =>
  probeLayers({ enter: () => ["/bin/sh", "-c", script], place, isRoot });

it.each([
  ["echo '  ' >&2; echo ' mount: no ' >&2; echo other >&2; exit 1", "mount: no"],
  ["exit 3", "exit code 3"],
  [`printf '%300s' x | tr ' ' y >&2; exit 1`, "y".repeat(200)],
])("tells the first line of the error, or the exit code: %s", async (script, reason) => {
  expect(await probe(script)).toBe(`the system cannot mount a layer over the workspace (${reason})`);
});

it("prepares a layer over a folder with a file, and removes what the kernel used", async () => {
  const own = join(place.dir, "own");
  expect(await probe(`test -f ${own}/*/folder/file && ! test -s ${own}/*/folder/file`)).toBeUndefined();
  expect(existsSync(join(own, layerNames.work))).toBe(false);
});

it("runs its script by the arguments that enter the namespace", async () => {
  const seen: (readonly string[])[] = [];
  const enter = (argv: readonly string[]): string[] => {
    seen.push(argv);
    return ["/bin/true"];
  };
  expect(await probeLayers({ enter, place, isRoot: true })).toBeUndefined();
  expect(seen).toHaveLength(1);
  expect(seen[0]?.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
  expect(seen[0]?.[2]).toContain(`/bin/mount -t overlay tenon -o `);
});

it("accepts a workspace with files of its own user", async () => {
  writeFileSync(join(place.workspace, "file"), "");
  expect(await probe("true", false)).toBeUndefined();
});

it.runIf(process.getuid?.() === 0)("refuses one with files of others, unless it runs as root", async () => {
  const file = join(place.workspace, "file");
  writeFileSync(file, "");
  for (const [user, group] of [
    [1234, 0],
    [0, 1234],
  ] as const) {
    chownSync(file, user, group);
    expect(await probe("true", false)).toBe(`${file} belongs to another user or group`);
    expect(await probe("true", true)).toBeUndefined();
  }
});

it("names what is mounted inside a workspace", () => {
  expect(mountedInside(root)).toBeUndefined();
  expect(mountedInside("/")).toMatch(/^another file system is mounted inside the workspace, at \/./);
});

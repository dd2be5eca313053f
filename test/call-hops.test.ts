import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = join(import.meta.dirname, "../scripts/call-hops.mjs");

/**
 * How many files and functions of `src/` a reader meets between a call and its answer, at most. Lower a limit when a
 * path became shorter; `node scripts/call-hops.mjs --list` names what runs.
 */
const limits = {
  current_time: { files: 50, functions: 160 },
  edit_file: { files: 137, functions: 640 },
};

interface Hops {
  readonly name: keyof typeof limits;
  readonly files: number;
  readonly functions: number;
}

it("keeps the paths of calls as short as they are", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--json"]);
  const counted = JSON.parse(stdout) as Hops[];
  expect(counted.map(({ name }) => name)).toEqual(Object.keys(limits));
  const longer = counted.filter(
    ({ name, files, functions }) => files > limits[name].files || functions > limits[name].functions,
  );
  expect(longer).toEqual([]);
});

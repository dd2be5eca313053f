import { createTenon } from "../src/index.js";
import { applyDiff } from "../src/tools/file/apply-diff.js";
import { createReadFile } from "../src/tools/file/read-file.js";
import { createLineReader } from "../src/tools/file/lines/line-reader.js";
import { createTestContext } from "../src/tools/testing/context.js";
import { createFiles } from "../src/world/files-port.js";
import { openWorld, origin } from "../src/world/journal/testing/open-world.js";
import { createSeenFiles } from "../src/world/seen/seen-files.js";

/** What a child process is told to do with files, and where it dies. */
const [task = "", base = "", ...details] = process.argv.slice(2);

/** Apply a diff and die at the given step of it. */
async function killedDiff(point: number, diff: string, paths: readonly string[]): Promise<void> {
  let passed = 0;
  const failpoint = (): void => {
    passed += 1;
    if (passed === point) process.kill(process.pid, "SIGKILL");
  };
  const world = await openWorld(base, { failpoint });
  const { guard, journal } = world;
  const files = createFiles({ guard, journal, origin: origin("the-call") });
  const seen = createSeenFiles({ canonical: (path) => guard.canonical(path) });
  const ctx = createTestContext({ overrides: { files, seen } });
  const read = createReadFile(createLineReader());
  for (const path of paths) await read.execute({ path, encoding: "auto" }, ctx);
  await applyDiff.execute({ diff }, ctx);
  await world.close();
}

/** Make every line of this process its own, one edit after the other. */
async function editLines(mark: string, count: number): Promise<void> {
  const tenon = createTenon({
    workspace: `${base}/workspace`,
    config: { stateDir: `${base}/state`, mode: "auto" },
  });
  for (let n = 0; n < count; n += 1) {
    const path = "shared.txt";
    await tenon.call({ name: "read_file", arguments: { path } });
    const answer = await tenon.call({
      name: "edit_file",
      arguments: { path, old_str: `${mark} ${n} open`, new_str: `${mark} ${n} done\n${mark} ${n} more` },
    });
    if (!answer.success) throw new Error(JSON.stringify(answer.error));
  }
  await tenon.close();
}

if (task === "diff") await killedDiff(Number(details[0]), details[1] ?? "", (details[2] ?? "").split(","));
if (task === "lines") await editLines(details[0] ?? "", Number(details[1]));

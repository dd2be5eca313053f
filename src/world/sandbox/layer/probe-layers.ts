import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellQuote } from "../../../command/shell-quote.js";
import { mountsBelow } from "../mount-check.js";
import { runProgram } from "../run-program.js";
import { removeWork } from "./remove-work.js";
import { type LayerPlace, layerNames, mountLines, mountOptions } from "./layer-script.js";
import { makeFolder } from "../../../contract/make-folder.js";

export interface ProbeOptions {
  /** The arguments that run a program with mounts of its own. */
  readonly enter: (argv: readonly string[]) => string[];
  /** A layer that is only used for this. */
  readonly place: LayerPlace;
  readonly isRoot: boolean;
}

const timeoutMs = 10_000;
/** A larger workspace is searched for files of others only in part. */
const searchMs = 2000;

/** Try whether a layer can be mounted over the workspace; returns the reason if it cannot. */
export async function probeLayers(options: ProbeOptions): Promise<string | undefined> {
  return (await tryMounts(options)) ?? (options.isRoot ? undefined : await findForeignFile(options));
}

/** Why a layer cannot be mounted right now: the mounts inside the workspace would be missing in it. */
export function mountedInside(workspace: string): string | undefined {
  const [inside] = mountsBelow(workspace, readFileSync("/proc/self/mountinfo", "utf8"));
  return inside && `another file system is mounted inside the workspace, at ${inside}`;
}

async function tryMounts({ enter, place }: ProbeOptions): Promise<string | undefined> {
  // A folder that is removed and created again needs extended attributes.
  const own = join(place.dir, "own");
  for (const name of [`${layerNames.lower}/folder`, layerNames.upper, layerNames.work, "merged"])
    makeFolder(join(own, name));
  writeFileSync(join(own, layerNames.lower, "folder/file"), "");
  const script = `${mountLines(place)}
mkdir "$workspace"/tenon-probe && [ -d ${layerNames.upper}/tenon-probe ] || exit 1
cd ${shellQuote(own)} && ${shellQuote(place.mount)} -t overlay tenon -o ${mountOptions} merged || exit 1
rm -r merged/folder && mkdir merged/folder && [ ! -e merged/folder/file ]`;
  const [file = "", ...args] = enter(["/bin/sh", "-c", script]);
  const { code, stderr } = await runProgram({ file, args, env: { PATH: "/usr/bin:/bin" }, timeoutMs });
  await removeWork(own);
  if (code === 0) return undefined;
  const line = stderr.split("\n").find((each) => each.trim() !== "") ?? "";
  return `the system cannot mount a layer over the workspace (${line.trim().slice(0, 200) || `exit code ${code}`})`;
}

/** In a user namespace, a layer can only hold files of this user and its group. */
async function findForeignFile({ place }: ProbeOptions): Promise<string | undefined> {
  const [uid, gid] = [String(process.getuid?.()), String(process.getgid?.())];
  const { stdout } = await runProgram({
    file: "/usr/bin/find",
    args: [place.workspace, "(", "!", "-uid", uid, "-o", "!", "-gid", gid, ")", "-print", "-quit"],
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: searchMs,
  });
  const [path = ""] = stdout.split("\n");
  return path === "" ? undefined : `${path} belongs to another user or group`;
}

// Which module goes into which chunk, so that a command loads what it runs and not the whole library: what `import "tenon"` and every call
// load, what only one of them loads, the same for the command line, and the rest by its folder. Chunks load each other on first use (lazy-chunks.mjs).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";

/** Packages that sources import at their top; others come with what imports them on demand. */
const packages = new Set(["zod", "commander", "@bomb.sh/tab", "picocolors"]);

/** Loads the command line and says at its end which files of it were loaded. */
const traced = `
process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));
process.argv.splice(1, 0, "tenon");
void require(process.env.TENON_CLI).main(process);`;

/**
 * Chunks for the second bundle. The first one has a chunk for each module, and is asked what a call of a small tool loads: modules that
 * load together then lie together, and nothing among them needs another chunk while it loads.
 * @param {{ root: string, entries: readonly string[], write: (groupOf: (id: string) => string | null) => Promise<import("rolldown").RolldownOutput>, imports: ReadonlyMap<string, readonly string[]> }} build
 * @returns {Promise<(id: string) => string | null>}
 */
export async function chunkGroups({ root, entries, write, imports }) {
  const ownPath = (id) => relative(root, id).split(sep).join("/");
  const isEntry = (id) => entries.includes(ownPath(id));
  const single = await write((id) => {
    if (!isSource(ownPath(id))) return packageGroup(id);
    return isEntry(id) ? null : ownPath(id).replace(/\.ts$/, "").replaceAll("/", "_");
  });
  const atImport = reachable(join(root, "src/at-import.ts"), imports);
  const atStart = new Set(modulesLoaded(root, single));
  return (id) => {
    const path = ownPath(id);
    if (!isSource(path)) return packageGroup(id);
    if (isEntry(id)) return null;
    if (atImport.has(id)) return atStart.has(id) ? "core" : "import";
    if (atStart.has(id)) return path.startsWith("src/cli/") ? "command-line" : "start";
    const [, ...folders] = path.split("/").slice(0, -1);
    return folders.slice(0, 2).join("-") || "shared";
  };
}

function isSource(path) {
  return path.startsWith("src/");
}

function packageGroup(id) {
  const name = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1].replace("\\", "/");
  return name !== undefined && packages.has(name) ? name.replace(/^.*\//, "") : null;
}

function reachable(from, imports, found = new Set()) {
  if (found.has(from)) return found;
  found.add(from);
  for (const id of imports.get(from) ?? []) reachable(id, imports, found);
  return found;
}

/** The modules that `tenon call current_time` loads, in a home and a workspace of its own. */
function modulesLoaded(root, { output }) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-build-"));
  try {
    const { status, stderr } = spawnSync(process.execPath, ["-e", traced, "call", "current_time"], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: folder, TENON_CLI: join(root, "dist/cli.cjs") },
    });
    if (status !== 0) throw new Error(`The first bundle cannot run "tenon call current_time":\n${stderr}`);
    const files = new Set(JSON.parse(stderr));
    return output.flatMap((file) =>
      file.type === "chunk" && files.has(join(root, "dist", file.fileName)) ? file.moduleIds : [],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

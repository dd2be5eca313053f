import { foldName } from "../../files/fold-name.js";

/** Folders that package managers and compilers fill; what lies there is used by them, not opened by people. */
const names = new Set(["node_modules", "bower_components", ".venv", "venv", "vendor", "target"]);

/** Whether a path, relative to its root, lies in a folder of dependencies. */
export function isInDependencies(relative: string): boolean {
  const parts = foldName(relative).split("/");
  return parts
    .slice(0, -1)
    .some(
      (name, at) =>
        names.has(name) || (parts[at - 1] === ".yarn" && (name === "cache" || name === "unplugged")),
    );
}

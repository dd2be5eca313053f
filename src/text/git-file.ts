/** What git obeys in a file, which decides how its content is judged. */
export type GitFileRole =
  | "settings"
  | "modules"
  | "hook"
  | "git-file"
  | "commondir"
  | "attributes"
  | "alternates"
  | "remote"
  | "branch"
  | "todo"
  | "strategy"
  | "sequencer"
  /** Objects, branches, logs, the index and the like. */
  | "data";

/** The kind of a path, relative to the workspace, for git; `undefined` if it is not one of git's own files. */
export function gitFileRole(path: string): GitFileRole | undefined {
  const names = path.toLowerCase().split("/");
  const last = names.at(-1);
  if (last === ".gitmodules") return "modules";
  if (last === ".git") return "git-file";
  const at = names.lastIndexOf(".git");
  if (at < 0) return undefined;
  const inside = names.slice(at + 1);
  // A branch can have any name.
  if (inside[0] === "refs" || inside[0] === "logs") return "data";
  if (inside.includes("hooks")) return last?.endsWith(".sample") === true ? "data" : "hook";
  // The folder of a submodule has branches and logs of its own.
  const folder = inside.some((name) => name === "refs" || name === "logs") ? undefined : inside.at(-2);
  if (folder === "remotes") return "remote";
  if (folder === "branches") return "branch";
  const tail = inside.slice(-3).join("/");
  return roles.find(([end]) => tail === end || tail.endsWith(`/${end}`))?.[1] ?? "data";
}

const roles: readonly (readonly [string, GitFileRole])[] = [
  ["config", "settings"],
  ["config.worktree", "settings"],
  ["commondir", "commondir"],
  ["info/attributes", "attributes"],
  ["objects/info/alternates", "alternates"],
  ["rebase-merge/git-rebase-todo", "todo"],
  ["rebase-merge/strategy", "strategy"],
  ["sequencer/opts", "sequencer"],
];

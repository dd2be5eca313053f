import { describe, expect, it } from "vitest";
import type { CommandPaths } from "../../contract/session.js";
import { findBlockedPaths, type BlockedPathOptions } from "./blocked-paths.js";
import type { Mount } from "./mount-plan.js";

const mount = (path: string, kind: Mount["kind"]): Mount => ({ path, kind, isDirectory: true });

const view: BlockedPathOptions["view"] = {
  workspace: "/ws",
  writable: ["/data"],
  readable: ["/docs"],
  linkedGit: ["/repo/.git"],
  home: "/home/ada",
  system: { roots: ["/usr", "/etc"] },
  tools: { programs: ["/home/ada/.bun"] },
};

const mounts = [
  mount("/ws/keys", "mask"),
  mount("/ws/keys/open", "bind"),
  mount("/ws/locked", "fix"),
  mount("/ws/pinned", "pin"),
];

function blocked(
  output: string,
  more: { line?: string; paths?: CommandPaths; home?: string } = {},
): unknown[] {
  const command = { argv: ["sh", "-c", more.line ?? ""], paths: more.paths };
  return findBlockedPaths(output, { command, cwd: "/ws", mounts, view: { ...view, ...more } });
}

describe("the paths that the sandbox kept from a command", () => {
  it.each([
    // Hidden.
    ["cat: keys/a: Permission denied", "/ws/keys/a", "hidden"],
    ["cat: keys/a: No such file or directory", "/ws/keys/a", "hidden"],
    ["ENOENT, open '/ws/keys'", "/ws/keys", "hidden"],
    ["[Errno 13] 'keys/b'", "/ws/keys/b", "hidden"],
    ["keys/b: EACCES", "/ws/keys/b", "hidden"],
    ["keys/b: operation not permitted", "/ws/keys/b", "hidden"],
    // Read-only.
    ["touch: cannot touch 'locked/x': Read-only file system", "/ws/locked/x", "read-only"],
    ["EROFS: locked", "/ws/locked", "read-only"],
    ["mv: locked: Device or resource busy", "/ws/locked", "read-only"],
    ["/bin/bash: line 1: locked/x: Read-only file system", "/ws/locked/x", "read-only"],
    // A mount cannot be renamed.
    ["mv: cannot move 'pinned': Device or resource busy", "/ws/pinned", "pinned"],
    ["[Errno 16] 'keys/open'", "/ws/keys/open", "pinned"],
    // Elsewhere.
    ["touch: cannot touch '/usr/x': Read-only file system", "/usr/x", "outside"],
    ["touch: cannot touch `/opt/a b': EROFS", "/opt/a b", "outside"],
  ])("%s: %s is %s", (output, path, how) => {
    expect(blocked(output)).toEqual([{ path, how }]);
  });

  it.each([
    "cat: keys/a: something else",
    "cat: locked/x: No such file or directory",
    "touch: keys/a: Read-only file system",
    "cat: keys/open/x: Permission denied",
    "mv: cannot move 'pinned/x': Device or resource busy",
    "touch: pinned: Read-only file system",
    "cat: missing: No such file or directory",
    "cat: /ws/missing: No such file or directory",
    "touch: /ws/missing: Read-only file system",
    "mv: /opt/x: Device or resource busy",
    "",
  ])("are none in: %s", (output) => {
    expect(blocked(output)).toEqual([]);
  });

  it.each([
    ["/opt/tool", "ls /opt/tool", true],
    ["/opt/tool", "ls /opt", false],
    ["/home/ada/notes", "cat ~/notes", true],
    ["/home/ada/notes", "cat $HOME/notes", true],
    ["/home/ada/notes", 'cat "${HOME}/notes"', true],
    ["/home/ada/notes", "cat notes", false],
    ["/home/ada2/notes", "cat ~2/notes", false],
    ["/home/ada/.bun/x", "cat ~/.bun/x", false],
    ["/data/x", "cat /data/x", false],
    ["/docs/x", "cat /docs/x", false],
    ["/repo/.git/x", "cat /repo/.git/x", false],
    ["/etc/x", "cat /etc/x", false],
    ["/tmp/x", "cat /tmp/x", false],
    ["/proc/1/x", "cat /proc/1/x", false],
    ["/lib64/x", "cat /lib64/x", false],
  ])("say of %s, asked for by `%s`, that it is not visible: %s", (path, line, expected) => {
    const found = expected ? [{ path, how: "not visible" }] : [];
    expect(blocked(`cat: ${path}: No such file or directory`, { line })).toEqual(found);
    expect(blocked(`cat: ${path}: Permission denied`, { line })).toEqual(found);
  });

  it("know no home folder where it is the workspace", () => {
    const options = {
      command: { argv: ["cat ~/x"] },
      cwd: "/ws",
      mounts,
      view: { ...view, home: undefined },
    };
    expect(findBlockedPaths("/home/ada/x: ENOENT", options)).toEqual([]);
    const named = { ...options, command: { argv: ["cat", "/home/ada/x"] } };
    expect(findBlockedPaths("/home/ada/x: ENOENT", named)).toEqual([
      { path: "/home/ada/x", how: "not visible" },
    ]);
  });

  it("name the rule that hides or locks one, and whether consent would help", () => {
    const rulings = {
      "read keys/a": { decision: "ask", rule: "no keys", below: true },
      "write locked": { decision: "deny", rule: "locked", below: true },
      "read keys/b": { decision: "allow", rule: "fine", below: true },
      "read keys/open": { decision: "deny", rule: "pinned only", below: true },
    } as const;
    const paths: CommandPaths = {
      patterns: [],
      named: [],
      judge: (shown, access) => rulings[`${access} ${shown}` as keyof typeof rulings],
    };
    expect(blocked("keys/a: EACCES", { paths })).toEqual([
      { path: "/ws/keys/a", how: "hidden", rule: { id: "no keys", asks: true } },
    ]);
    expect(blocked("locked: EROFS", { paths })).toEqual([
      { path: "/ws/locked", how: "read-only", rule: { id: "locked", asks: false } },
    ]);
    expect(blocked("keys/b: EACCES", { paths })).toEqual([{ path: "/ws/keys/b", how: "hidden" }]);
    expect(blocked("keys/c: EACCES", { paths })).toEqual([{ path: "/ws/keys/c", how: "hidden" }]);
    expect(blocked("keys/open: EBUSY", { paths })).toEqual([{ path: "/ws/keys/open", how: "pinned" }]);
  });

  it("come from a whole quoted path first, else from its words, each once", () => {
    expect(blocked("cannot open 'keys/a locked': EACCES")).toEqual([
      { path: "/ws/keys/a locked", how: "hidden" },
    ]);
    expect(blocked("the file 'x' (keys/a): EACCES")).toEqual([{ path: "/ws/keys/a", how: "hidden" }]);
    expect(blocked("keys/a: EACCES\nkeys/a: EACCES\nkeys/b: EACCES")).toHaveLength(2);
  });

  it("are at most ten, from the last lines of the output", () => {
    const lines = Array.from({ length: 300 }, (_, n) => `keys/${n}: EACCES`);
    const found = blocked(lines.join("\n"));
    expect(found).toHaveLength(10);
    expect(found[0]).toEqual({ path: "/ws/keys/100", how: "hidden" });
  });
});

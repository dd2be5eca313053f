import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isLongRun } from "./setup/random-cases.js";

const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));
const plainUser = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** The users that the commands can run as here: this one, and a plain one if this is root. */
function users(): (readonly [string, readonly string[]])[] {
  const own = ["this user", []] as const;
  if (process.getuid?.() !== 0) return [own];
  const look = spawnSync(plainUser[0]!, [...plainUser.slice(1), "test", "-r", library]);
  return look.status === 0 ? [own, ["a plain user", plainUser]] : [own];
}

/** A workspace, commands that run in it one after the other, and what lies there after each of them and after undoing it. */
const program = `
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const { createTenon } = await import(process.argv[1]);
const { setUp, steps, elsewhere, layers } = JSON.parse(process.argv[2]);
const root = mkdtempSync(join(tmpdir(), "tenon-hazards-"));
const stateDir = elsewhere ? mkdtempSync("/dev/shm/tenon-hazards-") : join(root, "state");
const workspace = join(root, "workspace");
mkdirSync(workspace);
const sh = (line) => execFileSync("/bin/bash", ["-c", line], { cwd: workspace, encoding: "utf8" });
const all = () => sh("find . -mindepth 1 -printf '%P %y %m %l %n\\\\n' | LC_ALL=C sort; find . -type f -size -1M -readable | LC_ALL=C sort | xargs -rd '\\\\n' md5sum --");
const tenon = createTenon({ workspace, home: root, config: { mode: "auto", stateDir, sandbox: { enabled: "required", layers, limits: { fileSize: 2 ** 35 } } } });
const told = [];
for (const { command, look } of steps) {
  sh("chmod -R u+rwX . && find . -mindepth 1 -delete");
  sh(setUp);
  sh("cat >.script.sh <<'END'\\n" + command + "\\nEND");
  const before = all();
  const { success, result, error, callId } = await tenon.call({ name: "shell_exec", arguments: { command: "bash .script.sh", timeout: 200_000 } });
  if (!success) { told.push({ error: error.message }); continue; }
  const { exitCode, stdout, committed, heldBack = [], conflicts = [], notes } = result;
  const seen = look === undefined ? "" : sh(look);
  const undo = committed === "all" || committed === "part" ? await tenon.call({ name: "undo_edit", arguments: { call_id: callId } }) : undefined;
  const isUndone = all() === before;
  const rest = isUndone ? undefined : [before, all()];
  if (undo?.success) await tenon.undo({ callId: undo.callId });
  told.push({ exitCode, stdout, committed, held: heldBack.map(({ path }) => path).sort(), conflicts, notes, seen, again: look === undefined ? "" : sh(look), isUndone, undoError: undo?.error?.message, rest });
}
await tenon.close();
console.log(JSON.stringify(told));
sh("cd / && chmod -R u+rwX " + root + " " + stateDir + "; rm -rf " + root + " " + stateDir);
`;

interface Step {
  readonly command: string;
  /** What to look at on the disk afterwards. */
  readonly look?: string;
}

interface Told {
  readonly error?: string;
  readonly exitCode: number;
  readonly committed?: string;
  readonly held: readonly string[];
  readonly seen: string;
  /** What lies there after undo and redo. */
  readonly again: string;
  readonly isUndone: boolean;
  readonly notes: readonly string[];
}

interface Scene {
  readonly setUp?: string;
  readonly steps: readonly Step[];
  readonly elsewhere?: boolean;
  readonly layers?: object;
}

function play(
  prefix: readonly string[],
  { setUp = ":", steps, elsewhere = false, layers = {} }: Scene,
): Told[] {
  const scene = JSON.stringify({ setUp, steps, elsewhere, layers });
  const argv = [...prefix, process.execPath, "--input-type=module", "-e", program, library, scene];
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };
  return JSON.parse(
    execFileSync(argv[0]!, argv.slice(1), { encoding: "utf8", env, maxBuffer: 1e8 }),
  ) as Told[];
}

/** Name, command, what to look at, what is there then, and what is held back. */
const hazards: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  ["a sparse file of 10 GB", "truncate -s 10G sparse", "stat -c '%s %b' sparse", "10737418240 0\n", []],
  [
    "files that cannot be read",
    "echo s >dark; chmod 000 dark; chmod 000 old",
    "stat -c '%n %F %a %s' dark old",
    "dark regular file 0 2\nold regular file 0 4\n",
    [],
  ],
  [
    "names that are not valid UTF-8",
    String.raw`printf x >"$(printf 'b\377d')"; mkdir new; printf y >"new/$(printf 'q\376')"`,
    "cat new/q*; ls -d b*d",
    "y",
    ["b\uFFFDd"],
  ],
  [
    "FIFOs and devices",
    "mkfifo pipe; mkdir with; mkfifo with/pipe; touch with/file; mknod null c 1 3; mknod zero c 0 0; true",
    "ls; ls with",
    "dir\nold\nwith\nfile\n",
    ["pipe", "with/pipe"],
  ],
  [
    "hard links",
    "echo 1 >one; ln one two; mkdir d; ln one d/three; ln old again; echo more >>again",
    "stat -c '%n %h' one two d/three old again; cat old",
    "one 3\ntwo 3\nd/three 3\nold 2\nagain 2\nold\nmore\n",
    [],
  ],
  [
    "links in circles",
    "mkdir deep; ln -s . deep/self; ln -s ../deep deep/up; ln -s ring deep/ring",
    "readlink deep/self deep/up deep/ring",
    ".\n../deep\nring\n",
    [],
  ],
  [
    "folders that become files and back",
    "rm -r dir; echo f >dir; rm dir; mkdir dir; echo n >dir/new; rm old; mkdir old; touch old/x; rm -r old; echo back >old",
    "ls dir; cat old",
    "new\nback\n",
    [],
  ],
  [
    "names that differ in case",
    "mv old OLD; mv dir/in dir/IN; mv dir Dir",
    "ls . Dir",
    ".:\nDir\nOLD\n\nDir:\nIN\ndeep\n",
    [],
  ],
  ["the removal of the workspace itself", 'rm -rf "$PWD"; rm -rf ./* ./.??*; true', "ls -A", "", []],
  [
    "extended attributes",
    `python3 -c 'import os; os.setxattr("old", "user.note", b"1")'; echo more >>old; mkdir moved; mv dir/in moved/; rm -r dir/deep; mkdir dir/deep`,
    `python3 -c 'import os
for p in ("old", "moved", "moved/in", "dir/deep"): print(p, os.listxattr(p))'`,
    "old ['user.note']\nmoved []\nmoved/in []\ndir/deep []\n",
    [],
  ],
];

/** What cannot be copied to another file system as it is, so that it is refused or becomes a file of its own. */
const notCopied = new Set([
  "a sparse file of 10 GB",
  "files that cannot be read",
  "hard links",
  "extended attributes",
]);

describe.each(users())("commands on layers as %s", (_, prefix) => {
  it.each([
    ["", false],
    [" from another file system", true],
  ])("commit and undo%s what is unusual", { timeout: 240_000 }, (_name, elsewhere) => {
    const setUp = "echo old >old; mkdir -p dir/deep; echo in >dir/in; echo deep >dir/deep/file";
    const scene = hazards.map(([, command, look]) => ({ command, look: `${look} 2>/dev/null || true` }));
    const told = play(prefix, { setUp, steps: scene, elsewhere });
    const isRoot = prefix.length === 0 && process.getuid?.() === 0;
    for (const [at, [name, , , seen, held]] of hazards.entries()) {
      if (elsewhere && notCopied.has(name)) continue;
      // Only root can compare such a file with what it was.
      if (name === "files that cannot be read" && !isRoot) continue;
      expect({ name, ...told[at] }).toMatchObject({
        name,
        held,
        seen,
        again: seen,
        isUndone: true,
        notes: [],
      });
    }
  });

  it("hold back a folder that cannot be read, unless root can", () => {
    const command = "mkdir cave; echo x >cave/in; chmod 000 cave; echo y >other";
    const [told] = play(prefix, { steps: [{ command, look: "ls" }] });
    const isRoot = prefix.length === 0 && process.getuid?.() === 0;
    const seen = isRoot ? "cave\nother\n" : "other\n";
    expect(told).toMatchObject({ held: isRoot ? [] : ["cave"], seen, again: seen, isUndone: true });
  });

  it("commit nothing if the layer's limit is reached, and say so", () => {
    const command = "echo x >small; head -c 30000000 /dev/zero >large; sleep 20";
    const [told] = play(prefix, { steps: [{ command, look: "ls" }], layers: { maxBytes: 1_000_000 } });
    expect(told).toMatchObject({ committed: "none", seen: "" });
    expect(told?.notes.join()).toMatch(/its changes took more than .*sandbox\.layers\.maxBytes/);
  });

  it("commit many files, in a new folder and in one that exists", { timeout: 600_000 }, () => {
    const count = isLongRun ? 100_000 : 300;
    const command = `mkdir new && cd new && seq ${count} | xargs touch && cd ../dir && seq ${count} | xargs touch`;
    const [told] = play(prefix, {
      setUp: "mkdir dir",
      steps: [{ command, look: "ls new | wc -l; ls dir | wc -l" }],
    });
    const seen = `${count}\n${count}\n`;
    expect(told).toMatchObject({ committed: "all", seen, again: seen, isUndone: true });
  });
});

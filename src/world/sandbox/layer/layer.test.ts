import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openFixture, type Fixture } from "../sandbox.fixture.js";
import { readAll, runOnLayer, stopOnLayer } from "./layer.fixture.js";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());
beforeEach(() => {
  for (const name of readdirSync(fixture.workspace))
    rmSync(join(fixture.workspace, name), { recursive: true, force: true });
  for (const name of ["one/a.txt", "one/b.txt", "one/deep/c.txt", "top.txt"])
    fixture.write(`work space/${name}`, `${name}\n`);
});

async function changesOf(script: string): Promise<readonly string[]> {
  return (await runOnLayer(fixture, script)).changes;
}

function tree(): string {
  return execFileSync("find", [".", "-printf", "%p %y %m %l\\n"], {
    cwd: fixture.workspace,
    encoding: "utf8",
  });
}

describe("a command on a layer", () => {
  it("sees its own changes, which the workspace does not get", async () => {
    const before = tree();
    const { stdout, changes, code } = await runOnLayer(
      fixture,
      "echo new >one/a.txt; mkdir two; echo b >two/b.txt; cat one/a.txt two/b.txt; exit 3",
    );
    expect({ stdout, code }).toEqual({ stdout: "new\nb\n", code: 3 });
    expect(changes).toEqual(["changed one/a.txt", "created two"]);
    expect(tree()).toBe(before);
    expect(readFileSync(join(fixture.workspace, "one/a.txt"), "utf8")).toBe("one/a.txt\n");
  });

  it("cannot reach the workspace itself or the folder of the layer", async () => {
    const { stdout, layer } = await runOnLayer(
      fixture,
      `ls -l /proc/self/fd; ls "${fixture.stateDir}" 2>&1; grep -c tenon /proc/self/mountinfo`,
    );
    expect(stdout).not.toContain("layer_");
    expect(stdout).not.toContain(fixture.workspace);
    expect(existsSync(layer.upper)).toBe(true);
  });

  it("keeps the paths that rules hide or protect", async () => {
    const own = await openFixture({ forbiddenPaths: ["secret"], protectedPaths: ["fixed.txt"] });
    own.write("work space/secret/key", "s3cret");
    own.write("work space/fixed.txt", "fixed\n");
    const { stdout, changes } = await runOnLayer(
      own,
      "cat secret/key; echo x >secret/key; echo x >fixed.txt; mv secret moved; rm -rf secret; rm fixed.txt; echo done",
    );
    await own.close();
    expect(stdout).toBe("done\n");
    expect(changes).toEqual([]);
  });
});

describe("the changes of a layer", () => {
  it.each([
    ["an empty layer", "true", []],
    ["a removed file and folder", "rm top.txt; rm -r one/deep", ["removed one/deep", "removed top.txt"]],
    ["a file that was created and removed", "touch x; rm x", []],
    ["a file that was only opened for writing", ": >>top.txt; exec 3<>one/a.txt", []],
    ["a new time", "touch -d 2001-01-01 top.txt", ["changed top.txt"]],
    ["other rights", "chmod 600 top.txt; chmod 700 one", ["attributes one", "changed top.txt"]],
    [
      "a folder that was removed and created again",
      "rm -r one; mkdir one; echo x >one/a.txt",
      ["replaced one"],
    ],
    ["an empty one", "rm -r one/deep; mkdir one/deep", ["replaced one/deep"]],
    [
      "one with the same names",
      "rm -r one/deep; mkdir one/deep; echo new >one/deep/c.txt",
      ["changed one/deep/c.txt"],
    ],
    ["a file in place of a folder", "rm -r one; echo file >one", ["replaced one"]],
    ["a folder in place of a file", "rm top.txt; mkdir top.txt; touch top.txt/x", ["replaced top.txt"]],
    [
      "a folder that became a file and a folder again",
      "rm -r one; echo x >one; rm one; mkdir one; touch one/z",
      ["replaced one"],
    ],
    ["a link in place of a file", "ln -sf nowhere top.txt", ["replaced top.txt"]],
    ["a name with another case", "mv top.txt TOP.txt", ["created TOP.txt", "removed top.txt"]],
    ["a folder that was moved", "mv one two", ["created two", "removed one"]],
    ["the whole workspace removed", 'rm -rf "$PWD"', ["removed one", "removed top.txt"]],
    ["links in a circle", "ln -s l2 l1; ln -s l1 l2", ["created l1", "created l2"]],
    [
      "odd names",
      "touch -- '-n' 'a b' '*' '[x]' .hidden ..two",
      ["created *", "created -n", "created ..two", "created .hidden", "created [x]", "created a b"],
    ],
  ])("list %s", async (_, script, expected) => {
    expect(await changesOf(script)).toEqual(expected.toSorted());
  });

  it("list each special entry by its kind and rights", async () => {
    const { layer } = await runOnLayer(
      fixture,
      "mkfifo pipe; ln -s /etc/passwd link; touch run; chmod 751 run; ln run other; mkdir dark; touch dark/x; chmod 000 dark",
    );
    const found = new Map((await readAll(layer)).map(({ path, after }) => [path, after]));
    expect(found.get("pipe")?.kind).toBe("special");
    expect(found.get("link")?.kind).toBe("link");
    expect(found.get("run")).toMatchObject({ kind: "file", mode: 0o751, links: 2 });
    expect(found.get("other")?.ino).toBe(found.get("run")?.ino);
    expect(found.get("dark")).toMatchObject({ kind: "folder", mode: 0 });
    const below = [];
    for await (const some of layer.entriesBelow({ path: "dark" }))
      below.push(...some.map(({ path }) => path));
    expect(below).toEqual(["dark/x"]);
  });

  it("keep names that are not valid UTF-8", async () => {
    const { layer } = await runOnLayer(
      fixture,
      String.raw`d=$(printf 'b\377d'); mkdir "$d"; echo x >"$d/in"; printf y >one/$d`,
    );
    const changes = await readAll(layer);
    const [folder, file] = [
      changes.find(({ path }) => !path.includes("/")),
      changes.find(({ path }) => path.includes("/")),
    ];
    expect(folder?.bytes).toEqual(Buffer.from([0x62, 0xff, 0x64]));
    expect(readFileSync(layer.locate(file ?? { path: "" }), "utf8")).toBe("y");
    const below = [];
    for await (const some of layer.entriesBelow(folder ?? { path: "" })) below.push(...some);
    expect(readFileSync(layer.locate(below[0] ?? { path: "" }), "utf8")).toBe("x\n");
  });

  it("tell what somebody else changed since the command started", async () => {
    const { layer } = await runOnLayer(
      fixture,
      "echo x >top.txt; echo x >one/a.txt; rm one/b.txt; rm -r one/deep; mkdir one/deep",
    );
    writeFileSync(join(fixture.workspace, "one/a.txt"), "theirs\n");
    writeFileSync(join(fixture.workspace, "one/deep/new.txt"), "theirs\n");
    const changes = await readAll(layer);
    const stale = changes
      .filter(({ before }) => before && before.ctimeNs > layer.startedNs)
      .map(({ path }) => path);
    expect(stale.toSorted()).toEqual(["one/a.txt", "one/deep"]);
  });

  it("find a replaced folder in a layer whose command was stopped", async () => {
    const layer = await stopOnLayer(fixture, "rm -r one; mkdir one; touch one/new; rm top.txt");
    expect((await readAll(layer)).map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      "created ready",
      "removed top.txt",
      "replaced one",
    ]);
  });

  it("are a removed and a created folder if git renames one", async () => {
    const git = "git -c user.name=a -c user.email=a@b";
    execFileSync("sh", ["-c", `git init -q . && git add -A && ${git} commit -qm one`], {
      cwd: fixture.workspace,
    });
    const trial = await runOnLayer(fixture, "git mv one two && ls two two/deep", {
      renames: [join(fixture.workspace, "one"), join(fixture.workspace, "missing")],
    });
    expect(trial).toMatchObject({ code: 0, stdout: "two:\na.txt\nb.txt\ndeep\n\ntwo/deep:\nc.txt\n" });
    expect(trial.changes).toEqual(["changed .git/index", "created two", "removed one"]);
  });

  it("are the same in a workspace whose path has a meaning for mount", async () => {
    const own = await openFixture();
    const odd = join(own.root, String.raw`a,b:c\d'e"f $x`);
    mkdirSync(odd);
    symlinkSync(odd, join(own.root, "alias"));
    const second = await openFixture({ workspace: odd });
    writeFileSync(join(odd, "file"), "old");
    const { changes } = await runOnLayer(second, "echo new >file; touch other", { cwd: odd });
    await second.close();
    await own.close();
    expect(changes).toEqual(["changed file", "created other"]);
  });
});

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NodeImage } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { createPathRules } from "../files/path-rules.js";
import type { PathRules } from "../files/path-rules.js";
import type { SourceDeps } from "./sources.js";
import { tempDir } from "./testing/temp-dir.js";
import { isObeyedByGit, judgeRestored, undoRules } from "./undo-git.js";

let base: string;
let rules: PathRules;
let deps: SourceDeps & { readonly rules: PathRules };

beforeEach(() => {
  base = tempDir("undo-git");
  for (const name of ["ws", "blobs", "kept", "allowed"]) mkdirSync(join(base, name));
  rules = createPathRules({
    workspace: join(base, "ws"),
    allowedPaths: [join(base, "allowed")],
    protectedGlobs: ["**/.git/**", "**/.gitmodules", "**/*.lock", "own/.git/**"],
    forbiddenPaths: ["secret"],
  });
  let ids = 0;
  const blobs = openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`);
  deps = { opener: chooseOpener(), blobs, rules };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (path: string): string => join(base, "ws", path);
function put(place: string, text: string): string {
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  return place;
}

describe("the rules for undoing", () => {
  it.each<[string, boolean]>([
    [".git/config", true],
    ["deep/.git/objects/aa", true],
    [".gitmodules", true],
    ["node_modules/x/yarn.lock", true],
    ["a/vendor/y.lock", true],
    ["yarn.lock", false],
    ["secret/file", false],
    ["plain", true],
  ])("judge %s", (path, allowed) => {
    const verdict = undoRules(rules).judge(at(path), "write");
    expect(verdict.allowed).toBe(allowed);
    expect(verdict).toEqual(allowed ? { allowed: true, path: at(path) } : rules.judge(at(path), "write"));
  });

  it("do not open what lies outside the workspace, or what a person's own pattern protects", () => {
    const outside = join(base, "allowed/.git/config");
    expect(undoRules(rules).judge(outside, "write")).toEqual(rules.judge(outside, "write"));
    expect(undoRules(rules).judge(outside, "write").allowed).toBe(false);
    const own = createPathRules({ workspace: join(base, "ws"), protectedGlobs: ["own/.git/**"] });
    expect(undoRules(own).judge(at("own/.git/config"), "write").allowed).toBe(false);
  });

  it.each<[string, boolean]>([
    [".git/config", true],
    [".git/hooks/pre-commit", true],
    [".git/hooks/pre-commit.sample", false],
    [".git/HEAD", false],
    ["sub/.git", true],
    ["config", false],
  ])("know whether git obeys %s", (path, obeyed) => {
    expect(isObeyedByGit(rules, at(path))).toBe(obeyed);
    expect(isObeyedByGit(rules, join(base, "allowed", path))).toBe(false);
  });
});

describe("what an undo brings back", () => {
  const risky = "[core]\n\tfsmonitor = ./run\n";
  const plain = "[core]\n\tbare = false\n";
  const image = async (text: string): Promise<NodeImage> => ({
    type: "file",
    ...(await deps.blobs.put(Buffer.from(text))),
  });
  const judged = async (
    path: string,
    restored: { image: NodeImage } | { stored: string },
  ): Promise<unknown> =>
    judgeRestored(deps, { real: at(path), text: path, restored }).then(
      () => "fine",
      (error: unknown) => error,
    );
  const refusal = (reason: string | RegExp, rule: string): unknown =>
    expect.objectContaining({
      code: "PATH_FORBIDDEN",
      message: expect.stringMatching(reason) as string,
      details: expect.objectContaining({ rule }) as unknown,
    });

  it.each<[string, string, unknown]>([
    [".git/config", plain, "fine"],
    [
      ".git/config",
      risky,
      refusal(/cannot be restored by an undo, because it sets core\.fsmonitor/, "git settings"),
    ],
    [
      ".git/hooks/pre-commit",
      "#!/bin/sh\n",
      refusal(/cannot be restored by an undo, because git runs it/, "git hook"),
    ],
    [".git/hooks/x.sample", "#!/bin/sh\n", "fine"],
    [".git/HEAD", "ref: refs/heads/main\n", "fine"],
    ["readme", risky, "fine"],
    ["sub/.git", "gitdir: ../.git/modules/sub\n", "fine"],
    ["sub/.git", "gitdir: /elsewhere\n", refusal(/it leads git to \/elsewhere/, "git git-file")],
  ])("as %s is judged by its content, kept as an image or as a file: %j", async (path, text, outcome) => {
    expect(await judged(path, { image: await image(text) })).toEqual(outcome);
    expect(await judged(path, { stored: put(join(base, "kept/1"), text) })).toEqual(outcome);
    // What is there already is not brought back.
    put(at(path), text);
    expect(await judged(path, { image: await image(text) })).toBe("fine");
  });

  it("may keep the risky settings that are there", async () => {
    put(at(".git/config"), `${risky}${plain}`);
    expect(await judged(".git/config", { image: await image(risky) })).toBe("fine");
    put(at(".git/config"), plain);
    expect(await judged(".git/config", { image: await image(risky) })).toEqual(
      refusal(/sets/, "git settings"),
    );
  });

  it("is refused where its content is not known, or is a link", async () => {
    const cannotJudge = refusal(/it cannot be judged/, "git settings");
    const known = (await image(plain)) as Extract<NodeImage, { type: "file" }>;
    const delta = { prefix: 0, suffix: 0, middle: { bytes: "" } };
    expect(await judged(".git/config", { image: { ...known, hash: "" } })).toEqual(cannotJudge);
    expect(await judged(".git/config", { image: { ...known, delta } })).toEqual(cannotJudge);
    const link = { type: "symlink", target: "../evil", size: 7 } as const;
    expect(await judged(".git/config", { image: link })).toEqual(cannotJudge);
    symlinkSync("../evil", at("link"));
    expect(await judged(".git/config", { stored: at("link") })).toEqual(cannotJudge);
    mkdirSync(at(".git"));
    symlinkSync("../evil", at(".git/config"));
    expect(await judged(".git/config", { image: link })).toBe("fine");
    expect(await judged(".git/config", { image: { ...link, target: "other" } })).toEqual(cannotJudge);
  });

  it("is refused as a folder only if git would run what is in it", async () => {
    const hook = refusal(/git runs it/, "git hook");
    const folder = (tree: string | null): NodeImage => ({ type: "directory", tree, size: 0 });
    expect(await judged(".git/hooks/sub", { image: folder(null) })).toBe("fine");
    expect(await judged(".git/hooks/sub", { image: folder("tree") })).toEqual(hook);
    expect(await judged("sub/.git", { image: folder("tree") })).toBe("fine");
    mkdirSync(join(base, "kept/hooks"));
    expect(await judged(".git/hooks", { stored: join(base, "kept/hooks") })).toBe("fine");
    put(join(base, "kept/hooks/a.sample"), "");
    expect(await judged(".git/hooks", { stored: join(base, "kept/hooks") })).toBe("fine");
    put(join(base, "kept/hooks/b"), "");
    expect(await judged(".git/hooks", { stored: join(base, "kept/hooks") })).toEqual(hook);
    expect(await judged("sub/.git", { stored: join(base, "kept/hooks") })).toBe("fine");
  });

  it("is not judged outside the workspace", async () => {
    const real = join(base, "allowed/.git/config");
    const restored = { image: await image(risky) };
    await expect(judgeRestored(deps, { real, text: "x", restored })).resolves.toBeUndefined();
  });
});

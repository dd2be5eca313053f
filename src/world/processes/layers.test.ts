import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CommandResult, Processes } from "../../contract/ports/processes.js";
import type { LayerRun } from "../sandbox/layer/layer-types.js";
import { mountedInside } from "../sandbox/layer/probe-layers.js";
import { profileNames } from "../sandbox/profiles.js";
import { testLayerLimits } from "../sandbox/sandbox.fixture.js";
import type { Sandbox } from "../sandbox/sandbox-types.js";
import { createSandbox } from "../sandbox/sandbox.js";
import { type CommandFixture, openCommandFixture } from "./testing/command-fixture.js";

interface Commit extends Pick<LayerRun, "end" | "exitCode" | "overLimit" | "failedByLayer"> {
  readonly changes: readonly string[];
}

let fixture: CommandFixture;
let sandbox: Sandbox;
let mountFails: string;
const commits: Commit[] = [];
const quiet: boolean[] = [];
let processes: Processes;

beforeAll(() => {
  fixture = openCommandFixture({
    sandbox: (workspace, root) => (sandbox = openSandbox(workspace, root)),
    async commitLayer(layer, { end, exitCode, overLimit, failedByLayer, isQuiet }) {
      quiet.push(isQuiet);
      const changes: string[] = [];
      for await (const { kind, path } of layer.changes()) changes.push(`${kind} ${path}`);
      commits.push({ end, exitCode, overLimit, failedByLayer, changes: changes.toSorted() });
      await layer.discard();
      return { warnings: ["committed"] };
    },
  });
  processes = fixture.forCall();
});
beforeEach(() => {
  commits.splice(0);
  quiet.splice(0);
});
afterAll(() => fixture.close());

function openSandbox(workspace: string, root: string): Sandbox {
  const [home, stateDir, bin] = ["home", "state", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, stateDir, bin]) mkdirSync(folder);
  mountFails = join(root, "mount-fails");
  writeFileSync(join(bin, "mount"), `#!/bin/sh\n[ ! -e '${mountFails}' ] && exec /bin/mount "$@"\n`);
  chmodSync(join(bin, "mount"), 0o755);
  return createSandbox({
    workspace,
    home,
    stateDir,
    settings: {
      enabled: "required",
      profiles: profileNames,
      readable: [],
      writable: [],
      hidden: [],
      unixSockets: false,
      limits: {},
      quarantine: { maxItems: 10, maxBytes: 1024 * 1024, maxAgeMs: 3_600_000 },
      caches: { maxBytes: 64 * 2 ** 20 },
      credentials: [],
      layers: { ...testLayerLimits, maxBytes: 8 * 1024 * 1024, maxEntries: 500 },
    },
    allowedPaths: [],
    forbiddenPaths: [],
    protectedPaths: [],
    unprotectedPaths: [],
    carefulPaths: [],
    quarantineDir: join(stateDir, "quarantine"),
    layersDir: join(stateDir, "layers"),
    cachesDir: join(stateDir, "caches"),
    now: Date.now,
    env: { PATH: `${bin}:${process.env["PATH"]}` },
    tmpdir: tmpdir(),
    monotonic: () => performance.now(),
  });
}

function run(
  command: string,
  options: Partial<Parameters<Processes["run"]>[0]> = {},
): Promise<CommandResult> {
  return processes.run({ command, readOnly: false, timeoutMs: 30_000, ...options });
}

describe("a command whose changes are committed", () => {
  it("says whether a process of it was left that may have gone on writing", async () => {
    await run("echo x >made");
    await run("(while :; do echo x; done >made) &");
    await run("kill -9 $PPID");
    expect(quiet).toEqual([true, false, false]);
  });

  it("hands its layer over when it has ended", async () => {
    expect(await run("echo x >made; exit 4")).toMatchObject({ exitCode: 4, warnings: ["committed"] });
    expect(commits).toEqual([
      { end: "exit", exitCode: 4, overLimit: undefined, failedByLayer: false, changes: ["created made"] },
    ]);
    expect(existsSync(join(fixture.workspace, "made"))).toBe(false);
  });

  it("runs side by side with others, each on its own layer", async () => {
    await Promise.all(Array.from({ length: 6 }, (_, at) => run(`echo ${at} >f${at}; sleep 0.1; ls`)));
    expect(commits.flatMap(({ changes }) => changes).toSorted()).toEqual(
      Array.from({ length: 6 }, (_, at) => `created f${at}`),
    );
  });

  it("has no layer if it only reads", async () => {
    const { direct, warnings } = await run("ls", { readOnly: true });
    expect({ direct, warnings, commits }).toEqual({ direct: undefined, warnings: [], commits: [] });
  });

  it("is listed completely after a time limit", async () => {
    const script = "mkdir -p a; touch a/x; rm -r old; mkdir old; touch old/new; sleep 60";
    mkdirSync(join(fixture.workspace, "old"));
    writeFileSync(join(fixture.workspace, "old/file"), "");
    expect(await run(script, { timeoutMs: 2000 })).toMatchObject({ timedOut: true });
    expect(commits).toMatchObject([{ end: "timeout", changes: ["created a", "replaced old"] }]);
  });

  it("is kept if the call is cancelled", async () => {
    const abort = new AbortController();
    const running = fixture.forCall(abort.signal).run({
      command: "touch made; echo ready; sleep 60",
      readOnly: false,
      timeoutMs: 60_000,
      onOutput: () => abort.abort(new Error("stopped")),
    });
    await expect(running).rejects.toThrow("stopped");
    const [kept, ...others] = await sandbox.layers.list();
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ callId: "c1", reason: "the call was cancelled", size: { entries: 1 } });
    await (await sandbox.layers.open(kept?.id ?? "")).discard();
    expect(commits).toEqual([]);
  });

  it.each([
    ["bytes", "head -c 20000000 /dev/zero >large", /its changes took more than 8 MiB/],
    ["entries", "for i in $(seq 600); do : >f$i; done", /it changed more than 500 files/],
  ])("is told that it exceeded its limit of %s", async (_, script, message) => {
    const { stoppedBy } = await run(script);
    expect(stoppedBy).toMatch(message);
    expect(commits[0]?.overLimit).toMatch(message);
  });

  it("may create a large file with holes", async () => {
    expect((await run("truncate -s 3G sparse")).stoppedBy).toBeUndefined();
    expect(commits).toMatchObject([{ overLimit: undefined, changes: ["created sparse"] }]);
  });

  it("explains why a program could not rename a folder, and then runs it directly", async () => {
    mkdirSync(join(fixture.workspace, "folder"));
    const line = `perl -e 'rename("folder", "moved") or die "$!"'`;
    const { exitCode, warnings } = await run(line);
    expect(exitCode).not.toBe(0);
    expect(warnings.join(" ")).toMatch(/cannot be renamed in place \(EXDEV\).*Run the same command again/);
    expect(commits).toMatchObject([{ failedByLayer: true }]);
    expect(await run(line)).toMatchObject({ exitCode: 0, direct: "it failed on a layer before" });
    expect(existsSync(join(fixture.workspace, "moved"))).toBe(true);
  });

  it("runs such a line directly until it has succeeded, also if it was stopped or failed before, and then on a layer", async () => {
    const at = (name: string): string => join(fixture.workspace, name);
    for (const name of ["other", "slow"]) mkdirSync(at(name));
    const line = `[ -e slow ] && sleep 60; perl -e 'rename("other", "renamed") or die "$!"'`;
    const isDirect = async (): Promise<boolean> => (await run(line)).direct !== undefined;
    rmdirSync(at("slow"));
    expect(await isDirect()).toBe(false);
    mkdirSync(at("slow"));
    const request = { command: line, readOnly: false, timeoutMs: 60_000 };
    await expect(fixture.forCall(AbortSignal.timeout(500)).run(request)).rejects.toThrow("timeout");
    rmdirSync(at("slow"));
    renameSync(at("other"), at("away"));
    expect(await isDirect()).toBe(true);
    renameSync(at("away"), at("other"));
    expect(await isDirect()).toBe(true);
    expect(existsSync(at("renamed"))).toBe(true);
    expect(await isDirect()).toBe(false);
  });

  it.each([
    ["whose failure is lost on the way", "", "; touch one"],
    ["whose errors end in a pipe", " 2>&1", " | tail -n 1; touch two"],
  ])("explains it, too, for a command %s, and commits the rest", async (_, errors, rest) => {
    mkdirSync(join(fixture.workspace, "whole"), { recursive: true });
    const line = `perl -e 'rename("whole", "away") or die "$!"'${errors}${rest}`;
    const { exitCode, warnings } = await run(line);
    expect(exitCode).toBe(0);
    expect(warnings.join(" ")).toMatch(
      /part of the command failed .*\(EXDEV\), but .* its other changes count\. Run the same command again/,
    );
    expect(commits).toMatchObject([
      { failedByLayer: false, changes: [expect.stringMatching(/^created (?:one|two)$/)] },
    ]);
    expect(await run(line)).toMatchObject({ direct: "it failed on a layer before" });
    rmSync(join(fixture.workspace, "away"), { recursive: true });
  });

  it("believes a command that succeeded and only shows such words", async () => {
    const { warnings } = await run("echo 'if (code === \"EXDEV\") // a cross-device link' 2>&1; touch made");
    expect(warnings).toEqual(["committed"]);
  });
});

describe("a command that runs directly on the workspace", () => {
  it("says so if it has a terminal", async () => {
    const { direct } = await run("touch by-terminal", { pty: true });
    expect(direct).toBe("it runs in a pseudo-terminal");
    expect(existsSync(join(fixture.workspace, "by-terminal"))).toBe(true);
  });

  it("says so if no layer can be mounted, and runs only once", async () => {
    writeFileSync(mountFails, "");
    const { direct, stdout } = await run("echo one >>lines; cat lines");
    execFileSync("rm", [mountFails]);
    expect(direct).toBe("a layer could not be mounted over the workspace");
    expect(stdout.text).toBe("one\n");
    expect(commits).toEqual([]);
  });

  it("says so if a file system is mounted inside", () => {
    expect(mountedInside("/dev")).toMatch(/mounted inside the workspace, at \/dev\//);
    expect(mountedInside(fixture.workspace)).toBeUndefined();
  });
});

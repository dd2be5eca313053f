import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { throughGroup } from "./command-group.js";
import type { LayerLimits } from "./layer/layer-store.js";
import { profileNames } from "./profiles.js";
import { type ProgramResult, runProgram } from "./run-program.js";
import type { Sandbox, SandboxCommand, WrappedCommand } from "./sandbox-types.js";
import { createSandbox } from "./sandbox.js";
import type { SandboxOptions, SandboxSettings } from "./settings.js";

/** A workspace, a home and a state folder on the real disk, and a real sandbox for them. */
export interface Fixture {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly stateDir: string;
  readonly sandbox: Sandbox;
  write(path: string, text: string): string;
  wrap(command: Partial<SandboxCommand> & { readonly argv: readonly string[] }): Promise<WrappedCommand>;
  /** Run a program inside; in the workspace, writing, without network, unless said otherwise. */
  run(argv: readonly string[], command?: Partial<SandboxCommand>): Promise<ProgramResult>;
  sh(script: string, command?: Partial<SandboxCommand>): Promise<ProgramResult>;
  node(script: string, command?: Partial<SandboxCommand>): Promise<ProgramResult>;
  close(): Promise<void>;
}

export interface FixtureOptions extends Partial<Omit<SandboxOptions, "settings">> {
  readonly settings?: Partial<SandboxSettings>;
  /** Where the folders are made. @default the system's folder for temporary files */
  readonly parent?: string;
}

const limits = { cpuSeconds: 60, fileSize: 64 * 1024 * 1024, processes: 200 };

export const testLayerLimits: LayerLimits = {
  enabled: true,
  maxBytes: 64 * 1024 * 1024,
  maxEntries: 200_000,
  maxKept: 5,
  maxKeptBytes: 128 * 1024 * 1024,
  maxAgeMs: 3_600_000,
};

/** Prepare the fixture; a machine without bubblewrap fails here, with the way to get it. */
export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const root = realpathSync(mkdtempSync(join(options.parent ?? tmpdir(), "tenon-fixture-")));
  const [workspace, home, stateDir] = ["work space", "home", "state"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspace, home, stateDir]) mkdirSync(folder);
  const sandbox = createSandbox({
    workspace,
    home,
    stateDir,
    allowedPaths: [],
    forbiddenPaths: [],
    protectedPaths: [],
    unprotectedPaths: [],
    carefulPaths: [],
    quarantineDir: join(stateDir, "quarantine"),
    layersDir: join(stateDir, "layers"),
    cachesDir: join(stateDir, "caches"),
    now: Date.now,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    tmpdir: tmpdir(),
    monotonic: () => performance.now(),
    ...options,
    settings: {
      enabled: "auto",
      profiles: profileNames,
      readable: [],
      writable: [],
      hidden: [],
      unixSockets: false,
      quarantine: { maxItems: 100, maxBytes: 64 * 1024 * 1024, maxAgeMs: 3_600_000 },
      layers: testLayerLimits,
      credentials: [],
      caches: { maxBytes: 64 * 1024 * 1024 },
      ...options.settings,
      limits: { ...limits, ...options.settings?.limits },
    },
  });
  const wrap: Fixture["wrap"] = (command) =>
    sandbox.wrap({
      cwd: options.workspace ?? workspace,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: options.home ?? home, LANG: "C.UTF-8" },
      readOnly: false,
      ...command,
    });
  const run: Fixture["run"] = async (argv, command = {}) => {
    const state = await sandbox.ready();
    if (!state.active) throw new Error(`These tests need the sandbox, which is not active: ${state.reason}`);
    const wrapped = await wrap({ ...command, argv });
    const group = sandbox.openGroup();
    const result = await runProgram({ ...wrapped, ...throughGroup(wrapped, group), timeoutMs: 20_000 });
    await wrapped.finish();
    group?.remove();
    return result;
  };
  return {
    root,
    workspace,
    home,
    stateDir,
    sandbox,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      return join(root, path);
    },
    wrap,
    run,
    sh: (script, command) => run(["/bin/sh", "-c", script], command),
    node: (script, command) => run([process.execPath, "-e", script], command),
    async close() {
      await sandbox.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

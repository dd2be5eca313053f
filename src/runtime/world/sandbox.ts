import type { RuntimeBase } from "../state/runtime-base.js";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { carefulPathGlobs, protectedPathGlobs } from "../../policy/built-in-rules.js";
import { workspaceKey } from "../../store/state-dir.js";
import { compileHosts } from "../../world/http/host-rules.js";
import { realPathOf } from "../../world/files/real-path.js";
import type { Sandbox } from "../../world/sandbox/sandbox-types.js";
import { createSandbox } from "../../world/sandbox/sandbox.js";

export interface RuntimeSandboxOptions extends RuntimeBase {
  readonly home: string | undefined;
  /** Protected paths that the user's own rules allow. */
  readonly opened: readonly string[];
  /** The other names of a path. */
  readonly namesOf: (real: string, below: boolean) => readonly string[];
}

/** The sandbox for the commands of one workspace. */
export function createRuntimeSandbox(options: RuntimeSandboxOptions): Sandbox {
  const { config, workspace, stateDir, env, clock, opened } = options;
  const ownDir = join(stateDir, workspaceKey(realPathOf(workspace)));
  return createSandbox({
    workspace,
    home: options.home ?? homedir(),
    stateDir,
    settings: config.sandbox,
    allowedPaths: config.files.allowedPaths,
    forbiddenPaths: [
      ...config.files.forbiddenPaths,
      ...(config.tools.perTool["shell_exec"]?.permissions?.forbiddenPaths ?? []),
    ],
    protectedPaths: [...protectedPathGlobs, ...config.files.protectedPaths],
    carefulPaths: carefulPathGlobs,
    unprotectedPaths: opened,
    namesOf: options.namesOf,
    egress: { hosts: compileHosts(config.network.allowHosts), allowPrivate: config.network.allowPrivate },
    quarantineDir: join(ownDir, "quarantine"),
    layersDir: join(ownDir, "layers"),
    cachesDir: join(ownDir, "caches"),
    env,
    tmpdir: tmpdir(),
    monotonic: clock.monotonic,
    now: clock.now,
  });
}

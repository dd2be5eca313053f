import { join } from "node:path";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { openStateDir } from "../../store/state-dir.js";
import { type CodeWorld, createCodeWorld } from "../../world/code/code-world.js";
import type { Guards } from "./guards.js";

/** Code search over the workspace; its index is stored next to the state, which is not opened for it. */
export function createRuntimeCode(options: {
  readonly config: ResolvedConfig;
  readonly guards: Guards;
  readonly stateDir: string;
  /** Whether the process continues after its call. */
  readonly keepsIndex: boolean;
}): CodeWorld {
  const { config, guards, stateDir, keepsIndex } = options;
  return createCodeWorld({
    rules: () => guards.commonRules(),
    maxFileSize: config.files.maxFileSize,
    indexFile: () => indexFile(stateDir, guards.common().root),
    keepsIndex,
  });
}

/** Without a state directory the index is in memory only. */
function indexFile(stateDir: string, workspace: string): string | undefined {
  try {
    return join(openStateDir(stateDir, workspace).dir, "code-index.bin");
  } catch {
    return undefined;
  }
}

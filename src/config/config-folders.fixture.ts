import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigError } from "./config-error.js";
import { loadConfig, type LoadedConfig, type LoadOptions } from "./load-config.js";

/** A real workspace and a real home in a temporary folder, for tests. */
export interface ConfigFolders {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  /** Write a file below the root and return its path. */
  readonly put: (file: string, text: string | Uint8Array) => Promise<string>;
  /** Load with an empty environment and a trusted workspace unless told otherwise. */
  readonly load: (options?: Partial<LoadOptions>) => Promise<LoadedConfig>;
  /** Load and give the error back that must come. */
  readonly failure: (options?: Partial<LoadOptions>) => Promise<ConfigError>;
  readonly remove: () => Promise<void>;
}

/** Make the folders. */
export async function createConfigFolders(): Promise<ConfigFolders> {
  const root = await mkdtemp(join(tmpdir(), "tenon-config-"));
  const workspace = join(root, "work");
  const home = join(root, "home");
  await mkdir(workspace);
  await mkdir(home);
  const load = (options: Partial<LoadOptions> = {}): Promise<LoadedConfig> =>
    loadConfig({ workspace, home, env: {}, trusted: () => true, ...options });
  return {
    root,
    workspace,
    home,
    load,
    async put(file, text) {
      const path = join(root, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return path;
    },
    async failure(options) {
      try {
        await load(options);
      } catch (error) {
        if (error instanceof ConfigError) return error;
        throw error;
      }
      throw new Error("the configuration was taken, though it should have been refused");
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

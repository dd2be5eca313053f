import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createTenon } from "../../create-tenon.js";
import type { TenonOptions } from "../../tenon-options.js";
import type { Tenon } from "../../tenon.js";

/** A folder with a workspace, plugins and state of its own. */
export interface PluginFixture {
  readonly root: string;
  readonly workspace: string;
  put(name: string, text: string): string;
  open(options?: Partial<TenonOptions>): Tenon;
  end(): Promise<void>;
}

export function createPluginFixture(): PluginFixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-plugins-")));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const opened: Tenon[] = [];
  return {
    root,
    workspace,
    put(name, text) {
      const file = join(root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    open(options = {}) {
      const config = {
        mode: "auto" as const,
        stateDir: join(root, "state"),
        audit: { enabled: false },
        ...options.config,
      };
      const tenon = createTenon({ workspace, home: root, ...options, config });
      opened.push(tenon);
      return tenon;
    },
    async end() {
      await Promise.all(opened.map((tenon) => tenon.close({ graceMs: 0 })));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A plugin without imports, so that its process starts fast: `tools` is the text of a list of tools. */
export function plainPlugin(name: string, tools: string, rest = ""): string {
  return `const tool = (name, execute, more = {}) => ({
  name, execute, description: "A tool.", category: "custom",
  input: { type: "object", properties: {}, additionalProperties: true },
  annotations: { readOnly: true }, ...more,
});
export default { name: "${name}", version: "1.0.0", tools: ${tools}, ${rest} };
`;
}

import { randomBytes } from "node:crypto";
import { appendFile, copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ActiveSandbox } from "./active-sandbox.js";
import type { SandboxCommand } from "./sandbox-types.js";
import type { SessionView } from "./sandbox-view.js";
import { copyToolSettings } from "./tool-settings.js";

/** The view of a command, and what must be called when it has ended. */
export interface LentView {
  readonly view: SessionView;
  end(): Promise<void>;
}

/** Show a command the credentials of the hosts that it is granted by name, if the configuration allows it. */
export async function lendCredentials(
  { credentials }: Pick<ActiveSandbox, "credentials">,
  view: SessionView,
  { network, home: ownHome }: SandboxCommand,
): Promise<LentView> {
  // A pattern such as `*` would let the command send them anywhere.
  const granted = (network?.hosts ?? []).map((host) => host.replace(/:\d+$/, "").toLowerCase());
  const hosts = new Set(granted.filter((host) => credentials.has(host)));
  if (hosts.size === 0 || view.home === undefined || ownHome !== undefined)
    return { view, end: async () => {} };
  // They are gone when the command has ended.
  const dir = join(view.scratch.dir, `settings-${randomBytes(9).toString("hex")}`);
  const toolSettings = await copyToolSettings(view.home, dir, hosts);
  const stored = toolSettings.some(({ at }) => at.endsWith("/.git-credentials"));
  const gitSettings = stored ? await withStore(view.gitSettings, join(dir, "gitconfig")) : view.gitSettings;
  return {
    view: { ...view, toolSettings, gitSettings },
    end: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The settings of git, with the helper that reads the file of credentials. */
async function withStore(settings: string | undefined, file: string): Promise<string> {
  await (settings === undefined ? writeFile(file, "") : copyFile(settings, file));
  await appendFile(file, "[credential]\n\thelper = store\n");
  return file;
}

import { ToolResourceNotFoundError } from "../contract/errors.js";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { PluginOptions } from "../contract/plugin.js";
import type { SandboxAccess } from "../contract/ports/upstream.js";
import { isPath } from "../plugin/find-plugin.js";
import { toVisibleText } from "../text/visible-text.js";
import { UsageError, type Terminal } from "./command-line.js";
import { withTenon, type OpenTenon } from "./open-tenon.js";
import { warn, writeResult } from "./output.js";
import { changePlugins, isEntryFor, userConfigFile } from "./plugin-config.js";
import {
  joinAccess,
  settleAccess,
  whyNoSandbox,
  type SandboxFlags,
  type SettledAccess,
} from "./sandbox-access.js";

interface PluginToTry {
  readonly source: string;
  readonly options: PluginOptions;
  readonly known: SandboxAccess;
  readonly isStartedAfter?: boolean;
}

/** Try a plugin in the sandbox; `undefined` if it is to run outside, or there is none. */
export async function settlePlugin(
  open: OpenTenon,
  { source, options, known, isStartedAfter }: PluginToTry,
  flags: SandboxFlags,
): Promise<SettledAccess | undefined> {
  const { terminal, tenon } = open;
  if (flags.sandbox === false || options.inProcess === true) return undefined;
  const why = await whyNoSandbox(open);
  if (why !== undefined) {
    if (flags.json !== true)
      warn(terminal, `The plugin runs outside the sandbox, because there is none here: ${why}`);
    return undefined;
  }
  const settled = await settleAccess(
    { terminal, flags },
    {
      name: source,
      command: `tenon plugins sandbox ${source}`,
      ...(isStartedAfter !== undefined && { isStartedAfter }),
      run: (access) => tenon.tryPlugin(source, { ...options, sandbox: joinAccess(known, access) }),
    },
  );
  return { ...settled, access: joinAccess(known, settled.access) };
}

/** Try a configured plugin in the sandbox, and write what it may use into its entry. */
export async function sandboxPlugin(terminal: Terminal, name: string, flags: SandboxFlags): Promise<void> {
  const place = { env: terminal.env, home: homedir() };
  await withTenon(terminal, flags, async (open) => {
    const entries = open.tenon.config.plugins.map((entry) =>
      typeof entry === "string" ? { path: entry } : entry,
    );
    const path = isPath(name) ? resolve(terminal.cwd, name) : name;
    const byPath = entries.find((each) => each.path === path);
    const entry = byPath ?? (await findByName(open, entries, name));
    if (entry === undefined)
      throw new ToolResourceNotFoundError(`Plugin "${name}" not found.`, { hint: "Run: tenon plugins list" });
    const { path: source, enabled: _, sandbox: known = {}, ...options } = entry;
    if (options.inProcess === true)
      throw new UsageError(`"${name}" runs in Tenon's own process. Remove inProcess first.`);
    const settled = await settlePlugin(open, { source, options, known }, flags);
    if (settled === undefined) throw new UsageError("No sandbox is available. Run: tenon doctor");
    let changed = false;
    const file = changePlugins(place, (all) =>
      all.map((each) => {
        if (!isEntryFor(userConfigFile(place), each, source)) return each;
        changed = true;
        return { ...(typeof each === "string" ? { path: each } : each), sandbox: settled.access };
      }),
    );
    if (!changed)
      throw new ToolResourceNotFoundError(`Plugin "${name}" not found in ${file}.`, {
        hint: "Run: tenon plugins list",
      });
    const text = `${name} runs in the sandbox from its next start (${file}).`;
    writeResult({ terminal, flags }, { name, file, ...settled }, () => toVisibleText(text));
  });
}

/** Only a plugin itself knows its name. */
async function findByName<T extends { readonly path: string }>(
  { tenon }: OpenTenon,
  entries: readonly T[],
  name: string,
): Promise<T | undefined> {
  await tenon.ready();
  const source = tenon.plugins().find((plugin) => plugin.name === name)?.source;
  return entries.find((each) => each.path === source);
}

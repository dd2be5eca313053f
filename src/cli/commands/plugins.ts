import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { isRecord } from "../../contract/is-record.js";
import type { PluginInfo, PluginOptions } from "../../contract/plugin.js";
import { isPath, packageName } from "../../plugin/find-plugin.js";
import { pluginTemplate } from "../../plugin/template.js";
import { userPluginDir } from "../../runtime/plugins/plugins.js";
import {
  exitCodes,
  UsageError,
  type AddCommand,
  type CommonFlags,
  type Terminal,
  addCommand,
} from "../command-line.js";
import { runNpm } from "../run-npm.js";
import { withTenon } from "../open-tenon.js";
import { table, writeJson, writeResult } from "../output.js";
import { addAccessFlags, type SandboxFlags } from "../sandbox-access.js";
import { sandboxPlugin, settlePlugin } from "../sandbox-plugins.js";
import { changePlugins, isEntryFor, userConfigFile } from "../plugin-config.js";
import { packageRoot } from "../package-root.js";
import { pasteQuote } from "../paste-quote.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";
import { makeFolder } from "../../contract/make-folder.js";

interface AddFlags extends SandboxFlags {
  readonly inProcess?: boolean;
  readonly watch?: boolean;
  readonly options?: string;
}

/** `tenon plugins`: tools from files, folders and packages. */
export const addPlugins: AddCommand = (program, terminal) => {
  const plugins = program.command("plugins").description("Add, list, remove and create plugins");
  addAccessFlags(
    addCommand(
      plugins,
      "add <source>",
      "Try a plugin (file, folder or npm package) in the sandbox and add it",
    ),
  )
    .option("--no-sandbox", "run it outside the sandbox, with all your permissions")
    .option(
      "--in-process",
      "load it into the Tenon process, outside the sandbox; only for fully trusted plugins",
    )
    .option("--watch", "reload it when its files change")
    .option("--options <json>", "options for its setup function")
    .action((source: string, flags: AddFlags) => add(terminal, source, flags));
  addCommand(plugins, "list", "List plugins with their state, tools and faults").action(
    (flags: CommonFlags) => list(terminal, flags),
  );
  addAccessFlags(
    addCommand(
      plugins,
      "sandbox <name>",
      "Move a plugin into the sandbox, or extend its access there: tries it and asks",
    ),
  ).action((name: string, flags: SandboxFlags) => sandboxPlugin(terminal, name, flags));
  addCommand(plugins, "remove <name>", "Remove a plugin from your configuration").action(
    (name: string, flags: CommonFlags) => remove(terminal, name, flags),
  );
  addCommand(plugins, "create <dir>", "Create a new plugin from a template").action(
    (dir: string, flags: CommonFlags) => create(terminal, dir, flags),
  );
};

async function add(terminal: Terminal, source: string, flags: AddFlags): Promise<void> {
  const options = optionsOf(flags);
  if (source.trim() === "")
    throw new UsageError("No plugin specified. Pass a file, a folder or an npm package.");
  const place = { env: terminal.env, home: homedir() };
  const named = await installSource(terminal, source);
  await withTenon(terminal, flags, async (open) => {
    const { tenon } = open;
    await tenon.ready();
    const known = tenon.plugins().find((plugin) => plugin.source === named);
    if (known !== undefined) throw new UsageError(`The plugin "${known.name}" was already added (${named}).`);
    const settled = await settlePlugin(
      open,
      { source: named, options, known: {}, isStartedAfter: true },
      flags,
    );
    const chosen = { ...options, ...(settled !== undefined && { sandbox: settled.access }) };
    const info = await tenon.loadPlugin(named, chosen);
    const entry = Object.keys(chosen).length === 0 ? named : { path: named, ...chosen };
    const file = changePlugins(place, (entries) => [...entries, entry]);
    const tools = info.tools.map(toVisibleLine).join(", ") || "no tools";
    const text = `Added ${toVisibleLine(info.name)} ${info.version} with ${tools} to ${file}.`;
    writeResult({ terminal, flags }, { ...withoutPid(info), file, trial: settled?.trial }, () => text);
  });
}

/** Install a package if needed; returns an absolute path, or the name of the installed package. */
async function installSource(terminal: Terminal, source: string): Promise<string> {
  const path = resolve(terminal.cwd, source);
  if (isPath(source) || statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  const name = packageName(source);
  if (name === undefined) throw new UsageError(`"${source}" is not a path or a valid npm package name.`);
  const folder = userPluginDir(terminal.env, homedir());
  makeFolder(folder, 0o700);
  await runNpm(
    ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--", source],
    terminal,
  );
  return name;
}

async function list(terminal: Terminal, flags: CommonFlags): Promise<void> {
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    const plugins = tenon.plugins();
    if (flags.json === true) return writeJson(terminal, plugins.map(withoutPid));
    if (plugins.length === 0) {
      terminal.stdout.write(
        'No plugins. Add one with "tenon plugins add" or create one with "tenon plugins create".\n',
      );
      return;
    }
    const rows = plugins.map(({ name, version: own, mode, sandbox, state, tools, source }) =>
      [
        name,
        own ?? "-",
        state,
        mode,
        sandbox === false ? "outside" : "inside",
        tools.join(", ") || "-",
        source,
      ].map(toVisibleLine),
    );
    const heads = ["NAME", "VERSION", "STATE", "MODE", "SANDBOX", "TOOLS", "SOURCE"];
    terminal.stdout.write(`${table([heads, ...rows], { width: terminal.stdout.columns })}\n`);
    const outside = plugins.filter(({ sandbox, mode }) => sandbox === false && mode === "process");
    for (const { name } of outside) {
      terminal.stdout.write(
        `\n${toVisibleLine(name)} runs outside the sandbox; to move it in: tenon plugins sandbox ${pasteQuote(name)}\n`,
      );
    }
    for (const { name, fault, notes = [] } of plugins) {
      for (const text of [...(fault === undefined ? [] : [fault]), ...notes])
        terminal.stdout.write(`\n${toVisibleLine(name)}: ${toVisibleText(text)}\n`);
    }
    if (plugins.some(({ state }) => state === "failed")) terminal.exitCode = exitCodes.failure;
  });
}

async function remove(terminal: Terminal, name: string, flags: CommonFlags): Promise<void> {
  const place = { env: terminal.env, home: homedir() };
  let source = isPath(name) ? resolve(terminal.cwd, name) : name;
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    source = tenon.plugins().find((plugin) => plugin.name === name)?.source ?? source;
  });
  let removed = false;
  const file = changePlugins(place, (entries) => {
    const kept = entries.filter((entry) => !isEntryFor(userConfigFile(place), entry, source));
    removed = kept.length < entries.length;
    return kept;
  });
  if (!removed)
    throw new ToolResourceNotFoundError(`Plugin "${name}" not found in ${file}.`, {
      hint: "Run: tenon plugins list",
    });
  const folder = userPluginDir(terminal.env, homedir());
  const installed =
    packageName(source) === source &&
    statSync(join(folder, "node_modules", source), { throwIfNoEntry: false });
  if (installed)
    await runNpm(
      ["uninstall", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--", source],
      terminal,
    );
  const text = `Removed ${toVisibleLine(name)} from ${file}.`;
  writeResult({ terminal, flags }, { removed: name, file }, () => text);
}

async function create(terminal: Terminal, dir: string, flags: CommonFlags): Promise<void> {
  const folder = resolve(terminal.cwd, dir);
  const name = (folder.split(/[\\/]/).at(-1) ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "");
  if (name === "")
    throw new UsageError(`"${dir}" is not a valid plugin name. Use lowercase letters, digits and hyphens.`);
  makeFolder(folder);
  if (readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty.`);
  const files = Object.entries(pluginTemplate(name, `file:${packageRoot()}`));
  for (const [file, text] of files) {
    makeFolder(resolve(folder, file, ".."));
    writeFileSync(join(folder, file), text);
  }
  const place = dir.startsWith("-") ? `./${dir}` : dir;
  const text = `Created the plugin ${name} in ${toVisibleLine(folder)}. Next:\n  cd ${pasteQuote(place)} && npm install && npm test && tenon plugins add .`;
  writeResult({ terminal, flags }, { name, dir: folder, files: files.map(([file]) => file) }, () => text);
}

function optionsOf({ inProcess, watch, options }: AddFlags): PluginOptions {
  return {
    ...(inProcess === true && { inProcess }),
    ...(watch === true && { watch }),
    ...(options !== undefined && { options: parseOptions(options) }),
  };
}

function parseOptions(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`Invalid --options ${text} (expected a JSON object).`);
}

/** Its process ends with this command, so its pid is of no use. */
function withoutPid(info: PluginInfo): PluginInfo {
  return { ...info, pid: undefined };
}

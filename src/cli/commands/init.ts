import { readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { hostSnippet } from "../../mcp/host-snippets.js";
import { addCommand, UsageError, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { configTemplate } from "../config-template.js";
import { toFileProblem } from "../../contract/file-problem.js";
import { connectionFor, hostFile, installedHosts } from "../host-files.js";
import { checkWorkspace } from "../open-tenon.js";
import { colorsFor, writeResult, type Colors } from "../output.js";

/** `tenon init`: a commented configuration, and what to add to the MCP hosts of this machine. */
export const addInit: AddCommand = (program, terminal) => {
  addCommand(
    program,
    "init",
    "Create a commented configuration, and show how to connect your MCP hosts",
  ).action((flags: CommonFlags) => init(terminal, flags));
};

function init(terminal: Terminal, flags: CommonFlags): void {
  const folder = resolve(terminal.cwd, flags.workspace ?? ".");
  checkWorkspace(folder);
  const file = join(folder, "tenon.config.yml");
  const existing = readdirSync(folder).find((name) =>
    /^tenon\.config\.(?:ya?ml|json|[mc]?[jt]s)$/.test(name),
  );
  if (existing !== undefined)
    throw new UsageError(`${join(folder, existing)} exists already. Check it with: tenon doctor`);
  writeConfig(file);
  const hosts = hostEntries(terminal, flags);
  writeResult({ terminal, flags }, { file, hosts }, () =>
    describe(file, hosts, colorsFor(terminal.stdout, terminal.env)),
  );
}

function writeConfig(file: string): void {
  try {
    writeFileSync(file, configTemplate, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`Cannot create ${file}: ${toFileProblem(error)}.`);
  }
}

interface HostEntry {
  readonly host: string;
  readonly title: string;
  readonly file: string;
  readonly text: string;
}

/** The hosts that are installed, with the entry for each; the usual entry if none was found. */
function hostEntries(terminal: Terminal, { workspace }: CommonFlags): readonly HostEntry[] {
  const home = homedir();
  return installedHosts(terminal, home).map((host) => {
    const connection = connectionFor(host, terminal, workspace);
    const { title, file, text } = hostSnippet(host, { name: "tenon", connection });
    return { host, title, file: hostFile(file, terminal, home), text };
  });
}

function describe(file: string, hosts: readonly HostEntry[], colors: Colors): string {
  const blocks = hosts.map(
    ({ host, title, file: path, text }) =>
      `${colors.bold(title)} (${path}), or run: tenon mcp install ${host}\n${indent(text)}`,
  );
  const none =
    "No MCP host was found on this machine. When you have one, run: tenon mcp install HOST\n(claude-code, claude-desktop, cursor, vscode, gemini or codex)";
  return [
    `Created ${file}, with everything commented out. After a change: tenon doctor, then tenon trust.`,
    ...(blocks.length === 0 ? [none] : ["To connect your MCP hosts, add:", ...blocks]),
    "Next: tenon tools, tenon serve",
  ].join("\n\n");
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

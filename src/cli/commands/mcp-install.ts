import { Argument, type Command } from "commander";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { isConfirmed, requireTerminal } from "../confirm.js";
import { hostIds, hostSnippet, type HostId } from "../../mcp/host-snippets.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { toVisibleText } from "../../text/visible-text.js";
import { addCommand, exitCodes, UsageError, type CommonFlags, type Terminal } from "../command-line.js";
import { connectionFor, editHostFile, hostFile, writeHostFile, type HostEdit } from "../host-files.js";
import { colorsFor, paintDiff, writeResult } from "../output.js";
import { oneOf } from "../whole-number.js";

interface InstallFlags extends CommonFlags {
  readonly name: string;
  readonly project?: boolean;
  readonly print?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** `tenon mcp install HOST`: put Tenon into the configuration of an MCP host. */
export function addMcpInstall(mcp: Command, terminal: Terminal): void {
  addCommand(mcp, "install", "Add Tenon to the configuration of an MCP host, after showing the change")
    // Checked below, in the words of all other commands.
    .addArgument(new Argument("<host>", "the host").choices(hostIds).argParser(String))
    .option("--name <name>", "what the host calls it", "tenon")
    .option("--project", "change the file of this project instead of your own")
    .option("--print", "print the entry and change nothing")
    .option("--force", "replace an entry of that name")
    .option("-y, --yes", "do not ask for confirmation")
    .action((host: string, _: unknown, command: Command) =>
      install(terminal, oneOf("host", host, hostIds), command.optsWithGlobals<InstallFlags>()),
    );
}

async function install(terminal: Terminal, host: HostId, flags: InstallFlags): Promise<void> {
  const { name } = flags;
  if (!/^[\w-]{1,64}$/.test(name))
    throw new UsageError(`Invalid --name "${name}" (expected letters, digits, "_" and "-").`);
  const snippet = hostSnippet(host, { name, connection: connectionFor(host, terminal, flags.workspace) });
  const { title, text } = snippet;
  const file = hostPath(terminal, snippet, flags);
  if (flags.print === true)
    return writeResult({ terminal, flags }, { host, file, text }, () => `${file}:\n${text.trimEnd()}`);
  const edit = await editHostFile(file, snippet, { name, replace: flags.force === true });
  if (edit.after === edit.before)
    return writeResult(
      { terminal, flags },
      { host, file, changed: false },
      () => `${title} already uses it (${file}).`,
    );
  if (!(await isAgreed(terminal, flags, { title, edit }))) {
    terminal.exitCode = exitCodes.denied;
    return writeResult({ terminal, flags }, { host, file, changed: false }, () => "Nothing changed.");
  }
  writeHostFile(edit);
  const done = `Added "${name}" to ${edit.file}. Restart ${title} to use it.`;
  writeResult({ terminal, flags }, { host, file: edit.file, changed: true }, () => done);
}

function hostPath(
  terminal: Terminal,
  { file, projectFile, title }: { file: string; projectFile?: string | undefined; title: string },
  { project, workspace }: InstallFlags,
): string {
  if (project !== true) return hostFile(file, terminal, homedir());
  if (projectFile === undefined)
    throw new UsageError(`${title} has no configuration in projects. Omit --project.`);
  return resolve(terminal.cwd, workspace ?? ".", projectFile);
}

/** Show the change, and ask unless that was answered by --yes. */
async function isAgreed(
  terminal: Terminal,
  flags: InstallFlags,
  { title, edit }: { readonly title: string; readonly edit: HostEdit },
): Promise<boolean> {
  const { before, after, file } = edit;
  const diff = unifiedDiff({ path: file.replace(/^[/\\]+/, ""), before, after });
  if (flags.json !== true)
    terminal.stderr.write(`${paintDiff(diff.trimEnd(), colorsFor(terminal.stderr, terminal.env))}\n`);
  if (flags.yes === true) return true;
  requireTerminal(terminal, flags, "write this change");
  return isConfirmed(terminal, toVisibleText(`Add Tenon to ${title}?`));
}

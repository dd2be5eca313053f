import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { errnoOf } from "../contract/errno.js";
import { isRecord } from "../contract/is-record.js";
import {
  hostIds,
  hostSnippet,
  type HostConnection,
  type HostId,
  type HostSnippet,
} from "../mcp/host-snippets.js";
import { UsageError, type Terminal } from "./command-line.js";
import { toFileProblem } from "../contract/file-problem.js";
import { messageOf } from "../contract/message-of.js";
import { parseJsonText, setInJsonText, type JsonText } from "./edit-json.js";
import { packageRoot } from "./package-root.js";
import { makeFolder } from "../contract/make-folder.js";

/** What a host starts: `tenon mcp` for the folder that the host works in, or for a workspace that was named. */
export function connectionFor(
  host: HostId,
  terminal: Terminal,
  workspace: string | undefined,
): HostConnection {
  const folder = workspace === undefined ? hostFolder(host, terminal) : resolve(terminal.cwd, workspace);
  const args = ["mcp", ...(folder === undefined ? [] : ["--workspace", folder])];
  const root = packageRoot();
  return isOnPath(terminal, root)
    ? { command: "tenon", args }
    : { command: process.execPath, args: [join(root, "bin", "tenon.cjs"), ...args] };
}

/** Where a host that does not start its servers in the folder of the project says which one that is. */
function hostFolder(host: HostId, { cwd }: Terminal): string | undefined {
  if (host === "cursor" || host === "vscode") return "${workspaceFolder}";
  return host === "claude-desktop" ? cwd : undefined;
}

/** Whether `tenon` on the PATH is this program. */
function isOnPath({ env }: Terminal, root: string): boolean {
  const folder = (env["PATH"] ?? "").split(delimiter).find((each) => existsSync(join(each, "tenon")));
  return folder !== undefined && dirname(dirname(realpathSync(join(folder, "tenon")))) === realpathSync(root);
}

/** The file of a host on this machine. */
export function hostFile(file: string, { env }: Pick<Terminal, "env">, home: string): string {
  return file
    .replace(/^~(?=[\\/])/, home)
    .replace("%APPDATA%", env["APPDATA"] ?? join(home, "AppData", "Roaming"));
}

/** The hosts that left a trace on this machine: their file or its folder, or their program. */
export function installedHosts(terminal: Terminal, home: string): readonly HostId[] {
  return hostIds.filter((host) => {
    const { file } = hostSnippet(host, { name: "tenon", connection: { command: "tenon", args: [] } });
    const path = hostFile(file, terminal, home);
    return (
      existsSync(path) || (dirname(path) !== home && existsSync(dirname(path))) || hasProgram(terminal, host)
    );
  });
}

const programs: Readonly<Partial<Record<HostId, string>>> = {
  "claude-code": "claude",
  cursor: "cursor",
  vscode: "code",
  gemini: "gemini",
  codex: "codex",
};

function hasProgram({ env }: Terminal, host: HostId): boolean {
  const program = programs[host];
  if (program === undefined) return false;
  return (env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there
  }
}

/** A change of a host's file, ready to be shown and written. */
export interface HostEdit {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Put an entry into the text of a host's file; everything else in it stays. */
export async function editHostFile(
  file: string,
  snippet: HostSnippet,
  { name, replace }: { readonly name: string; readonly replace: boolean },
): Promise<HostEdit> {
  const path = existsSync(file) ? realpathSync(file) : file;
  const before = readText(path);
  const edit = snippet.format === "toml" ? editToml : editJson;
  return { file: path, before, after: await edit(before, snippet, { name, replace, file: path }) };
}

interface EditPlace {
  readonly name: string;
  readonly replace: boolean;
  readonly file: string;
}

function editJson(before: string, { values }: HostSnippet, { name, replace, file }: EditPlace): string {
  let after = before;
  for (const [key, entries] of Object.entries(values)) {
    const json = parseJsonFile(after, file);
    const there = entryIn(json.value, key, name);
    const entry = entryIn(values, key, name) ?? entries;
    if (isDeepStrictEqual(there, entry)) continue;
    if (there !== undefined && !replace) throw alreadyThere(file, name);
    const path = isRecord(entries) ? [key, name] : [key];
    const changed = setInJsonText(json, path, entry);
    if (changed === undefined) throw new UsageError(`"${key}" in ${file} is not a JSON object.`);
    after = changed;
  }
  return after;
}

function entryIn(value: unknown, key: string, name: string): unknown {
  const entries = isRecord(value) ? value[key] : undefined;
  return isRecord(entries) && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function parseJsonFile(text: string, file: string): JsonText {
  try {
    const json = parseJsonText(text);
    if (isRecord(json.value)) return json;
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON, so it is not changed: ${messageOf(error)}`);
  }
  throw new UsageError(`${file} does not contain a JSON object.`);
}

/** A table is added at the end, so that comments and order of the others stay. */
async function editToml(before: string, { text, values }: HostSnippet, place: EditPlace): Promise<string> {
  const { name, file } = place;
  const { parse } = await import("smol-toml");
  const current = parseTomlFile(parse, before, file);
  const there = Object.keys(values).map((key) => [entryIn(current, key, name), entryIn(values, key, name)]);
  if (there.every(([present, wanted]) => isDeepStrictEqual(structuredClone(present), wanted))) return before;
  if (there.some(([present]) => present !== undefined))
    throw new UsageError(
      `${file} already has a server named "${name}". Change it there (--print shows the entry), or add another one with --name.`,
    );
  const after = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${before === "" ? "" : "\n"}${text}`;
  try {
    parse(after);
  } catch {
    // Inline tables (`mcp_servers = { … }`) and other values cannot be continued by a table.
    throw new UsageError(
      `${Object.keys(values).join(", ")} in ${file} cannot be extended by a table. Add the entry there by hand (--print shows it).`,
    );
  }
  return after;
}

function parseTomlFile(
  parse: (text: string) => unknown,
  text: string,
  file: string,
): Record<string, unknown> {
  try {
    const value = parse(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    throw new UsageError(`${file} is not valid TOML, so it is not changed: ${(error as Error).message}`);
  }
}

function alreadyThere(file: string, name: string): UsageError {
  return new UsageError(
    `${file} already has a server named "${name}". Use --force to replace it, or --name to add another one.`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw new UsageError(`Cannot read ${file}: ${toFileProblem(error)}.`);
  }
}

/** Whole or not at all, with the permissions that the file had. */
export function writeHostFile({ file, after }: HostEdit): void {
  try {
    makeFolder(dirname(file), 0o700);
    const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o600;
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, after, { mode, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    throw new UsageError(`Cannot write ${file}: ${toFileProblem(error)}.`);
  }
}

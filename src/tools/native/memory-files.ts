import { posix } from "node:path";
import { ToolResourceNotFoundError, ToolSecurityError, ToolValidationError } from "../../contract/errors.js";
import type { KeyValue } from "../../contract/ports/store.js";
import { numberLines } from "./editor-text.js";
import type { MemoryInput } from "./memory-input.js";

const root = "/memories";
/** Files are values of the tool's own part of the state, by their paths. */
const prefix = "file:";
const maxFiles = 10_000;

/** Carry out a command; the texts are those that Claude knows. */
export async function runMemory(call: MemoryInput, store: KeyValue): Promise<string> {
  const { command } = call;
  if (command === "rename") {
    return rename(store, memoryPath(need(call, "old_path")), memoryPath(need(call, "new_path")));
  }
  const path = memoryPath(need(call, "path"));
  if (command === "view") return view(store, path, call.view_range);
  if (command === "delete") return remove(store, path);
  if (command === "create") return create(store, path, need(call, "file_text"));
  const text = await textOf(store, path);
  const edited = command === "insert" ? insert(call, path, text) : replace(call, path, text);
  await store.set(prefix + path, edited.text);
  return edited.output;
}

/** The path in its plain form; what leads out of /memories is refused, whatever way it is written. */
function memoryPath(path: string): string {
  const decoded = decodePath(path);
  const plain = posix.normalize(decoded).replace(/\/+$/, "");
  const isWithin = plain === root || plain.startsWith(`${root}/`);
  // Characters that look like dots and slashes count as those; invisible ones have no place in a path.
  const climbs = decodePath(decoded.normalize("NFKC").replaceAll(/[\u2044\u2215\u29F8]/g, "/"))
    .split("/")
    .includes("..");
  if (isWithin && !climbs && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(decoded)) return plain;
  throw new ToolSecurityError(`Access denied: the path ${JSON.stringify(path)} is outside of ${root}.`, {
    code: "PATH_OUTSIDE",
    hint: `Use a path that begins with ${root}/ and has no "..".`,
  });
}

/** With dots and slashes that were percent-encoded, however often, and slashes for backslashes. */
function decodePath(path: string): string {
  const decoded = path.replaceAll(/%(?:25|2e|2f|5c)/gi, (code) => decodeURIComponent(code));
  return decoded === path ? path.replaceAll("\\", "/") : decodePath(decoded);
}

async function view(store: KeyValue, path: string, range: readonly number[] | undefined): Promise<string> {
  const text = await store.get(prefix + path);
  if (typeof text !== "string") return listFolder(store, path);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const [start = 1, end = -1] = range ?? [];
  const last = end === -1 ? lines.length : end;
  if (start < 1 || last < start || start > Math.max(lines.length, 1)) {
    throw new ToolValidationError(
      `Invalid \`view_range\` parameter: [${start}, ${end}]. The file has ${lines.length} lines.`,
      { code: "VALUE_INVALID", hint: "Use [first, last] with lines of the file, or [first, -1]." },
    );
  }
  return `Here's the content of ${path} with line numbers:\n${numberLines(lines.slice(start - 1, last), start)}`;
}

async function listFolder(store: KeyValue, folder: string): Promise<string> {
  const files = (await store.list(prefix)).map((key) => key.slice(prefix.length));
  const below = files.filter((file) => file.startsWith(`${folder}/`));
  if (below.length === 0 && folder !== root) throw notThere(folder);
  const sizes = new Map<string, number>([[folder, 0]]);
  for (const file of below) {
    const text = await store.get(prefix + file);
    const size = typeof text === "string" ? Buffer.byteLength(text) : 0;
    // Every folder on the way holds it; two levels are shown.
    const names = file.slice(folder.length + 1).split("/");
    const shown = [
      folder,
      ...names.slice(0, 2).map((_, at) => `${folder}/${names.slice(0, at + 1).join("/")}`),
    ];
    for (const each of shown) sizes.set(each, (sizes.get(each) ?? 0) + size);
  }
  const lines = [...sizes].sort(([one], [other]) => (one < other ? -1 : 1));
  const listed = lines.map(([name, size]) => `${formatSize(size)}\t${name}`);
  return `Here're the files and directories up to 2 levels deep in ${folder}, excluding hidden items and node_modules:\n${listed.join("\n")}`;
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}K` : `${(bytes / 1024 / 1024).toFixed(1)}M`;
}

async function create(store: KeyValue, path: string, text: string): Promise<string> {
  const files = (await store.list(prefix)).map((key) => key.slice(prefix.length));
  if (files.includes(path))
    throw refused(`Error: File ${path} already exists`, "Edit it, or delete it first.");
  const isFolder = path === root || files.some((file) => file.startsWith(`${path}/`));
  const isBelowFile = files.some((file) => path.startsWith(`${file}/`));
  if (isFolder || isBelowFile) throw refused(`Error: ${path} cannot be a file`, "Choose another path.");
  if (files.length >= maxFiles)
    throw refused(`Error: There are ${maxFiles} files already`, "Delete some first.");
  await store.set(prefix + path, text);
  return `File created successfully at: ${path}`;
}

async function remove(store: KeyValue, path: string): Promise<string> {
  if (path === root)
    throw refused(`Error: Cannot delete the ${root} directory itself`, "Name a path below it.");
  const keys = await store.list(prefix);
  const own = keys.filter((key) => key === prefix + path || key.startsWith(`${prefix}${path}/`));
  if (own.length === 0) throw notThere(path, "Error: ");
  for (const key of own) await store.delete(key);
  return `Successfully deleted ${path}`;
}

async function rename(store: KeyValue, from: string, to: string): Promise<string> {
  const keys = await store.list(prefix);
  const covers = (path: string) => (key: string) =>
    key === prefix + path || key.startsWith(`${prefix}${path}/`);
  const moved = keys.filter(covers(from));
  if (moved.length === 0) throw notThere(from, "Error: ");
  if (to === root || keys.some(covers(to))) {
    throw refused(`Error: The destination ${to} already exists`, "Choose another path, or delete it first.");
  }
  if (to.startsWith(`${from}/`)) throw refused(`Error: ${to} is inside ${from}`, "Choose another path.");
  for (const key of moved) {
    await store.set(`${prefix}${to}${key.slice(prefix.length + from.length)}`, (await store.get(key)) ?? "");
    await store.delete(key);
  }
  return `Successfully renamed ${from} to ${to}`;
}

interface EditedMemory {
  readonly text: string;
  readonly output: string;
}

function replace(call: MemoryInput, path: string, text: string): EditedMemory {
  const [oldStr, newStr] = [need(call, "old_str"), call.new_str ?? ""];
  const lines = linesWith(text, oldStr);
  if (lines.length === 0 || oldStr === "") {
    throw refused(
      `No replacement was performed, old_str \`${oldStr}\` did not appear verbatim in ${path}.`,
      "View the file and pass old_str exactly as it is there.",
    );
  }
  if (lines.length > 1) {
    throw refused(
      `No replacement was performed. Multiple occurrences of old_str \`${oldStr}\` in lines: ${lines.join(", ")}. Please ensure it is unique`,
      "Add surrounding text to old_str.",
    );
  }
  const at = text.indexOf(oldStr);
  const edited = text.slice(0, at) + newStr + text.slice(at + oldStr.length);
  return { text: edited, output: `The memory file has been edited.\n${snippetAt(edited, at)}` };
}

/** The lines at which a text begins, each occurrence once. */
function linesWith(text: string, wanted: string): number[] {
  const lines: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && lines.length < 100; at = text.indexOf(wanted, at + 1)) {
    lines.push(text.slice(0, at).split("\n").length);
  }
  return lines;
}

function snippetAt(text: string, at: number): string {
  const lines = text.split("\n");
  const line = text.slice(0, at).split("\n").length;
  const first = Math.max(1, line - 3);
  return numberLines(lines.slice(first - 1, line + 3), first);
}

function insert(call: MemoryInput, path: string, text: string): EditedMemory {
  const [after, added] = [need(call, "insert_line"), need(call, "insert_text")];
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  if (after < 0 || after > lines.length) {
    throw refused(
      `Error: Invalid \`insert_line\` parameter: ${after}. It should be within the range of lines of the file: [0, ${lines.length}]`,
      "Use a line of the file, or 0 for its beginning.",
    );
  }
  lines.splice(after, 0, ...added.replace(/\n$/, "").split("\n"));
  return { text: `${lines.join("\n")}\n`, output: `The file ${path} has been edited.` };
}

async function textOf(store: KeyValue, path: string): Promise<string> {
  const text = await store.get(prefix + path);
  if (typeof text === "string") return text;
  throw notThere(path, "Error: ");
}

function notThere(path: string, start = ""): ToolResourceNotFoundError {
  const message = `${start}The path ${path} does not exist. Please provide a valid path.`;
  return new ToolResourceNotFoundError(message, { hint: "View /memories to see what is there." });
}

function refused(message: string, hint: string): ToolValidationError {
  return new ToolValidationError(message, { code: "VALUE_INVALID", hint });
}

function need<Key extends keyof MemoryInput>(call: MemoryInput, name: Key): NonNullable<MemoryInput[Key]> {
  const value = call[name];
  if (value === undefined) throw missingArgument(call.command, name);
  return value;
}

/** The error for a command that lacks an argument. */
function missingArgument(command: string, name: string): ToolValidationError {
  return new ToolValidationError(`Parameter \`${name}\` is required for command: ${command}`, {
    code: "VALUE_INVALID",
    hint: `Pass ${name} and call again.`,
    details: { argument: name },
  });
}

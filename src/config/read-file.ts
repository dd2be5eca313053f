import { createHash } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { extname, join } from "node:path";
import { toFileProblem } from "../contract/file-problem.js";
import { ConfigError } from "./config-error.js";
import { sourceLimits } from "./source.js";

/** A configuration file as it lies on the disk, not yet understood. */
export interface ConfigFile {
  readonly file: string;
  readonly format: "json" | "yaml" | "js" | "ts";
  readonly text: string;
  /** SHA-256 of the bytes; `code-` in front for a file that would run, so that trusted data never becomes code. */
  readonly digest: string;
  /** Device and inode: the same file by another name. */
  readonly identity: string;
}

const formats: Readonly<Record<string, ConfigFile["format"]>> = {
  ".ts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".yml": "yaml",
  ".yaml": "yaml",
  ".json": "json",
};

/** Read the one `<stem>.{ts,js,mjs,yml,yaml,json}` of a folder; several are refused. */
export async function readFolderConfig(folder: string, stem: string): Promise<ConfigFile | undefined> {
  const files = possibleFiles(folder, stem);
  const found = files.filter(isPresent);
  const [file, ...others] = found;
  if (file === undefined) return undefined;
  if (others.length === 0) return readConfigFile(file);
  const message = `there is more than one configuration here (${found.join(", ")}); keep one of them`;
  throw new ConfigError([{ file, path: "", message }]);
}

/** Every file of a folder that would be its configuration. */
export function possibleFiles(folder: string, stem: string): readonly string[] {
  return Object.keys(formats).map((extension) => join(folder, `${stem}${extension}`));
}

/** Asked at once: most are not there, and the first question to Node's threads starts them. */
function isPresent(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return false;
    throw unreadable(file, error);
  }
}

/** Read one configuration file: a regular file of bounded size in UTF-8. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const format = Object.hasOwn(formats, extname(file)) ? formats[extname(file)] : undefined;
  if (format === undefined) {
    throw refused(file, `expected a file that ends in ${Object.keys(formats).join(", ")}`);
  }
  const handle = await openRegular(file);
  try {
    const { dev, ino } = await handle.stat({ bigint: true });
    const bytes = await readBounded(handle, file);
    const digest = createHash("sha256").update(bytes).digest("hex");
    const isCode = format === "js" || format === "ts";
    return {
      file,
      format,
      text: decode(bytes, file),
      digest: isCode ? `code-${digest}` : digest,
      identity: `${dev}:${ino}`,
    };
  } finally {
    await handle.close();
  }
}

async function openRegular(file: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Not blocking: a FIFO in the place of the file must not hold up the start.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(file, error);
  }
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  throw refused(file, "expected a regular file");
}

async function readBounded(handle: FileHandle, file: string): Promise<Buffer> {
  const buffer = Buffer.alloc(sourceLimits.bytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
    if (length > sourceLimits.bytes) throw refused(file, "the file is larger than 1 MB");
  }
  return buffer.subarray(0, length);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused(file, "the file is not text in UTF-8");
  }
}

function refused(file: string, message: string): ConfigError {
  return new ConfigError([{ file, path: "", message }]);
}

function unreadable(file: string, error: unknown): ConfigError {
  const code = codeOf(error);
  const why = code === "ENOENT" ? "the file does not exist" : `it cannot be read (${toFileProblem(error)})`;
  return new ConfigError([{ file, path: "", message: why }], { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the console as it is sent. */
export interface StaticFile {
  readonly type: string;
  readonly cache: string;
  readonly plain: Buffer;
  /** The same compressed with gzip; none for what is compressed already. */
  readonly gzipped: Buffer | undefined;
}

/** The console's files by path, all read once: a request's path is only looked up, never opened. */
async function loadStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile> | undefined> {
  const names = await listFiles(folder);
  if (names === undefined || !names.includes("index.html")) return undefined;
  const files = new Map<string, StaticFile>();
  const readInto = async (name: string): Promise<void> => {
    const file = await readStatic(folder, name);
    if (file !== undefined) files.set(`/${name}`, file);
  };
  await Promise.all(names.map(readInto));
  return files;
}

/** Compressed here and not in the package, where each file would weigh twice. */
async function readStatic(folder: string, name: string): Promise<StaticFile | undefined> {
  const type = types[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) return undefined;
  const plain = await readFile(join(folder, name));
  return {
    type,
    // A name with a hash in it never gets another content.
    cache: name.startsWith("assets/") ? "private, max-age=31536000, immutable" : "no-cache",
    plain,
    gzipped: /^(?:image\/(?!svg)|font\/)/.test(type) ? undefined : await compress(plain),
  };
}

const compress = promisify<Buffer, Buffer>(gzip);

/** Where the console's files are: beside the bundle, or in the build of the source tree. */
function consoleFolders(from: string = import.meta.url): readonly string[] {
  return ["./console/", "../console/", "../../dist/console/"].map((path) =>
    fileURLToPath(new URL(path, from)),
  );
}

/** The console's files, read when they are first asked for. */
export interface ConsoleFiles {
  /** `undefined` where the console is not built. */
  load(): Promise<ReadonlyMap<string, StaticFile> | undefined>;
}

/** @param folders Where the files may lie; the first that has them counts. */
export function createConsoleFiles(folders: readonly string[] = consoleFolders()): ConsoleFiles {
  let loading: ReturnType<ConsoleFiles["load"]> | undefined;
  const look = async (): ReturnType<ConsoleFiles["load"]> => {
    for (const folder of folders) {
      const files = await loadStaticFiles(folder);
      if (files !== undefined) return files;
    }
    loading = undefined; // it may be built later
    return undefined;
  };
  return { load: () => (loading ??= look()) };
}

/** The best body that the client takes. */
export function pickBody(file: StaticFile, accepted: string | undefined): { body: Buffer; encoding: string } {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accepted ?? "");
  if (file.gzipped !== undefined && takesGzip) return { body: file.gzipped, encoding: "gzip" };
  return { body: file.plain, encoding: "identity" };
}

const types: Readonly<Record<string, string | undefined>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  txt: "text/plain; charset=utf-8",
};

async function listFiles(folder: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch {
    return undefined; // not built
  }
}

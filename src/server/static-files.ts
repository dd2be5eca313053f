import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the console as it is sent. */
export interface StaticFile {
  readonly type: string;
  readonly cache: string;
  /** By encoding; "identity" is always there. */
  readonly bodies: Readonly<Record<string, Buffer | undefined>>;
}

/** The console's files by path, all read once: a request's path is only looked up, never opened. */
export async function loadStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile> | undefined> {
  const names = await listFiles(folder);
  if (names === undefined || !names.includes("index.html")) return undefined;
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const bodies: Record<string, Buffer> = { identity: await readFile(join(folder, name)) };
    for (const [encoding, ending] of Object.entries(endings))
      if (names.includes(name + ending)) bodies[encoding] = await readFile(join(folder, name + ending));
    // A name with a hash in it never gets another content.
    const hashed = name.startsWith("assets/");
    files.set(`/${name}`, {
      type,
      cache: hashed ? "private, max-age=31536000, immutable" : "no-cache",
      bodies,
    });
  }
  return files;
}

/** Where the console lies: beside the bundle, or in the build of the source tree. */
export function consoleFolders(from: string = import.meta.url): readonly string[] {
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
  const wanted = (accepted ?? "").toLowerCase();
  for (const encoding of Object.keys(endings)) {
    const body = file.bodies[encoding];
    if (body !== undefined && new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(wanted))
      return { body, encoding };
  }
  return { body: file.bodies["identity"] as Buffer, encoding: "identity" };
}

const endings = { br: ".br", gzip: ".gz" } as const;

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

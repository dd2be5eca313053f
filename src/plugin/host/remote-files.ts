import type { DirectoryEntry, Files, FileStat, OpenFile, WalkBatch } from "../../contract/ports/files.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { notRemote, type AskContext } from "./ask-context.js";

/** The guarded files, reached through Tenon. */
export function remoteFiles(ask: AskContext, root: string): Files {
  const send = (method: string, ...args: readonly unknown[]) => ask(["files", method], args) as never;
  return {
    root,
    check: () => {
      throw notRemote("files.check");
    },
    stat: (path) => send("stat", path),
    read: (path, range) => send("read", path, range),
    open: (path) => openWhole(ask, path),
    async *list(path) {
      yield* (await ask(["files", "list"], [path])) as readonly DirectoryEntry[];
    },
    async *walk(path, { wants, enters, ...options } = {}) {
      for (const batch of (await ask(["files", "walk"], [path, options])) as readonly WalkBatch[]) {
        const entries = batch.entries.filter(
          (entry) => (wants?.(entry) ?? true) && isEntered(entry.path, enters),
        );
        yield { ...batch, entries };
      }
    },
    write: (path, data, options) => send("write", path, data, options),
    append: (path, data) => send("append", path, data),
    mkdir: (path) => send("mkdir", path),
    move: (from, to, options) => send("move", from, to, options),
    copy: (from, to, options) => send("copy", from, to, options),
    delete: (path, options) => send("delete", path, options),
    apply: (mutations) => {
      if (typeof mutations === "function") throw notRemote("files.apply with a function");
      return send("apply", mutations);
    },
    undo: (what) => send("undo", what),
    touchedBy: (what) => send("touchedBy", what),
    previewUndo: (what) => send("previewUndo", what),
    history: (query) => send("history", query),
    clearHistory: (path) => send("clearHistory", path),
    watch: () => {
      throw notRemote("files.watch");
    },
  };
}

/** Whether the walk may go where the entry lies, by every folder on the way. */
function isEntered(path: string, enters: ((path: string) => boolean) | undefined): boolean {
  if (enters === undefined) return true;
  const names = path.split("/");
  return names.slice(0, -1).every((_, at) => enters(names.slice(0, at + 1).join("/")));
}

/** A whole file, as an open one: reading in pieces would be a request each, and sync reads could not wait. */
async function openWhole(ask: AskContext, path: string): Promise<OpenFile> {
  const stat = (await ask(["files", "stat"], [path])) as FileStat | null;
  if (stat === null) throw new ToolResourceNotFoundError(`File not found: ${path}`);
  const data = (await ask(["files", "read"], [path])) as Uint8Array;
  return {
    stat,
    path,
    readInto(buffer, position) {
      const part = data.subarray(position, position + buffer.length);
      buffer.set(part);
      return part.length;
    },
    look: () => stat,
    close: () => undefined,
  };
}

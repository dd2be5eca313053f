import type { FileMutation, Files, FileStat } from "../contract/ports/files.js";
import type { ChangeOrigin } from "../contract/ports/journal.js";
import { notFound } from "./files/file-errors.js";
import type { Guard } from "./files/guard-types.js";
import type { Journal } from "./journal/journal.js";

export interface FilesOptions {
  readonly guard: Guard;
  readonly journal: Journal;
  /** The call that changes are journalled under. */
  readonly origin: ChangeOrigin;
  /** Paths that this call is narrowed to. */
  readonly narrow?: readonly string[] | undefined;
  /** Stops a change before it begins, never in the middle. */
  readonly signal?: AbortSignal | undefined;
}

/** The files of one call: looks go through the guard, changes through the journal. */
export function createFiles({ guard: whole, journal, origin, narrow, signal }: FilesOptions): Files {
  const guard = narrow === undefined ? whole : whole.narrow(narrow);
  const apply = (mutations: readonly FileMutation[]): Promise<void> =>
    journal.apply(mutations, origin, { guard, signal });
  const applyAndLook = async (mutation: FileMutation & { path: string }): Promise<FileStat> => {
    await apply([mutation]);
    const stat = guard.stat(mutation.path);
    if (stat === null) throw notFound(mutation.path);
    return stat;
  };
  return {
    root: guard.root,
    check: (path, access) => guard.check(path, access),
    stat: async (path) => guard.stat(path),
    read: (path, range) => guard.read(path, range),
    open: async (path) => guard.openRead(path),
    list: (path) => guard.list(path),
    write: (path, data, options) =>
      applyAndLook({ op: "write", path, data, ...(options !== undefined && { options }) }),
    append: (path, data) => applyAndLook({ op: "append", path, data }),
    async mkdir(path) {
      const created = guard.stat(path) === null;
      await apply([{ op: "mkdir", path }]);
      return { created };
    },
    move: (from, to, options) => apply([{ op: "move", from, to, ...options }]),
    copy: (from, to, options) => apply([{ op: "copy", from, to, ...options }]),
    delete: (path, options) => apply([{ op: "delete", path, ...options }]),
    apply,
    watch: (path, stop) => guard.watch(path, stop),
  };
}

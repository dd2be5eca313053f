import type { FileMutation, Files, FileStat } from "../contract/ports/files.js";
import type { ChangeOrigin, ChangeRecord } from "../contract/ports/journal.js";
import { fileNotFound } from "./files/file-errors.js";
import type { Guard } from "./files/guard-types.js";
import { nearestPath, suggestPath } from "./files/nearest-path.js";
import type { Journal } from "./journal/journal.js";

export interface FilesOptions {
  readonly guard: Guard;
  readonly journal: Journal;
  /** The call that changes are recorded in the journal under. */
  readonly origin: ChangeOrigin;
  /** Paths that this call is narrowed to. */
  readonly narrow?: readonly string[] | undefined;
  /** Which sessions' changes this call may list and undo. @default all */
  readonly sees?: ((sessionId: string) => boolean) | undefined;
  /** What the policy lets this call read, where it denies anything at all. */
  readonly readable?: ((path: string) => boolean) | undefined;
  /** Whether this call may change what one of its paths leads to when it comes to it. @default yes */
  readonly changeable?: ((path: string) => boolean) | undefined;
  /** Hears of the paths that were changed; they are resolved when it asks for them. */
  readonly onChanged?: ((paths: () => readonly string[]) => void) | undefined;
  /** Stops a change before it begins, never in the middle. Made on first use: reading a file needs none. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Whether that signal has fired, without making it. */
  readonly isAborted?: (() => boolean | undefined) | undefined;
}

/** The files of one call: looks go through the guard, changes through the journal. */
export function createFiles(options: FilesOptions): Files {
  const { journal, origin, onChanged, sees } = options;
  const narrowed = options.narrow === undefined ? options.guard : options.guard.narrow(options.narrow);
  const guard = options.readable === undefined ? narrowed : narrowed.screen(options.readable);
  const by = {
    guard,
    sees,
    changeable: options.changeable,
    get signal() {
      return options.signal?.();
    },
    get isAborted() {
      return options.isAborted?.();
    },
  };
  const tell = (paths: readonly string[]): void =>
    onChanged?.(() => paths.map((path) => guard.canonical(path)));
  const apply: Files["apply"] = async (mutations) => {
    const made = await journal.apply(mutations, origin, by);
    tell(made.flatMap((each) => ("path" in each ? [each.path] : [each.from, each.to])));
  };
  const lastOwn = { lastOf: origin.sessionId };
  const canSee = ({ path }: ChangeRecord): boolean => guard.check(path, "read").allowed;
  const history: Files["history"] = async (query) => (await journal.history(query, by)).filter(canSee);
  const applyAndLook = async (mutation: FileMutation & { path: string }): Promise<FileStat> => {
    await apply([mutation]);
    const stat = guard.stat(mutation.path);
    if (stat === null) throw fileNotFound(mutation.path);
    return stat;
  };
  return {
    root: guard.root,
    maxFileSize: guard.maxFileSize,
    check: (path, access, options) =>
      options?.links === false ? guard.checkText(path, access) : guard.check(path, access, options),
    stat: async (path) => guard.stat(path),
    nearest: (path) => nearestPath(guard, path),
    read: (path, range) => suggestPath(guard, path, () => guard.read(path, range)),
    lend: (path) => suggestPath(guard, path, () => guard.lend(path)),
    open: (path) => suggestPath(guard, path, () => guard.openRead(path)),
    list: (path) => guard.list(path),
    walk: (path, walk) => guard.walk(path, walk, by.signal),
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
    undo: async (what) => {
      const files = await journal.undo(what ?? lastOwn, origin, by);
      tell(files.map(({ path }) => path));
      return files;
    },
    touchedBy: (what) => journal.touchedBy(what ?? lastOwn, by),
    previewUndo: (what) => journal.previewUndo(what ?? lastOwn, by),
    history,
    clearHistory: (path) => clearSeen(journal, history, path),
    watch: (path, stop) => guard.watch(path, stop),
  };
}

const allChanges = Number.MAX_SAFE_INTEGER;

/** Forget changes; those of files that this call may not see stay. */
async function clearSeen(
  journal: Journal,
  history: Files["history"],
  path: string | undefined,
): Promise<number> {
  const seen = await history({ limit: allChanges, ...(path !== undefined && { path }) });
  if (path === undefined && seen.length === (await journal.history({ limit: allChanges })).length) {
    return journal.clear();
  }
  let cleared = 0;
  for (const each of new Set(seen.map((record) => record.path))) {
    const own = seen.filter(({ path: changed }) => changed === each).length;
    // What others changed there must stay undoable for them.
    if (own === (await journal.history({ limit: allChanges, path: each })).length)
      cleared += await journal.clear(each);
  }
  return cleared;
}

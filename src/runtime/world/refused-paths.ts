import { findReachedPaths, type ReachOptions } from "./reached-paths.js";

export interface RefusedPathOptions extends Omit<ReachOptions, "refused" | "named"> {
  /** The command that grants the program more, such as `tenon mcp-servers sandbox NAME`. */
  readonly command: string;
  /** Told in a full sentence. */
  readonly onNote: (note: string) => void;
}

/** Longer messages are not about a path. */
const maxChars = 8192;
const maxNotes = 20;

/** Notices by the error messages of a running program which paths the sandbox keeps from it; each is told once. */
export function watchRefusedPaths({
  command,
  onNote,
  ...options
}: RefusedPathOptions): (text: string) => void {
  const told = new Set<string>();
  const tell = (path: string, note: string): void => {
    if (told.has(path) || told.size >= maxNotes) return;
    told.add(path);
    onNote(note);
  };
  return (text) => {
    if (unixSocket.test(text))
      tell(
        "",
        "The sandbox refuses it unix sockets, which browsers need. To allow them to all programs: sandbox.unixSockets",
      );
    const isWrite = readOnly.test(text);
    if (!isWrite && !missing.test(text)) return;
    const access = isWrite ? "write" : "read";
    const refused = pathsIn(text.slice(0, maxChars)).map((path) => ({ path, access }) as const);
    const { readable, writable, withheld } = findReachedPaths({ ...options, refused, named: [] });
    for (const path of readable)
      tell(path, `The sandbox hides ${path} from it. To let it read there: ${command} --readable ${path}`);
    for (const path of writable)
      tell(path, `The sandbox does not let it change ${path}. To allow it: ${command} --writable ${path}`);
    for (const path of withheld) tell(path, `The sandbox hides ${path} from it, as from all programs.`);
  };
}

const missing =
  /no such file or directory|ENOENT|\[Errno 2\]|permission denied|EACCES|\[Errno 13\]|does not exist|not found/i;
/** Chromium, and others that name the kind of the socket. */
const unixSocket =
  /(?:process_singleton|AF_UNIX|unix socket)[^]{0,200}(?:operation not permitted|EPERM)|(?:operation not permitted|EPERM)[^]{0,80}(?:AF_UNIX|unix socket|\.sock\b)/i;
const readOnly = /read-only file system|EROFS|\[Errno 30\]/i;

/** Absolute paths; in quotes they may have spaces. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/(['"`])(\/[^'"`\n\\]{1,1000})\\?\1/g)].map(([, , path = ""]) => path);
  const plain = text.match(/(?<![\w.~-])\/[\w@+.,-]+(?:\/[\w@+.,-]+)*/g) ?? [];
  return [...new Set([...quoted, ...plain.map((path) => path.replace(/[.,]+$/, ""))])].slice(0, 50);
}

/** A command line that only applies a patch, as models write it for a shell. */
export interface PatchCommand {
  /** The folder that it changes to first. */
  readonly folder?: string | undefined;
  readonly patch: string;
}

const quotedWord = String.raw`(?<quoted>'(?:[^']|'\\'')*'|"(?:[^"\\]|\\[^])*")`;
const first = String.raw`^\s*(?:cd\s+(?<folder>'[^'\n]*'|"[^"\n$\`\\]*"|[\w./@+,:=~-]+)\s*(?:&&|;|\n)\s*)?(?:apply_patch|applypatch)`;
const heredoc = new RegExp(
  String.raw`${first}\s*<<-?\s*(?<quote>['"]?)(?<mark>[\w.-]+)\k<quote>[ \t]*\r?\n(?<body>[^]*)$`,
);
const argument = new RegExp(String.raw`${first}\s+${quotedWord}\s*$`);
const begins = new RegExp(String.raw`${first}\b`);

/** Some models hand every line to a shell of its own: `bash -lc '…'`. */
const shellLine = new RegExp(String.raw`^\s*(?:(?:/usr)?/bin/)?(?:bash|sh|zsh)\s+-l?c\s+${quotedWord}\s*$`);

/** Whether a command line begins with `apply_patch`, after an optional change of folder. */
export function beginsWithPatch(line: string): boolean {
  return begins.test(withoutShell(line));
}

/**
 * The patch of a line that is only `[cd DIR &&] apply_patch <<'X' … X`, or has the patch as a quoted argument,
 * also where it is handed to a shell of its own; `undefined` for any other line, also where only a shell knows the folder (`~`, `-`).
 */
export function readPatchCommand(line: string): PatchCommand | undefined {
  const bare = withoutShell(line);
  const { folder, mark, body = "", quoted } = (heredoc.exec(bare) ?? argument.exec(bare))?.groups ?? {};
  if (folder !== undefined && /^[~-]/.test(folder)) return undefined;
  if (mark !== undefined) {
    const patch = bodyOf(body, mark);
    return patch === undefined ? undefined : { folder: unquote(folder), patch };
  }
  return quoted === undefined ? undefined : { folder: unquote(folder), patch: wordOf(quoted) };
}

/** The line that is handed to a shell, or the line itself. */
function withoutShell(line: string): string {
  const { quoted } = shellLine.exec(line)?.groups ?? {};
  return quoted === undefined ? line : wordOf(quoted);
}

/** The value of a quoted word in a shell. */
function wordOf(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith("'")) return inner.replaceAll(String.raw`'\''`, "'");
  return inner.replaceAll(/\\(["\\$`])/g, "$1");
}

/** The lines before the mark, if nothing follows it. A line of the patch may be the mark with blanks around it. */
function bodyOf(body: string, mark: string): string | undefined {
  const lines = body.trimEnd().split("\n");
  const exact = lines.findIndex((line) => line.replace(/^\t+|\r$/g, "") === mark);
  const end = exact === -1 && lines.at(-1)?.trim() === mark ? lines.length - 1 : exact;
  return end === lines.length - 1 ? `${lines.slice(0, end).join("\n")}\n` : undefined;
}

function unquote(folder: string | undefined): string | undefined {
  return folder?.replace(/^(['"])([^]*)\1$/, "$2");
}

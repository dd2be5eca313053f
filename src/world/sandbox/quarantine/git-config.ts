/** One setting of a git configuration file. */
export interface GitSetting {
  /** Lower case. */
  readonly section: string;
  /** As it is written, where there is one. */
  readonly subsection: string | undefined;
  /** Lower case. */
  readonly name: string;
  /** A name without `=` stands for `true`. */
  readonly value: string;
}

/**
 * Read a git configuration file as git does. `undefined` where it holds anything that git would refuse or
 * that cannot be read with certainty: what is not understood must not be judged harmless.
 */
export function parseGitConfig(text: string): readonly GitSetting[] | undefined {
  if (text.includes("\0")) return undefined;
  const reader = new Reader(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
  const settings: GitSetting[] = [];
  let place: Pick<GitSetting, "section" | "subsection"> | undefined;
  for (;;) {
    reader.take(/[ \t\n\r\v\f]*/y);
    if (reader.atEnd) return settings;
    if (reader.take(/[#;][^\n]*/y) !== undefined) continue;
    const heading = reader.match(headingPattern);
    if (heading !== undefined) {
      place = toPlace(heading);
      if (place === undefined) return undefined;
      continue;
    }
    const name = reader.take(/[A-Za-z][A-Za-z0-9-]*/y);
    if (name === undefined || place === undefined) return undefined;
    const value = readValue(reader);
    if (value === undefined) return undefined;
    settings.push({ ...place, name: name.toLowerCase(), value });
  }
}

/** Write settings so that git, and any other reader, can understand them in one way only. */
export function formatGitConfig(settings: readonly GitSetting[]): string {
  let last = "";
  return settings
    .map(({ section, subsection, name, value }) => {
      const heading = `[${section}${subsection === undefined ? "" : ` "${escapeQuoted(subsection)}"`}]\n`;
      const shown = heading === last ? "" : heading;
      last = heading;
      return `${shown}\t${name} = "${escapeQuoted(value)
        .replaceAll("\n", String.raw`\n`)
        .replaceAll("\t", String.raw`\t`)}"\n`;
    })
    .join("");
}

/** `section.subsection.name`, as `git config` prints it. */
export function keyOf({ section, subsection, name }: GitSetting): string {
  return subsection === undefined ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}

const headingPattern = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;

function toPlace([, name = "", quoted]: RegExpExecArray):
  | Pick<GitSetting, "section" | "subsection">
  | undefined {
  if (quoted !== undefined) {
    // With both forms in one heading, git's reading has changed between versions.
    if (name.includes(".")) return undefined;
    return { section: name.toLowerCase(), subsection: quoted.replaceAll(/\\(.)/g, "$1") };
  }
  const [section = "", ...rest] = name.toLowerCase().split(".");
  return { section, subsection: rest.length === 0 ? undefined : rest.join(".") };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** What follows a name: nothing, which means `true`, or `=` and a value that may go on in further lines. */
function readValue(reader: Reader): string | undefined {
  reader.take(/[ \t]*/y);
  if (reader.atEnd || reader.take(/\n/y) !== undefined) return "true";
  if (reader.take(/=/y) === undefined) return undefined;
  reader.take(/[ \t\v\f]*/y);
  let value = "";
  /** Spaces count only where something follows them. */
  let spaces = "";
  let isQuoted = false;
  for (;;) {
    const char = reader.next();
    if (char === undefined || char === "\n") return isQuoted ? undefined : value;
    if (!isQuoted && (char === "#" || char === ";")) {
      reader.take(/[^\n]*/y);
      continue;
    }
    if (!isQuoted && /[ \t\r\v\f]/.test(char)) {
      spaces += char;
      continue;
    }
    if (char === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    if (char !== "\\") {
      value += spaces + char;
      spaces = "";
      continue;
    }
    const escaped = reader.next();
    if (escaped === "\n") continue;
    const meant = escapes[escaped ?? ""];
    if (meant === undefined) return undefined;
    value += spaces + meant;
    spaces = "";
  }
}

function escapeQuoted(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  take(pattern: RegExp): string | undefined {
    return this.match(pattern)?.[0];
  }

  next(): string | undefined {
    const char = this.#text[this.#at];
    this.#at += 1;
    return char;
  }
}

/**
 * Make a program's output readable for a model or a terminal: escape sequences are removed, a line that was
 * overwritten with carriage returns shows its final state, and invisible characters are escaped.
 */
export function cleanText(text: string): string {
  if (!suspicious.test(text)) return text;
  const plain = text.replace(sequences, "").replaceAll("\r\n", "\n");
  const settled =
    plain.includes("\r") || plain.includes("\b") ? plain.split("\n").map(applyOverwrites).join("\n") : plain;
  return settled.replace(controls, "\uFFFD").replace(invisible, escapeCodePoint);
}

/** Anything that is neither plain text nor a newline or tab. */
const suspicious =
  // oxlint-disable-next-line no-control-regex -- this matches control characters
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/**
 * CSI, OSC (ended by BEL or ST), DCS, SOS, PM and APC, and two-character sequences. The bodies are bounded and cannot
 * contain the start of a sequence, so matching is linear.
 */
const sequences = new RegExp(
  [
    "(?:\\x1b\\[|\\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]?",
    "(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x9c\\n]{0,4096}(?:\\x07|\\x1b\\\\|\\x9c)?",
    "(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x1b\\x9c\\n]{0,4096}(?:\\x1b\\\\|\\x9c)?",
    "\\x1b[ -/]{0,4}[0-~]?",
  ].join("|"),
  "g",
);

/** What a terminal shows of a line after its carriage returns and backspaces. */
function applyOverwrites(line: string): string {
  const parts = line.split("\r").filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  const before = parts.at(-2);
  // A shorter text overwrites only the start of the longer one before it.
  const shown = before !== undefined && before.length > last.length ? last + before.slice(last.length) : last;
  return shown.includes("\b") ? applyBackspaces(shown) : shown;
}

function applyBackspaces(line: string): string {
  const kept: string[] = [];
  for (const char of line) {
    if (char === "\b") kept.pop();
    else kept.push(char);
  }
  return kept.join("");
}

// oxlint-disable-next-line no-control-regex -- see above
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Bidirectional controls, zero-width characters and tags; joiners are left, scripts and emoji need them. */
const invisible =
  /[\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function escapeCodePoint(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

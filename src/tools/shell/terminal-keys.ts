import { ToolValidationError } from "../../contract/errors.js";

/** What the keys of a terminal send; xterm sequences, which every program understands. */
const sequences: ReadonlyMap<string, string> = new Map([
  ["enter", "\r"],
  ["tab", "\t"],
  ["space", " "],
  ["escape", "\u001B"],
  ["backspace", "\u007F"],
  ["shift-tab", "\u001B[Z"],
  ["ctrl-space", "\0"],
  ...["up", "down", "right", "left"].map((name, at) => [name, `\u001B[${"ABCD"[at]}`] as const),
  ["home", "\u001B[H"],
  ["end", "\u001B[F"],
  ...["insert", "delete", "pageup", "pagedown"].map(
    (name, at) => [name, `\u001B[${[2, 3, 5, 6][at]}~`] as const,
  ),
  ...["P", "Q", "R", "S"].map((letter, at) => [`f${at + 1}`, `\u001BO${letter}`] as const),
  ...[15, 17, 18, 19, 20, 21, 23, 24].map((code, at) => [`f${at + 5}`, `\u001B[${code}~`] as const),
]);

const otherNames: ReadonlyMap<string, string> = new Map([
  ["return", "enter"],
  ["esc", "escape"],
  ["del", "delete"],
  ["page-up", "pageup"],
  ["page-down", "pagedown"],
]);

/** The characters that a key sends to a terminal; throws for what is not a key. */
export function keySequence(key: string): string {
  const name = key
    .trim()
    .toLowerCase()
    .replace("+", "-")
    .replace(/^(?:control|c)-/, "ctrl-");
  const sequence = sequences.get(otherNames.get(name) ?? name);
  if (sequence !== undefined) return sequence;
  const [, letter] = /^ctrl-([a-z[\\\]^_])$/.exec(name) ?? [];
  if (letter !== undefined) return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 31);
  const [, character] = /^(?:alt|meta|m)-([!-~])$/i.exec(key.trim().replace("+", "-")) ?? [];
  if (character !== undefined) return `\u001B${character}`;
  throw invalidKey(key);
}

/** What a key means to a program without a terminal; throws for keys that only a terminal has. */
export function plainKey(key: string): { readonly text: string; readonly end: boolean } {
  const sequence = keySequence(key);
  if (sequence === "\u0004") return { text: "", end: true };
  if (sequence === "\r") return { text: "\n", end: false };
  if (/^[\t ]$/.test(sequence)) return { text: sequence, end: false };
  throw new ToolValidationError(`The job has no terminal, so the key "${key}" cannot be pressed.`, {
    code: "VALUE_INVALID",
    hint: "Without pty, a job takes text and the keys enter, tab, space and ctrl-d. Start it with pty: true for all keys, or stop it with shell_kill.",
    details: { argument: "keys" },
  });
}

function invalidKey(key: string): ToolValidationError {
  return new ToolValidationError(`"${key.slice(0, 40)}" is not a key.`, {
    code: "VALUE_INVALID",
    hint: `Keys are ${[...sequences.keys()].slice(0, 16).join(", ")}, f1 to f12, ctrl-a to ctrl-z and alt-x. Pass characters as text.`,
    details: { argument: "keys" },
  });
}

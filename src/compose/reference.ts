/** A place in the scope of a chain: `input.path`, `steps.read.files[0].name`. */
export interface Reference {
  readonly root: "input" | "steps";
  /** The step, where the root is `steps`. */
  readonly step: string | undefined;
  readonly path: readonly (string | number)[];
  /** Written `{{ … ? }}`: where it is not there, it is left out. */
  readonly optional: boolean;
  readonly text: string;
}

/** A text split into fixed parts and references. */
export type TextPiece = string | Reference;

/** Cut a text at its references; throws a `SyntaxError` that shows the wrong one. */
export function parseText(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  while (from < text.length) {
    const open = text.indexOf("{{", from);
    if (open === -1) break;
    const close = text.indexOf("}}", open + 2);
    if (close === -1) throw new SyntaxError(`"${shorten(text.slice(open))}" has no closing }}`);
    if (open > from) pieces.push(text.slice(from, open));
    pieces.push(parseReference(text.slice(open + 2, close)));
    from = close + 2;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

const grammar = /^(?:[A-Za-z_][A-Za-z0-9_-]*)(?:\.[A-Za-z_][A-Za-z0-9_-]*|\[[0-9]{1,9}\])*$/;

function parseReference(written: string): Reference {
  const trimmed = written.trim();
  const optional = trimmed.endsWith("?");
  const text = optional ? trimmed.slice(0, -1).trimEnd() : trimmed;
  if (text.length > 1000 || !grammar.test(text))
    throw new SyntaxError(
      `"{{ ${shorten(trimmed)} }}" is not a valid reference; write {{ input.name }} or {{ steps.id.field[0] }}`,
    );
  const [root, ...rest] = text.split(/[.[]/).map((part) => toKey(part));
  if (root === "input") return { root, step: undefined, path: rest, optional, text };
  const [step, ...path] = rest;
  if (root === "steps" && typeof step === "string") return { root, step, path, optional, text };
  throw new SyntaxError(`"{{ ${shorten(trimmed)} }}" must start with "input" or "steps.ID"`);
}

function toKey(part: string): string | number {
  return part.endsWith("]") ? Number(part.slice(0, -1)) : part;
}

/** The value at the reference; own members only, so that inherited names are never found. */
export function follow(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

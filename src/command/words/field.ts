/** Where unseen text comes from: another machine, a decoder, or the environment with its secrets. */
export type Taint = "fetched" | "decoded" | "secret";

/** One word as the program would get it. */
export interface Field {
  /** Unknown parts are as they were written. */
  readonly text: string;
  readonly known: boolean;
  /** Written without `$`, backtick or `~`: nothing in it depends on where it runs. */
  readonly plain: boolean;
  /** The glob for it, with everything else escaped, if file names are filled in. */
  readonly pattern?: string | undefined;
  /** It can become any number of words. */
  readonly many?: boolean | undefined;
  /** The text with `*` for unknown parts. */
  readonly wild?: string | undefined;
  /** Its most likely value, if it is not known. */
  readonly guess?: string | undefined;
  readonly taint?: Taint | undefined;
  /** Only the output of commands in `$(…)` is unknown about it. */
  readonly substituted?: boolean | undefined;
}

/** A word of which everything is known. */
export function knownField(text: string): Field {
  return { text, known: true, plain: true };
}

/** A word that is only known when the line runs. */
export function unknownField(text: string, taint?: Taint): Field {
  return { text, known: false, plain: false, many: true, ...(taint !== undefined && { taint }) };
}

const gravity = { secret: 1, decoded: 2, fetched: 3 } as const;

/** The graver of two. */
export function worse(one: Taint | undefined, other: Taint | undefined): Taint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return gravity[one] >= gravity[other] ? one : other;
}

/** Whether a shell that runs such text would run unseen text. */
export function isUnseen(taint: Taint | undefined): taint is "fetched" | "decoded" {
  return taint === "fetched" || taint === "decoded";
}

/** Escape the special characters of a glob. */
export function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}

export function breakLinesIn(dir: string): void;
export function findBreaks(code: string, sourceType?: "script" | "module"): number[];
export function splitMappings(mappings: string, code: string, breaks: readonly number[]): string;
export function shiftMappings(
  mappings: string,
  code: string,
  edits: readonly { readonly at: number; readonly text: string }[],
): string;

import { diffFault } from "./diff-cursor.js";

/** Remove what a model puts around a patch: a code fence, or the heredoc of a shell command. */
export function unwrapPatch(patch: string): string {
  const lines = patch.replace(/^\uFEFF/, "").split("\n");
  trimBlankLines(lines);
  if (lines.length > 1 && /^(```|~~~)/.test(lines[0] ?? "") && /^(```|~~~)\s*$/.test(lines.at(-1) ?? "")) {
    lines.shift();
    lines.pop();
    trimBlankLines(lines);
  }
  const [, , word] = /^(?:apply_patch\s*)?<<-?\s*(['"]?)([\w.-]+)\1\s*$/.exec(lines[0]?.trim() ?? "") ?? [];
  if (word === undefined) return `${lines.join("\n")}\n`;
  if (lines.at(-1)?.trim() !== word) {
    throw diffFault(
      `The patch begins with the heredoc mark "${word}" but does not end with it.`,
      "Send the patch itself, from '*** Begin Patch' to '*** End Patch'.",
    );
  }
  const body = lines.slice(1, -1);
  trimBlankLines(body);
  return `${body.join("\n")}\n`;
}

function trimBlankLines(lines: string[]): void {
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
}

import { diffFault } from "./diff-cursor.js";

/** Remove what a model puts around a patch: a code fence, or the heredoc of a shell command. */
export function unwrapPatch(patch: string): string {
  const bare = withoutBlankLines(patch.replace(/^\uFEFF/, ""));
  // Most patches have nothing around them, and large ones take long to split.
  if (bare.startsWith("***")) return `${bare}\n`;
  const lines = bare.split("\n");
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

/** The text from its first line that is not blank to its last one. */
function withoutBlankLines(text: string): string {
  const first = text.search(/\S/);
  if (first === -1) return "";
  const end = text.indexOf("\n", text.trimEnd().length);
  return text.slice(text.lastIndexOf("\n", first) + 1, end === -1 ? undefined : end);
}

function trimBlankLines(lines: string[]): void {
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
}

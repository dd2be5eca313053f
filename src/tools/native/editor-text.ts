import { notesOf, type ReadResult } from "../file/read-result.js";

/** What Claude's text editor shows. */
export interface EditorResult {
  output: string;
  image?: { data: string; mimeType: string };
}

/** A file with line numbers, as `cat -n` prints it; anything else as the file tool describes it. */
export function viewText(path: string, result: ReadResult): EditorResult {
  const { content, startLine, endLine, isDirectory, image } = result;
  const notes = notesOf(result).map((note) => `\n${note.replace("start_line", "view_range from line")}`);
  const tail = notes.join("");
  if (isDirectory) return { output: `Here're the files and directories in ${path}:\n${content}${tail}` };
  if (endLine === 0) {
    const shown = image && { image: { data: image.data, mimeType: image.mimeType } };
    return { output: `${content}${tail}`.trimStart(), ...shown };
  }
  const lines = content.split(/\r?\n/).slice(0, endLine - startLine + 1);
  return {
    output: `Here's the result of running \`cat -n\` on ${path}:\n${numberLines(lines, startLine)}${tail}`,
  };
}

/** The text after an edit. */
export function editorText(path: string, snippet: string): EditorResult {
  return {
    output: `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:\n${snippet}\nReview the changes and make sure they are as expected. Edit the file again if necessary.`,
  };
}

/** Lines with their numbers, right-aligned in six columns. */
export function numberLines(lines: readonly string[], first = 1): string {
  return lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join("\n");
}

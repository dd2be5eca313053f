import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { fileChangeMethods } from "./change-files.js";
import { checkPath } from "./layers.js";
import { planFileWrite } from "./plan-file-write.js";

/** Creates, overwrites or appends to a file. */
export const writeFile = defineTool({
  name: "write_file",
  description:
    "Create a file, overwrite a file that was read before, or append to one. Missing directories are created. Prefer edit_file to change a part of a file.",
  category: "file",
  aliases: ["file_write"],
  annotations: { title: "Write a file", dangerous: true },
  examples: [
    { arguments: { path: "notes.md", content: "# Notes\n" } },
    { description: "Add a line", arguments: { path: "todo.txt", content: "call Ada\n", mode: "append" } },
  ],
  input: z.object({
    path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
    content: z.string().describe("The text, or bytes in Base64 if encoding is base64."),
    mode: z
      .enum(["overwrite", "append"])
      .default("overwrite")
      .describe("Replace the content, or append to it."),
    encoding: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe(
        "utf8, utf16le, latin1, base64 or another encoding name. Default: the encoding of the existing file, else utf8.",
      ),
    final_newline: z
      .boolean()
      .default(true)
      .describe("Make sure that the text ends with a newline. Does not apply to append and base64."),
  }),
  output: z.object({
    path: z.string(),
    mode: z.enum(["overwrite", "append"]),
    bytesWritten: z.number(),
    lineCount: z.number().describe("Number of lines written."),
    created: z.boolean(),
    overwritten: z.boolean(),
    diff: z.string().optional(),
  }),
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  ...fileChangeMethods({ check: ({ path }, ctx) => checkPath(ctx, path), plan: planFileWrite }),
  render: ({ path, mode, bytesWritten, lineCount, created }) => {
    const verb = created ? "Created" : mode === "append" ? "Appended to" : "Overwrote";
    return `${verb} ${path}: ${bytesWritten} bytes, ${lineCount} ${lineCount === 1 ? "line" : "lines"}.`;
  },
});

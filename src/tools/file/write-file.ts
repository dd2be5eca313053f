import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { changeFiles } from "./change-files.js";
import { checkPath } from "./layers.js";
import { planFileWrite } from "./plan-file-write.js";

/** Writes a file: a new one, over an old one, or at its end. */
export const writeFile = defineTool({
  name: "write_file",
  description:
    "Create a file, overwrite one that was read before, or append to one; missing directories are made. To change a part of a file, edit_file is better.",
  category: "file",
  aliases: ["file_write"],
  annotations: { title: "Write a file", dangerous: true },
  examples: [
    { arguments: { path: "notes.md", content: "# Notes\n" } },
    { description: "Add a line", arguments: { path: "todo.txt", content: "call Ada\n", mode: "append" } },
  ],
  input: z.object({
    path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
    content: z.string().describe("The text, or bytes in Base64 where encoding says so."),
    mode: z
      .enum(["overwrite", "append"])
      .default("overwrite")
      .describe("Replace the content or add to its end."),
    encoding: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe("utf8, utf16le, latin1, base64 or another name; by default what the file has, else utf8."),
    final_newline: z
      .boolean()
      .default(true)
      .describe("End the text with a newline; not for append and base64."),
  }),
  output: z.object({
    path: z.string(),
    mode: z.enum(["overwrite", "append"]),
    bytesWritten: z.number(),
    lineCount: z.number().describe("Lines of what was written."),
    created: z.boolean(),
    overwritten: z.boolean(),
    diff: z.string().optional(),
  }),
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  checkPermissions: ({ path }, ctx) => {
    checkPath(ctx, path);
    return { behavior: "allow" };
  },
  preview: async (input, ctx) => {
    checkPath(ctx, input.path);
    return (await planFileWrite(input, ctx)).preview;
  },
  execute: (input, ctx) => {
    checkPath(ctx, input.path);
    return changeFiles(ctx, () => planFileWrite(input, ctx));
  },
  render: ({ path, mode, bytesWritten, lineCount, created }) => {
    const verb = created ? "Created" : mode === "append" ? "Appended to" : "Overwrote";
    return `${verb} ${path}: ${bytesWritten} bytes, ${lineCount} ${lineCount === 1 ? "line" : "lines"}.`;
  },
});

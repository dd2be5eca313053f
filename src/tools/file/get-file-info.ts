import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { Tool } from "../../contract/tool.js";
import { detectLanguage, languageOfName } from "../../text/detect-language.js";
import { looksBinary } from "../../text/is-binary.js";
import { humanSize } from "./list-directory.js";
import { plural } from "../../text/plural.js";

const output = z.object({
  path: z.string(),
  exists: z.boolean(),
  type: z.enum(["file", "directory", "symlink", "other"]).optional(),
  size: z.number().optional().describe("Bytes."),
  modified: z.number().optional().describe("Unix time in milliseconds."),
  created: z.number().optional().describe("Unix time in milliseconds."),
  mode: z.string().optional().describe("Permissions in octal, such as 0644."),
  language: z.string().optional(),
});

/** Describes the file or directory at a path. */
export const getFileInfo: Tool = defineTool({
  name: "get_file_info",
  description:
    "Check whether a path exists, and get its type, size, times and permissions, without reading it.",
  category: "file",
  annotations: { title: "File information", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { path: "package.json" } }],
  input: z.object({ path: z.string().min(1).describe("The path, relative to the workspace or absolute.") }),
  output,
  resources: ({ path }) => ({ reads: [{ path }] }),
  execute: async ({ path }, { files }): Promise<z.infer<typeof output>> => {
    const stat = await files.stat(path);
    if (stat === null) return { path, exists: false };
    const { type, size, modified, created } = stat;
    const mode = stat.mode.toString(8).padStart(4, "0");
    const language =
      type === "file" ? await languageOf(path, (length) => files.read(path, { length })) : undefined;
    return { path, exists: true, type, size, modified, created, mode, ...(language && { language }) };
  },
  render: ({ path, exists, type, size = 0, modified = 0, created = 0, mode, language }) => {
    if (!exists) return `${path} does not exist.`;
    const kind = language === undefined ? type : `${type}, ${language}`;
    const times = `modified ${formatTime(modified)}, created ${formatTime(created)}`;
    return `${path}: ${kind}, ${humanSize(size)} (${plural(size, "byte")}), mode ${mode}, ${times}`;
  },
});

/** Detected by name; the first bytes are read only if the name does not tell. */
async function languageOf(
  path: string,
  read: (length: number) => Promise<Uint8Array>,
): Promise<string | undefined> {
  const named = languageOfName(path);
  if (named !== undefined) return named;
  try {
    const head = await read(1024);
    return looksBinary(head) ? undefined : detectLanguage(path, Buffer.from(head).toString("latin1"));
  } catch {
    return undefined;
  }
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

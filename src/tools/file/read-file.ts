import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { Tool } from "../../contract/tool.js";
import type { LineReader } from "./lines/line-reader.js";
import { readContent } from "./read-content.js";
import { readInput, readOutput, renderRead } from "./read-result.js";

/** Reads a file or a range of its lines. */
export function createReadFile(lines: LineReader): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Read a text file or a range of its lines, with line numbers. Images and PDFs are shown if possible; a directory is listed.",
    category: "file",
    aliases: ["file_read"],
    annotations: { title: "Read a file", readOnly: true, idempotent: true, cacheable: true },
    examples: [
      { arguments: { path: "src/index.ts" } },
      {
        description: "Some lines of a large file",
        arguments: { path: "app.log", start_line: 5000, end_line: 5100 },
      },
    ],
    input: z.object(readInput),
    output: readOutput,
    resources: ({ path }) => ({ reads: [{ path }] }),
    execute: (input, ctx) => readContent(input, ctx, lines),
    render: renderRead,
  });
}

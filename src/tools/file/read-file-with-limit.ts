import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { ContentPart } from "../../contract/call.js";
import type { LineReader } from "./lines/line-reader.js";
import { readContent } from "./read-content.js";
import { positive } from "./read-limits.js";
import { readInput, readOutput, renderRead } from "./read-result.js";

const output = readOutput.extend({
  callsLeft: z.number().describe("How often this task may still read this way."),
});

const defaultMaxCalls = 10;

/** Reads like read_file, but only so often in a task. */
export function createReadFileWithLimit(lines: LineReader): Tool {
  const counts = createCounts();
  return defineTool({
    name: "read_file_with_limit",
    description:
      "Read a file as read_file does, but only a limited number of times in a task; the answer says how many are left.",
    category: "file",
    annotations: { title: "Read a file, counted", readOnly: true },
    examples: [{ arguments: { path: "docs/design.md" } }],
    input: z.object(readInput),
    output,
    resources: ({ path }) => ({ reads: [{ path }] }),
    execute: async (input, ctx) => {
      const maxCalls = positive(ctx.settings["maxCalls"]) ?? defaultMaxCalls;
      const taken = counts.take(ctx, maxCalls);
      try {
        const result = await readContent(input, ctx, lines);
        return { ...result, callsLeft: Math.max(0, maxCalls - taken.inUse()) };
      } catch (error) {
        taken.giveBack();
        throw error;
      }
    },
    render: (result) => withCallsLeft(renderRead(result), result.callsLeft),
  });
}

function withCallsLeft(
  rendered: string | readonly ContentPart[],
  left: number,
): string | readonly ContentPart[] {
  const said = `[${left === 0 ? "No more calls" : `${left} more ${left === 1 ? "call" : "calls"}`} of read_file_with_limit in this task.]`;
  return typeof rendered === "string" ? `${rendered}\n${said}` : [...rendered, { type: "text", text: said }];
}

interface Counts {
  take(ctx: ToolContext, most: number): { inUse(): number; giveBack(): void };
}

/** Tasks whose counts are kept; the oldest is forgotten first. */
const mostTasks = 10_000;

function createCounts(): Counts {
  const used = new Map<string, number>();
  return {
    take(ctx, most) {
      const key = ctx.taskId === undefined ? `session ${ctx.sessionId}` : `task ${ctx.taskId}`;
      const number = (used.get(key) ?? 0) + 1;
      if (number > most) throw spent(most);
      used.delete(key);
      used.set(key, number);
      if (used.size > mostTasks) used.delete(used.keys().next().value!);
      return {
        inUse: () => used.get(key) ?? number,
        giveBack: () => void used.set(key, Math.max(0, (used.get(key) ?? 1) - 1)),
      };
    },
  };
}

function spent(most: number): ToolUnavailableError {
  return new ToolUnavailableError(
    `This task has read ${most} files with read_file_with_limit; that is all.`,
    {
      code: "QUOTA_SPENT",
      retryable: false,
      hint: "Work with what was read; maxCalls in the tool's custom settings sets the limit.",
    },
  );
}

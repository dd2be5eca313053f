import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { ContentPart } from "../../contract/call.js";
import type { LineReader } from "./lines/line-reader.js";
import { readContent } from "./read-content.js";
import { positiveInteger } from "./read-limits.js";
import { readInput, readOutput, renderRead } from "./read-result.js";

const output = readOutput.extend({
  callsLeft: z.number().describe("How many more times this task may call the tool."),
});

const defaultMaxCalls = 10;

/** Reads like read_file, but only a limited number of times per task. */
export function createReadFileWithLimit(lines: LineReader): Tool {
  const counts = createCallCounts();
  return defineTool({
    name: "read_file_with_limit",
    description:
      "Read a file like read_file, but only a limited number of times per task. The result says how many calls are left.",
    category: "file",
    annotations: { title: "Read a file (limited)", readOnly: true },
    examples: [{ arguments: { path: "docs/design.md" } }],
    input: z.object(readInput),
    output,
    resources: ({ path }) => ({ reads: [{ path }] }),
    execute: async (input, ctx) => {
      const maxCalls = positiveInteger(ctx.settings["maxCalls"]) ?? defaultMaxCalls;
      const slot = counts.take(ctx, maxCalls);
      try {
        const result = await readContent(input, ctx, lines);
        return { ...result, callsLeft: Math.max(0, maxCalls - slot.inUse()) };
      } catch (error) {
        slot.giveBack();
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
  const note = `[${left === 0 ? "No more calls" : `${left} more ${left === 1 ? "call" : "calls"}`} of read_file_with_limit in this task.]`;
  return typeof rendered === "string" ? `${rendered}\n${note}` : [...rendered, { type: "text", text: note }];
}

interface CallCounts {
  take(ctx: ToolContext, maxCalls: number): { inUse(): number; giveBack(): void };
}

/** Tasks whose counts are kept; the oldest is dropped first. */
const maxTasks = 10_000;

function createCallCounts(): CallCounts {
  const used = new Map<string, number>();
  return {
    take(ctx, maxCalls) {
      const key = ctx.taskId === undefined ? `session ${ctx.sessionId}` : `task ${ctx.taskId}`;
      const number = (used.get(key) ?? 0) + 1;
      if (number > maxCalls) throw quotaSpent(maxCalls);
      used.delete(key);
      used.set(key, number);
      if (used.size > maxTasks) used.delete(used.keys().next().value!);
      return {
        inUse: () => used.get(key) ?? number,
        giveBack: () => void used.set(key, Math.max(0, (used.get(key) ?? 1) - 1)),
      };
    },
  };
}

function quotaSpent(maxCalls: number): ToolUnavailableError {
  return new ToolUnavailableError(`This task has used all ${maxCalls} calls of read_file_with_limit.`, {
    code: "QUOTA_SPENT",
    retryable: false,
    hint: "Continue with what was read. The limit is maxCalls in the custom settings of the tool.",
  });
}

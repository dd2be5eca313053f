import { z } from "zod";

const count = (text: string) => z.int().min(1).max(1_000_000_000).optional().describe(text);

/** How much the state keeps, as it is configured. */
export const stateSchema = () =>
  z.strictObject({
    maxMemories: count("Memories; more are refused. @default 100000"),
    maxPlanRecords: count("Requirements, features and tasks, each; more are refused. @default 20000"),
    maxSnippets: count("Snippets; more are refused. @default 10000"),
    maxSnippetVersions: count("Former versions of one snippet; the oldest are dropped. @default 100"),
    maxArtifactVersions: count("Versions of one document; the oldest are dropped. @default 100"),
    maxIterations: count("Iterations; more are refused. @default 10000"),
    maxHistory: count("Changes in the history of one plan record; the oldest are dropped. @default 1000"),
    maxSessions: count("Named sessions; those not changed for the longest time are dropped. @default 1000"),
    maxApprovals: count("Answered requests for consent; the oldest are dropped. @default 10000"),
    maxValues: count("Values that one tool keeps; more are refused. @default 100000"),
    maxValueBytes: count(
      "Bytes of the values that one tool keeps; more are refused. @default 268435456 (256 MiB)",
    ),
  });

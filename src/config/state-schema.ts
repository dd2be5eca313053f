import * as z from "zod";
import { once } from "../schema/once.js";
import { defaultStateLimits, type StateLimits } from "../store/state-limits.js";
import { section, setting } from "./setting.js";

/** How much state is kept. */
export const stateSection = once(() => {
  const limit = (name: keyof StateLimits, text: string) =>
    setting(z.int().min(1).max(1_000_000_000), text, { default: defaultStateLimits[name] });
  return section("How much state is kept.", {
    maxMemories: limit("maxMemories", "Memories; more are refused."),
    maxPlanRecords: limit("maxPlanRecords", "Requirements, features and tasks, each; more are refused."),
    maxSnippets: limit("maxSnippets", "Snippets; more are refused."),
    maxSnippetVersions: limit(
      "maxSnippetVersions",
      "Previous versions of one snippet; the oldest are dropped.",
    ),
    maxArtifactVersions: limit("maxArtifactVersions", "Versions of one document; the oldest are dropped."),
    maxIterations: limit("maxIterations", "Iterations; more are refused."),
    maxHistory: limit("maxHistory", "Changes in the history of one plan record; the oldest are dropped."),
    maxSessions: limit("maxSessions", "Named sessions; the least recently changed are dropped."),
    maxApprovals: limit("maxApprovals", "Answered approval requests; the oldest are dropped."),
    maxValues: limit("maxValues", "Values that one tool stores; more are refused."),
    maxValueBytes: limit("maxValueBytes", "Bytes of the values that one tool stores; more are refused."),
  });
});

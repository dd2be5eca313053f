import type { ToolMakers } from "../../contract/tool-makers.js";
import { promoteToDecision } from "./promote-to-decision.js";
import { promoteToPattern } from "./promote-to-pattern.js";
import { queryMemory } from "./query-memory.js";
import { resolveIssue } from "./resolve-issue.js";
import { saveInsight } from "./save-insight.js";
import { saveIssue } from "./save-issue.js";
import { saveLearning } from "./save-learning.js";

export const memoryTools: ToolMakers = {
  query_memory: () => queryMemory,
  save_insight: () => saveInsight,
  save_issue: () => saveIssue,
  save_learning: () => saveLearning,
  resolve_issue: () => resolveIssue,
  promote_to_decision: () => promoteToDecision,
  promote_to_pattern: () => promoteToPattern,
};

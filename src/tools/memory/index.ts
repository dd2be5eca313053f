import type { Tool } from "../../contract/tool.js";
import { promoteToDecision } from "./promote-to-decision.js";
import { promoteToPattern } from "./promote-to-pattern.js";
import { queryMemory } from "./query-memory.js";
import { resolveIssue } from "./resolve-issue.js";
import { saveInsight } from "./save-insight.js";
import { saveIssue } from "./save-issue.js";
import { saveLearning } from "./save-learning.js";

export const memoryTools: readonly Tool[] = [
  queryMemory,
  saveInsight,
  saveIssue,
  saveLearning,
  resolveIssue,
  promoteToDecision,
  promoteToPattern,
];

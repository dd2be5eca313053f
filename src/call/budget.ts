import type { CallState } from "./call-state.js";
import type { TextBudget } from "./fit-text.js";

/** The least number of characters of code or prose in a token; denser text is cut by its tokens. */
const charsPerToken = 3.2;

/** How much text the model gets of this call: its tool's own budget, or its share of the batch. */
export function budgetOf({ parts, resolved, origin }: CallState): TextBudget {
  const { maxTextChars, output } = parts;
  const own = resolved?.settings.maxTokens ?? output.maxTokens;
  const { batch } = origin;
  return { chars: maxTextChars, tokens: batch === undefined ? own : Math.min(own, batch.share) };
}

/** How long a text the tool should aim at, so that nothing of it is cut afterwards. */
export function charsFor({ chars, tokens }: TextBudget): number {
  return Math.min(chars, Math.floor(tokens * charsPerToken));
}

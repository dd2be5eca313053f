import { estimateTokens, fitsTokens, maxTokensPerChar } from "../text/estimate-tokens.js";

/** How much text a model is given. */
export interface TextBudget {
  readonly chars: number;
  readonly tokens: number;
}

export function fitsBudget(text: string, { chars, tokens }: TextBudget): boolean {
  return text.length <= chars && fitsTokens(text, tokens);
}

/**
 * The text, or its head and tail with a note between them: never more than the budget. Both are cut at
 * line ends where these are near. `noteFor` is asked once, with the number of characters left out at least.
 */
export function fitText(text: string, budget: TextBudget, noteFor: (leftOut: number) => string): string {
  if (fitsBudget(text, budget)) return text;
  const note = noteFor(text.length - Math.max(0, Math.floor(Math.min(budget.chars, text.length))));
  let half = Math.floor((budget.chars - note.length) / 2);
  while (half > 0) {
    const shown = `${headOf(text, half)}${note}${tailOf(text, half)}`;
    const tokens = shown.length * maxTokensPerChar <= budget.tokens ? 0 : estimateTokens(shown);
    if (tokens <= budget.tokens) return shown;
    half = Math.floor(half * Math.min(0.9, budget.tokens / tokens));
  }
  // No room for a note: cut to what is certainly within the budget.
  const maxChars = Math.floor(Math.min(budget.chars, budget.tokens / maxTokensPerChar));
  return text.slice(0, Math.max(0, maxChars)).toWellFormed();
}

function headOf(text: string, length: number): string {
  const head = text.slice(0, length);
  const end = head.lastIndexOf("\n");
  return (end >= length * 0.75 ? head.slice(0, end) : head).toWellFormed();
}

function tailOf(text: string, length: number): string {
  const tail = text.slice(text.length - length);
  const end = tail.indexOf("\n");
  return (end !== -1 && end <= length * 0.25 ? tail.slice(end + 1) : tail).toWellFormed();
}

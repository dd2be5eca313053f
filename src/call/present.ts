import type { ContentPart } from "../contract/call.js";
import { estimateTokens } from "../text/estimate-tokens.js";
import { budgetOf } from "./budget.js";
import type { Call } from "./call.js";
import { fits, fitText, type TextBudget } from "./fit-text.js";
import { keepWhole } from "./keep-whole.js";
import { framed } from "./mark-untrusted.js";
import { withoutBulk } from "./without-bulk.js";

/** Texts that may each be cut for themselves; more of them are cut as one. */
const mostTexts = 16;

/**
 * The parts as the model gets them: all texts together within the budget. What does not fit is kept whole in
 * the output store and shown as head, tail and the handle for `read_result`.
 */
export function present(
  call: Call,
  given: readonly ContentPart[],
  { untrusted }: { readonly untrusted: boolean },
): readonly ContentPart[] {
  const budget = budgetOf(call);
  const { batch } = call.origin;
  const frame = untrusted ? framed(call) : undefined;
  const parts = withoutBulk(given, (text) => keepWhole(call, text));
  const whole = parts.map((part) => mapText(part, (text) => frame?.around(text) ?? text));
  const fit = fits(textsOf(whole).join(""), budget);
  const shown = fit ? whole : cut(call, parts, { budget, frame });
  batch?.spend(Math.min(budget.tokens, estimateTokens(textsOf(shown).join(""))));
  return shown;
}

interface Cutting {
  readonly budget: TextBudget;
  readonly frame: ReturnType<typeof framed> | undefined;
}

/** Each text gets an equal part of what is left. */
function cut(call: Call, parts: readonly ContentPart[], { budget, frame }: Cutting): ContentPart[] {
  const fewer = textsOf(parts).length > mostTexts ? merged(parts) : parts;
  let { chars, tokens } = budget;
  let waiting = textsOf(fewer).length;
  return fewer.map((part) =>
    mapText(part, (text) => {
      // A word that two texts share a part of may count twice.
      const share = { chars: Math.floor(chars / waiting), tokens: Math.floor(tokens / waiting) - 2 };
      const shown =
        frame === undefined ? shorten(call, text, share) : shortenFramed(call, text, { share, frame });
      chars -= shown.length;
      tokens -= estimateTokens(shown) + 1;
      waiting -= 1;
      return shown;
    }),
  );
}

function shortenFramed(
  call: Call,
  text: string,
  { share, frame }: { readonly share: TextBudget; readonly frame: ReturnType<typeof framed> },
): string {
  const inner = { chars: share.chars - frame.chars, tokens: share.tokens - frame.tokens };
  // Without its frame nothing from outside is shown.
  if (inner.chars <= 0 || inner.tokens <= 0) return "";
  const shown = frame.around(shorten(call, text, inner));
  return fits(shown, share) ? shown : "";
}

function shorten(call: Call, text: string, budget: TextBudget): string {
  return fitText(text, budget, (leftOut) => {
    const handle = keepWhole(call, text);
    const way = handle === undefined ? "" : `; all of it: read_result {"handle":"${handle}"}`;
    return `\n[… ${leftOut} or more characters left out${way} …]\n`;
  });
}

/** All texts as one, where the first of them stood. */
function merged(parts: readonly ContentPart[]): ContentPart[] {
  const text = textsOf(parts).join("\n");
  const rest = parts.flatMap((part): ContentPart[] => {
    if (part.type === "text") return [];
    if (part.type !== "resource") return [part];
    const { text: _, ...link } = part;
    return [link];
  });
  return [{ type: "text", text }, ...rest];
}

function textsOf(parts: readonly ContentPart[]): string[] {
  return parts.flatMap((part) => ("text" in part && part.text !== undefined ? [part.text] : []));
}

function mapText(part: ContentPart, change: (text: string) => string): ContentPart {
  return "text" in part && part.text !== undefined ? { ...part, text: change(part.text) } : part;
}

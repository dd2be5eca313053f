import type { ContentPart } from "../contract/call.js";
import { estimateTokens } from "../text/estimate-tokens.js";
import { budgetOf } from "./budget.js";
import type { CallState } from "./call-state.js";
import { fitsBudget, fitText, type TextBudget } from "./fit-text.js";
import { keepWhole } from "./keep-whole.js";
import { frameFor, type Frame } from "./mark-untrusted.js";
import { withoutBulk } from "./without-bulk.js";

/** Up to this many texts are cut separately; more are cut as one. */
const maxTexts = 16;

/**
 * The parts as the model gets them: all texts together within the budget. What does not fit is stored whole in
 * the output store and shown as head, tail and the handle for `read_result`.
 * @param untrustedTool Name of the tool that brought the content from outside, if it did.
 */
export function present(
  call: CallState,
  given: readonly ContentPart[],
  untrustedTool: string | undefined,
): readonly ContentPart[] {
  const budget = budgetOf(call);
  const { batch } = call.origin;
  const frame = untrustedTool === undefined ? undefined : frameFor(untrustedTool);
  const parts = withoutBulk(given, (text) => keepWhole(call, text));
  const whole = parts.map((part) => mapText(part, (text) => frame?.around(text) ?? text));
  const fit = fitsBudget(textsOf(whole).join(""), budget);
  const shown = fit ? whole : cut(call, parts, { budget, frame });
  batch?.spend(Math.min(budget.tokens, estimateTokens(textsOf(shown).join(""))));
  return shown;
}

interface Cutting {
  readonly budget: TextBudget;
  readonly frame: Frame | undefined;
}

/** Each text gets an equal part of what is left. */
function cut(call: CallState, parts: readonly ContentPart[], { budget, frame }: Cutting): ContentPart[] {
  const fewer = textsOf(parts).length > maxTexts ? merged(parts) : parts;
  let { chars, tokens } = budget;
  let waiting = textsOf(fewer).length;
  return fewer.map((part) =>
    mapText(part, (text) => {
      // A token that is split between two texts may count twice.
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
  call: CallState,
  text: string,
  { share, frame }: { readonly share: TextBudget; readonly frame: Frame },
): string {
  const inner = { chars: share.chars - frame.chars, tokens: share.tokens - frame.tokens };
  // Content from outside is never shown without its marks.
  if (inner.chars <= 0 || inner.tokens <= 0) return "";
  const shown = frame.around(shorten(call, text, inner));
  return fitsBudget(shown, share) ? shown : "";
}

function shorten(call: CallState, text: string, budget: TextBudget): string {
  return fitText(text, budget, (leftOut) => {
    const handle = keepWhole(call, text);
    const source = handle === undefined ? "" : `; all of it: read_result {"handle":"${handle}"}`;
    return `\n[… ${leftOut} or more characters left out${source} …]\n`;
  });
}

/** All texts as one, in the place of the first. */
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

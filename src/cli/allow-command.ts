import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import { shellQuote } from "../command/shell-quote.js";
import type { CommonFlags } from "./command-line.js";
import { loadFor, startTenon, type OpenTenon } from "./open-tenon.js";
import { ruleCommand } from "./rule-command.js";

/**
 * The command to paste after which a refused call works, tried out on the policy of this process, which is about to
 * end. `undefined` for errors of the guards, and where neither a rule nor a mode opens the call.
 */
export async function commandToAllow(
  open: OpenTenon,
  { error }: ToolEnvelope,
  { request, words }: { readonly request: ToolRequest; readonly words: readonly string[] },
): Promise<string | undefined> {
  if (error?.code !== "ACCESS_DENIED" && error?.code !== "APPROVAL_UNAVAILABLE") return undefined;
  return (await commandForRules(open, request)) ?? (await callInOtherMode(open, request, words));
}

/** Revoke the saved rule that denies the call, save one that allows it, or both. */
async function commandForRules(
  { tenon, session, flags }: OpenTenon,
  { name, arguments: args }: ToolRequest,
): Promise<string | undefined> {
  const explain = () => session.explain({ name, arguments: args }, { considered: true });
  const steps: string[] = [];
  let explained = await explain();
  if (explained.decision === "deny" && tenon.policy.removeRule(explained.rule)) {
    steps.push(`tenon policy revoke ${shellQuote(explained.rule)}`);
    explained = await explain();
  }
  const { allowRule } = explained;
  const allow = allowRule === undefined ? undefined : ruleCommand(allowRule);
  if (explained.decision !== "allow" && allowRule !== undefined && allow !== undefined) {
    tenon.policy.addRule("remembered", allowRule);
    steps.push(allow);
    explained = await explain();
  }
  if (explained.decision !== "allow" || steps.length === 0) return undefined;
  return steps.map((step) => step + placeOptions(flags)).join(" && ");
}

/** The same call in the strictest other mode that runs it, or that asks the person. */
async function callInOtherMode(
  { terminal, flags }: OpenTenon,
  { name, arguments: args }: ToolRequest,
  words: readonly string[],
): Promise<string | undefined> {
  for (const [mode, enough] of [
    ["auto", "allow"],
    ["ask", "ask"],
  ] as const) {
    if (flags.mode === mode) continue;
    const tenon = startTenon(terminal, await loadFor(terminal, { ...flags, mode }));
    try {
      const session = await tenon.openNamedSession(flags.session ?? "cli");
      const { decision } = await session.explain({ name, arguments: args });
      if (decision === enough) return repeatedCall(words, flags, mode);
    } finally {
      await tenon.close();
    }
  }
  return undefined;
}

function repeatedCall(words: readonly string[], flags: CommonFlags, mode: string): string {
  const { session, toolset } = flags;
  const options = toOptions({ session: session === "cli" ? undefined : session, toolset, mode });
  return `${["tenon", "call", ...words].map(shellQuote).join(" ")}${placeOptions(flags)}${options}`;
}

/** A rule is saved for the workspace that the call was made in. */
function placeOptions({ workspace, config }: CommonFlags): string {
  return toOptions({ workspace, config });
}

function toOptions(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => ` --${name} ${shellQuote(value ?? "")}`).join("");
}

import { isRecord } from "../contract/is-record.js";
import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import type { Explained } from "../call/explain.js";
import type { Mode } from "../config/levels.js";
import type { CommonFlags } from "./command-line.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import type { Tenon } from "../runtime/tenon.js";
import { loadFor, startTenon, type OpenTenon } from "./open-tenon.js";
import { pasteQuote } from "./paste-quote.js";
import { ruleCommand } from "./rule-command.js";
import { withSettings } from "./settings-flag.js";

/** The call to make again: its words, and the options that only `tenon call` has. */
export interface RepeatedCall {
  readonly request: ToolRequest;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
}

/**
 * The command to paste after which a refused call works, found by trying: each refusal names what refused, the next
 * try is made without it. `undefined` for errors of the guards, and where nothing opens the call.
 */
export async function commandToAllow(
  open: OpenTenon,
  { error }: ToolEnvelope,
  call: RepeatedCall,
): Promise<string | undefined> {
  const { name, arguments: args } = call.request;
  let tried = firstTry(open, error?.code ?? "", name);
  if (tried === undefined) return undefined;
  let tenon = tried.flags === open.flags ? open.tenon : await startFor(open, tried);
  try {
    for (;;) {
      const session = await tenon.openNamedSession(open.flags.session ?? "cli");
      const explained = await session.explain({ name, arguments: args }, { considered: true });
      if (explained.decision === "allow") return commandOf(open, tried, call);
      const next = nextTry(explained, tried, { ...open, tool: name });
      if (next === undefined) return undefined;
      const isSame = next.flags === tried.flags && next.trusting === tried.trusting;
      if (!isSame && tenon !== open.tenon) await tenon.close();
      if (!isSame) tenon = await startFor(open, next);
      for (const change of isSame ? next.rules.slice(-1) : next.rules) changeRule(tenon, change);
      tried = next;
    }
  } finally {
    if (tenon !== open.tenon) await tenon.close();
  }
}

const refusals = new Set(["ACCESS_DENIED", "APPROVAL_UNAVAILABLE", "CAPABILITY_MISSING", "SECURITY_LEVEL"]);

/** The flags of a try, and what is saved before it. */
interface Try {
  readonly flags: CommonFlags;
  readonly trusting: boolean;
  readonly rules: readonly RuleChange[];
  /** What the rule on its command line allows: what the call touches, or the whole tool. */
  readonly own?: "narrow" | "tool";
}

type RuleChange = { readonly revoke: string } | { readonly allow: NonNullable<Explained["allowRule"]> };

/** To an agent, what its toolset leaves out does not exist; the person who named the toolset may know. */
function firstTry({ flags, tenon }: OpenTenon, code: string, tool: string): Try | undefined {
  const { toolset, ...others } = flags;
  const isLeftOut = code === "TOOL_NOT_FOUND" && toolset !== undefined && tenon.registry.has(tool);
  const given: Try = { flags: isLeftOut ? others : flags, trusting: false, rules: [] };
  const isOff = code === "TOOL_DISABLED" && tenon.config.tools.perTool[tool]?.enabled === false;
  if (isOff) return withSetting(given, { setting: `tools.perTool.${tool}.enabled`, value: true });
  return isLeftOut || refusals.has(code) ? given : undefined;
}

async function startFor({ terminal }: OpenTenon, { flags, trusting }: Try): Promise<Tenon> {
  const tenon = startTenon(terminal, await loadFor(terminal, flags, { trusting }), { log: () => {} });
  await tenon.ready();
  return tenon;
}

/** In the policy of a process that is about to end; nothing is saved. */
function changeRule({ policy }: Tenon, change: RuleChange): void {
  if ("revoke" in change) policy.removeRule(change.revoke);
  else policy.addRule("remembered", change.allow);
}

/** Take away what refused the last try; `undefined` if it cannot be, or already was. */
function nextTry(
  { decision, rule, source, allowRule, liftedBy }: Explained,
  tried: Try,
  { loaded, flags, tool }: OpenTenon & { readonly tool: string },
): Try | undefined {
  if (guards.has(rule)) return undefined;
  if (liftedBy !== undefined)
    return withSetting(tried, liftedBy) ?? (loaded.untrusted && trustingConfig(tried));
  if (decision === "deny" && isSaved(source)) return withRule(tried, { revoke: rule });
  // A rule of the person's own configuration is stronger than a saved one.
  if (source === "user" || source === "command-line") return withOwnRule(tried, allowRule, { flags, tool });
  const isAllowed = tried.rules.some((change) => "allow" in change);
  if (!isAllowed && allowRule !== undefined && ruleCommand(allowRule) !== undefined)
    return withRule(tried, { allow: allowRule });
  const unsaved = { ...tried, rules: tried.rules.filter((change) => "revoke" in change) };
  const inAuto = withSetting(unsaved, { setting: "mode", value: "auto" });
  return inAuto ?? withOwnRule(unsaved, undefined, { flags, tool });
}

/** Rules that protect more than the call: nobody is told how to get past them. */
const guards = new Set(["built-in:protected-write", "built-in:denied-command"]);

function isSaved(source: string): boolean {
  return source === "remembered" || source === "session";
}

function withRule(tried: Try, change: RuleChange): Try {
  return { ...tried, rules: [...tried.rules, change] };
}

function withSetting(
  tried: Try,
  { setting, value }: { readonly setting: string; readonly value: unknown },
): Try | undefined {
  const { mode, set = [] } = tried.flags;
  const others = set.filter((word) => !word.startsWith(`${setting}=`));
  if (setting === "mode") {
    const isSet = mode === value && others.length === set.length;
    return isSet ? undefined : { ...tried, flags: { ...tried.flags, mode: value as Mode, set: others } };
  }
  const word = `${setting}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  if (set.includes(word)) return undefined;
  return { ...tried, flags: { ...tried.flags, set: [...others, word] } };
}

/** A rule before those of `--set policy.rules=`, which still hold for everything else. */
function withOwnRule(
  tried: Try,
  rule: PolicyRule | undefined,
  { flags, tool }: { readonly flags: CommonFlags; readonly tool: string },
): Try | undefined {
  if (tried.own === "tool") return undefined;
  const { policy } = withSettings({}, flags.set ?? []);
  const given = isRecord(policy) && Array.isArray(policy["rules"]) ? (policy["rules"] as unknown[]) : [];
  // Not every line of commands has a rule of its own; this one is for a single call in any case.
  const own = tried.own === undefined && rule !== undefined ? "narrow" : "tool";
  const value = [own === "narrow" ? rule : { decision: "allow", tool }, ...given];
  const next = withSetting(tried, { setting: "policy.rules", value });
  return next && { ...next, own };
}

function trustingConfig(tried: Try): Try | undefined {
  return tried.trusting ? undefined : { ...tried, trusting: true };
}

/** Save what the last try needed; with other flags, the call is part of the command. */
function commandOf(
  { flags: given }: OpenTenon,
  { flags, trusting, rules }: Try,
  call: RepeatedCall,
): string | undefined {
  const place = toOptions({ workspace: flags.workspace, config: flags.config });
  const saved = rules.map((change) =>
    "revoke" in change ? `tenon policy revoke ${pasteQuote(change.revoke)}` : ruleCommand(change.allow),
  );
  const steps = [...(trusting ? ["tenon trust"] : []), ...saved].map((step) => `${step}${place}`);
  const hasOtherFlags = (["mode", "set", "toolset"] as const).some((name) => flags[name] !== given[name]);
  if (hasOtherFlags) steps.push(repeatedCall(call, flags, place));
  return steps.length === 0 ? undefined : steps.join(" && ");
}

function repeatedCall({ words, options }: RepeatedCall, flags: CommonFlags, place: string): string {
  const { session, toolset, mode, set } = flags;
  const all =
    place + toOptions({ session: session === "cli" ? undefined : session, toolset, mode, set, ...options });
  const quoted = words.map(pasteQuote).join(" ");
  // A word that looks like an option stands behind "--", and the options before it.
  return words.some((word) => word.startsWith("-"))
    ? `tenon call${all} -- ${quoted}`
    : `tenon call ${quoted}${all}`;
}

function toOptions(values: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => [value ?? []].flat().map((each) => ` --${name} ${pasteQuote(each)}`))
    .join("");
}

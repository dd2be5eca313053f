import type { AccessDecision } from "../contract/call.js";
import { capOnTool, type CapOptions } from "./caps.js";
import { concerns, namesResources, type CompiledRule } from "./compile-rule.js";
import { compileCommandRules, type CommandRules } from "./command-rules.js";
import { once } from "../contract/once.js";
import { createScreen, type RuleScreen } from "./rule-screen.js";
import type { PolicyCall } from "./policy-call.js";
import type { RuleBook } from "./rule-book.js";
import { traitsOf, type Traits } from "./traits.js";

/** All that can be known of calls of one tool by one caller before they say what they touch. */
export interface Subject {
  /** The rules that concern the caller, strongest first, without the built-in ones. */
  readonly rules: readonly CompiledRule[];
  readonly builtIn: readonly CompiledRule[];
  /** Picks those of `rules` that can match; `undefined` where there are none. */
  readonly screen: RuleScreen | undefined;
  /** Those of `rules` that bind the paths of commands and searches; `undefined` where none of them denies or asks. */
  readonly commandRules: () => CommandRules | undefined;
  /** Some of the rules depend on what a call touches, even where it writes nothing. */
  readonly resourceRules: boolean;
  readonly traits: Traits;
  /** A shell tool: a call without analysed commands could be any command. */
  readonly opaque: boolean;
  /** A limit that no rule lifts. */
  readonly cap: AccessDecision | undefined;
  /** The decision on a call that touches nothing, once it was made. */
  bare: AccessDecision | undefined;
}

export interface Subjects {
  of(call: PolicyCall): Subject;
  /** The rules have changed. */
  forget(): void;
}

interface Entry {
  readonly call: PolicyCall;
  readonly subject: Subject;
}

// Names come from models and servers; when there are too many, the cache is cleared instead of growing.
const maxEntries = 4096;

/** Sort the rules by caller once, and keep what was found. */
export function createSubjects(book: RuleBook, options: CapOptions): Subjects {
  const cache = new Map<string, Map<string, Entry>>();
  let size = 0;
  let state = survey(book);
  return {
    of(call) {
      const key = state.personal ? personalKey(call) : call.agent;
      const known = cache.get(call.toolName)?.get(key);
      if (known !== undefined && isSameTool(known.call, call)) return known.subject;
      if (size >= maxEntries) {
        cache.clear();
        size = 0;
      }
      const subject = createSubject(call, state.rules, options);
      const byCaller = cache.get(call.toolName) ?? new Map<string, Entry>();
      if (!byCaller.has(key)) size++;
      byCaller.set(key, { call: identityOf(call), subject });
      cache.set(call.toolName, byCaller);
      return subject;
    },
    forget() {
      cache.clear();
      size = 0;
      state = survey(book);
    },
  };
}

interface Survey {
  readonly rules: readonly CompiledRule[];
  /** Some rule depends on the user, the client or the session, not on the agent alone. */
  readonly personal: boolean;
}

function survey(book: RuleBook): Survey {
  const rules = book.all();
  return {
    rules,
    personal: rules.some(
      ({ sessionId, rule }) =>
        sessionId !== undefined ||
        rule.user !== undefined ||
        rule.client !== undefined ||
        rule.role !== undefined ||
        rule.endpoint !== undefined ||
        rule.session !== undefined,
    ),
  };
}

function createSubject(call: PolicyCall, all: readonly CompiledRule[], options: CapOptions): Subject {
  const own = all.filter((rule) => concerns(rule, call));
  const rules = own.filter(({ source }) => source !== "built-in");
  return {
    rules,
    screen: rules.length === 0 ? undefined : createScreen(rules),
    commandRules: once(() => compileCommandRules(rules)),
    builtIn: own.filter(({ source }) => source === "built-in"),
    resourceRules: own.some((rule) => namesResources(rule) && !guardsWritesOnly(rule)),
    traits: traitsOf(call),
    opaque: call.category === "shell",
    cap: capOnTool(call, options),
    bare: undefined,
  };
}

/** Such a rule leaves calls that write nothing as they are. */
function guardsWritesOnly({ source, rule }: CompiledRule): boolean {
  return source === "built-in" && rule.access === "write";
}

/** Lengths keep apart what hostile names could make look alike. */
function personalKey({ agent, userId, client, role, endpoint, sessionId }: PolicyCall): string {
  const optional = (text: string | undefined): string =>
    text === undefined ? "-" : `${text.length}:${text}`;
  return [agent, userId, client, role, endpoint, sessionId].map(optional).join("");
}

/** What a subject was made from, without what one call touched. */
function identityOf(call: PolicyCall): PolicyCall {
  return { ...call, annotations: { ...call.annotations }, reads: [], writes: [], commands: [] };
}

/** Versions of a tool share its name, but not its nature. */
function isSameTool(one: PolicyCall, other: PolicyCall): boolean {
  return (
    one.category === other.category &&
    one.aliases === other.aliases &&
    one.capabilities === other.capabilities &&
    one.securityLevel === other.securityLevel &&
    one.annotations.readOnly === other.annotations.readOnly &&
    one.annotations.dangerous === other.annotations.dangerous &&
    one.annotations.openWorld === other.annotations.openWorld
  );
}

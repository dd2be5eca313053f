import type { AccessDecision } from "../contract/call.js";
import { capOnTool, type CapOptions } from "./caps.js";
import { concerns, namesResources, type CompiledRule } from "./compile-rule.js";
import type { PolicyCall } from "./policy-call.js";
import type { RuleBook } from "./rule-book.js";
import { traitsOf, type Traits } from "./traits.js";
import type { Facet } from "./facets.js";
import { shapeOf } from "./path-space.js";

/** All that can be known of calls of one tool by one caller before they say what they touch. */
export interface Subject {
  /** The rules that concern the caller, strongest first, without the built-in ones. */
  readonly rules: readonly CompiledRule[];
  readonly builtIn: readonly CompiledRule[];
  /** Picks those of `rules` that can match. */
  readonly screen: RuleScreen;
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
    screen: createScreen(rules),
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

/** Selects the rules that can match a facet by the names in it: `docs/**` needs a name "docs". */
interface RuleScreen {
  select(facet: Facet): readonly CompiledRule[];
}

// Below this many rules, and beyond this many hits, looking at all of them is as fast.
const tooFew = 8;
const tooMany = 16;

/** Sort rules by the names that they need, keeping their order. */
export function createScreen(rules: readonly CompiledRule[]): RuleScreen {
  if (rules.length < tooFew) return { select: () => rules };
  const paths = createIndex(rules, "path");
  const commands = createIndex(rules, "command");
  return {
    select(facet) {
      const keys = keysOf(facet);
      if (keys === undefined) return rules;
      return (facet.kind === "path" ? paths : commands)(keys);
    },
  };
}

type Index = (keys: readonly string[]) => readonly CompiledRule[];

function createIndex(rules: readonly CompiledRule[], kind: "path" | "command"): Index {
  const byKey = new Map<string, number[]>();
  const fixed: number[] = [];
  for (const [at, rule] of rules.entries()) {
    const keys = neededKeys(rule, kind);
    if (keys === undefined) fixed.push(at);
    else for (const key of new Set(keys)) listFor(byKey, key).push(at);
  }
  const always = fixed.map((at) => rules[at]!);
  return (keys) => {
    let hits: number[] | undefined;
    for (const key of keys) {
      const found = byKey.get(key);
      if (found === undefined) continue;
      if (found.length > tooMany) return rules;
      (hits ??= []).push(...found);
    }
    if (hits === undefined) return always;
    return [...new Set([...fixed, ...hits])].sort((one, other) => one - other).map((at) => rules[at]!);
  };
}

function listFor(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** The names of which one must be there; `undefined` where a rule needs to be looked at anyway. */
function neededKeys(rule: CompiledRule, kind: "path" | "command"): readonly string[] | undefined {
  const condition = rule.conditions[kind];
  if (condition !== undefined) return condition.keys;
  return namesResources(rule) ? [] : undefined;
}

/** The names in a facet; `undefined` where rules could see others in it. */
function keysOf(facet: Facet): readonly string[] | undefined {
  if (facet.kind === "command") {
    return facet.command.known ? [facet.command.words[0] ?? "", facet.program] : undefined;
  }
  if (facet.kind !== "path" || facet.tree || facet.view.space.caseInsensitive) return undefined;
  const { relative } = facet.view.shapes.exact;
  const plain =
    relative !== undefined && relative.length > 0 && shapeOf(facet.view, "folded").relative === relative;
  return plain ? relative : undefined;
}

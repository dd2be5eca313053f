import { ToolInternalError, ToolValidationError, type ToolError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { Resource, Resources } from "../contract/resources.js";
import type { Tool } from "../contract/tool.js";
import { argumentHint, toOwnArguments } from "../llm/foreign-arguments.js";
import type { PolicyCall } from "../policy/create-policy.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { ArgumentIssue } from "../schema/compile-schema.js";
import { dropNulls } from "../schema/drop-nulls.js";
import { toLocks, type Lock } from "../scheduler/locks.js";
import type { CallState } from "./call-state.js";
import type { ToolSettings } from "./parts.js";
import { withRealPlaces } from "./real-places.js";
import type { ReceivedCall } from "./receive.js";
import { type ResolvedCall, resolveMeant } from "./resolve.js";
import { analyseLine, shellParts, shellSession, type AnalysedLine } from "./shell-commands.js";
import { takePlain } from "../schema/take-plain.js";

/** A call whose input passed the schema, with what it will touch. */
class ValidatedCall {
  declare protected readonly stage: "validated";
  declare readonly state: CallState;
  declare readonly received: ReceivedCall;
  declare readonly resolved: ResolvedCall;
  declare readonly entry: ToolEntry;
  declare readonly settings: ToolSettings;
  /** The plain data that `input` was made from. */
  declare readonly plainInput: unknown;
  declare readonly input: unknown;
  declare readonly reads: readonly Resource[];
  declare readonly writes: readonly Resource[];
  declare readonly locks: readonly Lock[];
  /** The canonical form of a path that it touches. */
  declare readonly canonicalPath: (path: string) => string;
  /** What is known of the shell line that it would run. */
  declare readonly shell: AnalysedLine | undefined;

  constructor(resolved: ResolvedCall, checked: CheckedInput, claims: Claims) {
    this.state = resolved.state;
    this.received = resolved.received;
    this.resolved = resolved;
    this.entry = resolved.entry;
    this.settings = resolved.settings;
    this.plainInput = checked.plainInput;
    this.input = checked.input;
    this.reads = claims.reads;
    this.writes = claims.writes;
    this.locks = claims.locks;
    this.canonicalPath = claims.canonicalPath;
    this.shell = claims.shell;
    this.state.validated = this;
  }
}

export type { ValidatedCall };

interface CheckedInput {
  readonly plainInput: unknown;
  readonly input: unknown;
}

type Claims = Pick<ValidatedCall, "reads" | "writes" | "locks" | "canonicalPath" | "shell">;

/**
 * Check the arguments by the tool's schema, and ask the tool what it will touch. If they mean a call of another tool,
 * as their own tool says, that call counts from here on.
 */
export function validate(resolved: ResolvedCall): ValidatedCall {
  const plain = resolved.received.arguments;
  if (!plain.ok) throw refuseArguments(resolved, plain.issues, { code: "ARGUMENTS_UNSAFE" });
  const call = validateInput(resolved, plain.value);
  return call.entry.tool.meansCall === undefined ? call : followMeaning(call);
}

/** Check plain data by the schema; also for input that a tool or a person changed. */
export function validateInput(call: ResolvedCall, plainInput: unknown): ValidatedCall {
  const checked = call.entry.input.check(plainInput);
  if (!checked.ok) return validateForeign(call, plainInput, checked.issues);
  return new ValidatedCall(call, { plainInput, input: checked.value }, claimsOf(call, checked.value));
}

/** Arguments that do not fit may have the names that another host's tool has for them, or null for what is left out. */
function validateForeign(
  call: ResolvedCall,
  plainInput: unknown,
  issues: readonly ArgumentIssue[],
): ValidatedCall {
  const { input, tool } = call.entry;
  const known = new Set(Object.keys(Object(input.jsonSchema["properties"]) as object));
  const own = { name: call.entry.name, known };
  const named = tool.category === "mcp" ? undefined : toOwnArguments(plainInput, own);
  let faults = issues;
  for (const meant of [named, dropNulls(named ?? plainInput, input.jsonSchema)]) {
    if (meant === undefined) continue;
    const checked = input.check(meant);
    if (checked.ok)
      return new ValidatedCall(
        call,
        { plainInput: meant, input: checked.value },
        claimsOf(call, checked.value),
      );
    // Names that are understood are no faults: only what is left is told. A null among other faults is one.
    if (meant === named) faults = checked.issues;
  }
  throw refuseArguments(call, faults, { code: "ARGUMENTS_INVALID", hint: argumentHint(plainInput, own) });
}

/** The same call with what its tool says now about what it will touch. */
export function claimAgain(call: ValidatedCall): ValidatedCall {
  return new ValidatedCall(call.resolved, call, claimsOf(call.resolved, call.input));
}

const noClaims: Claims = Object.freeze({
  reads: [],
  writes: [],
  locks: [],
  canonicalPath: (path: string) => path,
  shell: undefined,
});

/** Ask the tool what the call will touch, and what must be locked for it. */
function claimsOf(call: ResolvedCall, input: unknown): Claims {
  const { entry, settings, state } = call;
  const { tool } = entry;
  if (tool.resources === undefined && tool.shellLine === undefined && !settings.exclusive) return noClaims;
  const claims = askTool(call, input);
  const writes = settings.exclusive ? [...claims.writes, { lock: `tool:${entry.name}` }] : claims.writes;
  const sessionId = state.session.id;
  // Environments belong to sessions: two sessions that set the same name do not conflict.
  const own = (resource: Resource): Resource =>
    "env" in resource ? { ...resource, env: `${sessionId}\0${resource.env}` } : resource;
  const { world } = state.parts;
  // Most paths of a call are both read and written, and locked.
  const known = new Map<string, string>();
  const canonicalPath = (path: string): string => {
    const found = known.get(path) ?? world.canonicalPath(path);
    known.set(path, found);
    return found;
  };
  const locks = toLocks(
    { reads: claims.reads.map(own), writes: writes.map(own) },
    { canonicalPath, sessionId },
  );
  const places = { root: world.root?.() ?? canonicalPath("."), canonicalPath };
  return {
    reads: withRealPlaces(claims.reads, places),
    writes: withRealPlaces(writes, places),
    locks,
    canonicalPath,
    shell: claims.shell,
  };
}

/** A tool that does not clearly say what it touches must not count as one that touches nothing. */
function askTool(call: ResolvedCall, input: unknown): Pick<Claims, "reads" | "writes" | "shell"> {
  const { name, tool } = call.entry;
  try {
    const shell = tool.shellLine === undefined ? undefined : analyseLine(call, input);
    const resources: unknown = tool.resources?.(input, shell?.analysis, call.settings.custom) ?? {};
    if (typeof resources !== "object" || resources === null || "then" in resources)
      throw new TypeError("it did not return { reads, writes }");
    const { reads = [], writes = [] } = resources as Resources;
    return { reads: toList(reads), writes: toList(writes), shell };
  } catch (cause) {
    throw new ToolInternalError(`"${name}" could not say what it will touch: ${messageOf(cause)}`, {
      cause,
      hint: "The tool's resources() must return { reads, writes } synchronously, and must not throw for valid input.",
    });
  }
}

function toList(list: unknown): Resource[] {
  if (!Array.isArray(list)) throw new TypeError("reads and writes must be arrays");
  const resources: Resource[] = [];
  for (const resource of list as unknown[]) {
    if (typeof resource !== "object" || resource === null) throw new TypeError("an entry is not an object");
    resources.push({ ...resource } as Resource);
  }
  return resources;
}

/** The call as the policy sees it. */
export function policyCall(call: ValidatedCall): PolicyCall {
  const { entry, settings, state, shell } = call;
  const { agent, userId, clientInfo, role, endpoint, id } = state.session;
  const { world } = state.parts;
  return {
    toolName: entry.name,
    aliases: settings.otherNames,
    category: entry.tool.category,
    annotations: settings.annotations,
    capabilities: settings.capabilities,
    securityLevel: settings.securityLevel,
    agent,
    userId,
    client: clientInfo?.name,
    role,
    endpoint,
    sessionId: id,
    reads: call.reads,
    writes: call.writes,
    namesOf: world.namesOf && ((path, below) => world.namesOf?.(call.canonicalPath(path), below) ?? []),
    ...(shell !== undefined && shellParts(call, shell)),
  };
}

/** The refusal of arguments that do not fit. */
function refuseArguments(
  call: ResolvedCall,
  issues: readonly ArgumentIssue[],
  { code, hint }: { code: "ARGUMENTS_INVALID" | "ARGUMENTS_UNSAFE"; hint?: string | undefined },
) {
  const faults = issues.map((issue) => issue.message).join("; ");
  return new ToolValidationError(`Invalid arguments for "${call.entry.name}": ${faults}`, {
    code,
    toolName: call.entry.name,
    hint: hint ?? "Correct every argument that is named and call again.",
    details: { issues },
  });
}

/** The tool that was called, and how it gives back the result of the tool that it meant. */
export interface AnsweredAs {
  readonly tool: Tool;
  /** The input of the tool that was called. */
  readonly input: unknown;
  readonly answer: (result: unknown) => unknown;
  /** Words the hint of an error of the tool that was meant. */
  readonly hint?: ((error: ToolError) => string | undefined) | undefined;
}

function followMeaning(call: ValidatedCall): ValidatedCall {
  const { tool } = call.entry;
  const meant = tool.meansCall?.(call.input, shellSession(call.resolved));
  if (meant === undefined) return call;
  const resolved = resolveMeant(call.resolved, meant.name);
  const plain = takePlain(meant.arguments, call.state.parts.plainLimits);
  if (!plain.ok) throw refuseArguments(resolved, plain.issues, { code: "ARGUMENTS_UNSAFE" });
  const { answer = (result) => result, hint } = meant;
  call.state.answeredAs = { tool, input: call.input, answer, hint };
  return validateInput(resolved, plain.value);
}

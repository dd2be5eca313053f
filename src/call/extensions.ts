import type { ToolEnvelope, CallMetadata, CallSummary, ContentPart } from "../contract/call.js";
import {
  ToolError,
  ToolPermissionError,
  ToolUnavailableError,
  ToolValidationError,
  type ErrorInfo,
} from "../contract/errors.js";
import type { Extension } from "../contract/extension.js";
import type { Tool } from "../contract/tool.js";
import { messageOf } from "../contract/message-of.js";
import { takePlain } from "../schema/take-plain.js";
import { HookScope, withinHookTime } from "./hook-scope.js";
import type { ReceivedCall } from "./receive.js";
import { validateInput, type ValidatedCall } from "./validate.js";
import { isThenable } from "../contract/is-thenable.js";

/** An extension that was checked when it was added. */
export interface ActiveExtension {
  readonly name: string;
  readonly timeoutMs: number;
  readonly onFailure: "continue" | "refuse";
  /** Whether it applies to this tool. */
  fits(tool: Tool): boolean;
  readonly onToolExecute?: Extension["onToolExecute"];
  readonly onToolComplete?: Extension["onToolComplete"];
}

/** The extensions with each hook, in the order in which they are asked; `undefined` if there are none. */
export interface ExtensionHooks {
  execute: readonly ActiveExtension[] | undefined;
  complete: readonly ActiveExtension[] | undefined;
}

/**
 * Let extensions see a call before it is authorised: what they change is validated and authorised like what the
 * caller sent. Failures of a hook are reported, and the call goes on unless the extension is required.
 */
export async function askExtensions(
  given: ValidatedCall,
  extensions: readonly ActiveExtension[],
): Promise<ValidatedCall> {
  const { state, received } = given;
  state.delayed = true;
  let call = given;
  for (const extension of extensions) {
    const { tool } = call.entry;
    if (!extension.fits(tool)) continue;
    try {
      const scope = new HookScope(received);
      const running = extension.onToolExecute?.(tool, structuredClone(call.plainInput), scope);
      const verdict: unknown = isThenable(running)
        ? await state.race(withinHookTime(running, extension, scope))
        : running;
      call = applyVerdict(call, extension, verdict);
    } catch (thrown) {
      if (state.aborted !== undefined) throw state.aborted;
      // A refusal is the extension's decision; any other error is its own failure.
      if (thrown instanceof ToolError && !(thrown instanceof HookFault)) throw thrown;
      reportFault(received, extension, { hook: "onToolExecute", cause: thrown });
      if (extension.onFailure === "refuse") throw unusable(call, extension, thrown);
    }
  }
  return call;
}

/** Let extensions see an answer; they can add notes to it and change nothing else. */
export async function tellExtensions(
  call: ReceivedCall,
  envelope: ToolEnvelope,
  extensions: readonly ActiveExtension[],
): Promise<void> {
  const tool = call.state.resolved?.entry.tool;
  if (tool === undefined) return;
  for (const extension of extensions) {
    if (!extension.fits(tool)) continue;
    try {
      const scope = new HookScope(call);
      const running = extension.onToolComplete?.(tool, new AnswerCopy(envelope) as ToolEnvelope, scope);
      const said: unknown = isThenable(running) ? await withinHookTime(running, extension, scope) : running;
      addNotes(envelope, extension, said);
    } catch (thrown) {
      reportFault(call, extension, { hook: "onToolComplete", cause: thrown });
    }
  }
}

/** A failure of the hook itself, though it looks like an error for the caller. */
class HookFault extends ToolValidationError {}

function applyVerdict(call: ValidatedCall, extension: ActiveExtension, verdict: unknown): ValidatedCall {
  if (verdict === undefined || verdict === null) return call;
  const { state, resolved } = call;
  const { input, refuse, hint } = Object(verdict) as Record<string, unknown>;
  if (refuse !== undefined) throw refusal(call, extension, { reason: refuse, hint });
  if (input === undefined) throw new HookFault("it returned neither { input } nor { refuse }");
  const plain = takePlain(input, state.parts.plainLimits);
  if (!plain.ok)
    throw new HookFault(`the input that it returned is not plain data: ${plain.issues[0]?.message}`);
  let changed: ValidatedCall;
  try {
    changed = validateInput(resolved, plain.value);
  } catch (cause) {
    throw new HookFault(`the input that it returned is not valid: ${messageOf(cause)}`, { cause });
  }
  const changedBy = (state.notes?.["changedBy"] ?? []) as readonly string[];
  state.note({ changedBy: [...changedBy, extension.name] });
  return changed;
}

function refusal(
  call: ValidatedCall,
  { name }: ActiveExtension,
  { reason, hint }: { readonly reason: unknown; readonly hint: unknown },
): ToolPermissionError {
  return new ToolPermissionError(
    typeof reason === "string" && reason !== "" ? reason : `The extension "${name}" refused the call.`,
    {
      code: "EXTENSION_REFUSED",
      toolName: call.entry.name,
      hint: typeof hint === "string" ? hint : `The extension "${name}" decided this.`,
      details: { extension: name },
    },
  );
}

function unusable(call: ValidatedCall, { name }: ActiveExtension, cause: unknown): ToolUnavailableError {
  return new ToolUnavailableError(
    `The extension "${name}", which is required for "${call.entry.name}", failed: ${messageOf(cause)}`,
    { code: "EXTENSION_FAILED", toolName: call.entry.name, cause, details: { extension: name } },
  );
}

function addNotes(envelope: ToolEnvelope, { name }: ActiveExtension, said: unknown): void {
  if (said === undefined || said === null) return;
  const { notes } = Object(said) as Record<string, unknown>;
  const plain = takePlain(notes);
  if (notes === undefined || !plain.ok) throw new TypeError("it did not return { notes }");
  envelope.metadata["notes"] = { ...(envelope.metadata["notes"] as object | undefined), [name]: plain.value };
}

function reportFault(
  call: ReceivedCall,
  { name }: ActiveExtension,
  { hook, cause }: { readonly hook: string; readonly cause: unknown },
): void {
  call.state.parts.events.emit("LISTENER_FAILED", {
    event: `extension:${name}:${hook}`,
    message: messageOf(cause),
  });
}

/** An answer for extensions: changes to it do not affect the real one. Fields are copied when they are first read. */
class AnswerCopy implements CallSummary {
  readonly callId: string;
  readonly toolName: string;
  readonly success: boolean;
  readonly startedAt: number;
  readonly completedAt: number;
  readonly durationMs: number;
  readonly #answer: ToolEnvelope;
  #result: { readonly value: unknown } | undefined;
  #metadata: CallMetadata | undefined;

  constructor(answer: ToolEnvelope) {
    this.#answer = answer;
    this.callId = answer.callId;
    this.toolName = answer.toolName;
    this.success = answer.success;
    this.startedAt = answer.startedAt;
    this.completedAt = answer.completedAt;
    this.durationMs = answer.durationMs;
  }

  get result(): unknown {
    return (this.#result ??= { value: structuredClone(this.#answer.result) }).value;
  }

  get error(): ErrorInfo | undefined {
    return structuredClone(this.#answer.error);
  }

  get metadata(): CallMetadata {
    return (this.#metadata ??= structuredClone(this.#answer.metadata));
  }

  get content(): readonly ContentPart[] {
    return this.#answer.content.map((part) => ({ ...part }));
  }

  toJSON(): ToolEnvelope {
    return structuredClone(JSON.parse(JSON.stringify(this.#answer)) as ToolEnvelope);
  }
}

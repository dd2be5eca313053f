import type { ToolEnvelope } from "../contract/call.js";
import {
  ToolError,
  ToolPermissionError,
  ToolUnavailableError,
  ToolValidationError,
} from "../contract/errors.js";
import type { Extension } from "../contract/extension.js";
import type { Tool } from "../contract/tool.js";
import { messageOf } from "../contract/message-of.js";
import { takePlain } from "../schema/take-plain.js";
import { AnswerCopy } from "./answer-copy.js";
import type { Call, ValidatedCall } from "./call.js";
import { HookScope, withinTime } from "./hook-scope.js";
import { validateInput } from "./validate.js";

/** An extension that was checked when it was taken in. */
export interface ActiveExtension {
  readonly name: string;
  readonly timeoutMs: number;
  readonly onFailure: "continue" | "refuse";
  /** Whether it is about this tool. */
  fits(tool: Tool): boolean;
  readonly onToolExecute?: Extension["onToolExecute"];
  readonly onToolComplete?: Extension["onToolComplete"];
}

/** Who wants to hear of calls, in the order in which they are asked; `undefined` where nobody does. */
export interface ExtensionHooks {
  execute: readonly ActiveExtension[] | undefined;
  complete: readonly ActiveExtension[] | undefined;
}

/**
 * Let extensions see a call before it is judged: what they change is validated and authorised like
 * what the caller sent. What goes wrong in a hook is reported and costs the call nothing.
 */
export async function askExtensions(
  call: ValidatedCall,
  extensions: readonly ActiveExtension[],
): Promise<ValidatedCall> {
  call.delayed = true;
  for (const extension of extensions) {
    const { tool } = call.entry;
    if (!extension.fits(tool)) continue;
    try {
      const scope = new HookScope(call);
      const running = extension.onToolExecute?.(tool, structuredClone(call.plainInput), scope);
      const verdict: unknown = isThenable(running)
        ? await call.race(withinTime(running, extension, scope))
        : running;
      heed(call, extension, verdict);
    } catch (thrown) {
      if (call.aborted !== undefined) throw call.aborted;
      // A refusal is the extension's word; anything else is its fault.
      if (thrown instanceof ToolError && !(thrown instanceof HookFault)) throw thrown;
      reportFault(call, extension, { hook: "onToolExecute", cause: thrown });
      if (extension.onFailure === "refuse") throw unusable(call, extension, thrown);
    }
  }
  return call;
}

/** Let extensions see an answer; they can add notes to it and change nothing else. */
export async function tellExtensions(
  call: Call,
  envelope: ToolEnvelope,
  extensions: readonly ActiveExtension[],
): Promise<void> {
  const tool = call.entry?.tool;
  if (tool === undefined) return;
  for (const extension of extensions) {
    if (!extension.fits(tool)) continue;
    try {
      const scope = new HookScope(call);
      const running = extension.onToolComplete?.(tool, new AnswerCopy(envelope), scope);
      const said: unknown = isThenable(running) ? await withinTime(running, extension, scope) : running;
      addNotes(envelope, extension, said);
    } catch (thrown) {
      reportFault(call, extension, { hook: "onToolComplete", cause: thrown });
    }
  }
}

/** Wrong in the hook itself, though it looks like an error for the caller. */
class HookFault extends ToolValidationError {}

function heed(call: ValidatedCall, extension: ActiveExtension, verdict: unknown): void {
  if (verdict === undefined || verdict === null) return;
  const { input, refuse, hint } = Object(verdict) as Record<string, unknown>;
  if (refuse !== undefined) throw refusal(call, extension, { reason: refuse, hint });
  if (input === undefined) throw new HookFault("it returned neither { input } nor { refuse }");
  const before = call.plainInput;
  try {
    const plain = takePlain(input, call.parts.plainLimits);
    if (!plain.ok) throw new HookFault(`its input is no plain data: ${plain.issues[0]?.message}`);
    validateInput(call, plain.value);
  } catch (cause) {
    validateInput(call, before);
    throw new HookFault(`the input that it returned does not fit: ${messageOf(cause)}`, { cause });
  }
  const changedBy = (call.notes?.["changedBy"] ?? []) as readonly string[];
  call.note({ changedBy: [...changedBy, extension.name] });
}

function refusal(
  call: ValidatedCall,
  { name }: ActiveExtension,
  { reason, hint }: { readonly reason: unknown; readonly hint: unknown },
): ToolPermissionError {
  return new ToolPermissionError(
    typeof reason === "string" && reason !== "" ? reason : `"${name}" refused it`,
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
    `The extension "${name}", without which "${call.entry.name}" must not run, failed: ${messageOf(cause)}`,
    { code: "EXTENSION_FAILED", toolName: call.entry.name, cause, details: { extension: name } },
  );
}

function addNotes(envelope: ToolEnvelope, { name }: ActiveExtension, said: unknown): void {
  if (said === undefined || said === null) return;
  const { notes } = Object(said) as Record<string, unknown>;
  const plain = takePlain(notes);
  if (notes === undefined || !plain.ok) throw new TypeError("it returned something else than { notes }");
  envelope.metadata["notes"] = { ...(envelope.metadata["notes"] as object | undefined), [name]: plain.value };
}

function reportFault(
  call: Call,
  { name }: ActiveExtension,
  { hook, cause }: { readonly hook: string; readonly cause: unknown },
): void {
  call.parts.events.emit("LISTENER_FAILED", {
    event: `extension:${name}:${hook}`,
    message: messageOf(cause),
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

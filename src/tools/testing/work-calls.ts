import { expect } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import type { ErrorInfo } from "../../contract/errors.js";
import type { ToolCaller } from "../../contract/tenon.js";

/** The result of a call that must succeed, without being asked for consent. */
export async function answer(
  caller: Pick<ToolCaller, "call">,
  name: string,
  args: object = {},
): Promise<Record<string, unknown>> {
  const envelope = await caller.call({ name, arguments: args });
  expect(envelope.error, name).toBeUndefined();
  return envelope.result as Record<string, unknown>;
}

/** The error of a call that must fail. */
export async function failure(
  caller: Pick<ToolCaller, "call">,
  name: string,
  args: object = {},
): Promise<ErrorInfo | undefined> {
  const envelope = await caller.call({ name, arguments: args });
  expect(envelope.success, `${name} should have failed`).toBe(false);
  return envelope.error;
}

/** What the model reads. */
export async function text(
  caller: Pick<ToolCaller, "call">,
  name: string,
  args: object = {},
): Promise<string> {
  return textOf(await caller.call({ name, arguments: args }));
}

function textOf({ content }: ToolEnvelope): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

import type { Lock } from "../scheduler/locks.js";
import { policyCall } from "./authorise.js";
import type { AuthorisedCall } from "./call.js";
import { validateInput } from "./validate.js";

/**
 * The tool was replaced while the call waited: what has not begun runs on the new one, if
 * its input fits. `false` where the new one needs other locks or other consent than the call has.
 */
export function moveToSuccessor(call: AuthorisedCall): boolean {
  const { locks, decision } = call;
  while (call.entry.successor !== undefined) call.entry = call.entry.successor;
  call.settings = call.parts.settings(call.entry);
  call.context = undefined;
  validateInput(call, call.plainInput);
  if (call.entry.tool.prepare !== undefined) return false; // what it touches is not known yet
  if (call.entry.tool.checkPermissions !== undefined || !areEqual(locks, call.locks)) return false;
  const { behavior } = call.parts.policy.decide(policyCall(call));
  return behavior === "allow" || behavior === decision?.behavior;
}

function areEqual(one: readonly Lock[], other: readonly Lock[]): boolean {
  if (one.length !== other.length) return false;
  const keys = new Set(one.map(toKey));
  return other.every((lock) => keys.has(toKey(lock)));
}

function toKey({ space, key, write, partial }: Lock): string {
  return `${space}:${write}:${partial === true}:${key}`;
}

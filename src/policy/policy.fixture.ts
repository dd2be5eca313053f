import type { Resource } from "../contract/resources.js";
import { createPolicy, type Policy, type PolicyCall, type PolicyOptions } from "./create-policy.js";
import type { PolicyRule } from "./policy-rule.js";

/** A policy for tests: `ask` mode in /ws, no rules but those given. */
export function policyWith(
  sources: PolicyOptions["sources"] = {},
  options: Partial<PolicyOptions> = {},
): Policy {
  return createPolicy({ mode: "ask", workspace: "/ws", ...options, sources });
}

/** A call for tests: a dangerous file tool that writes the given paths. */
export function writeCall(paths: string | readonly string[], extra: Partial<PolicyCall> = {}): PolicyCall {
  const list = typeof paths === "string" ? [paths] : paths;
  return callOf({ writes: list.map((path) => ({ path })), ...extra });
}

/** A call for tests, by a dangerous file tool that touches nothing unless told. */
export function callOf(extra: Partial<PolicyCall> = {}): PolicyCall {
  return {
    toolName: "write_file",
    category: "file",
    annotations: { dangerous: true },
    agent: "main",
    sessionId: "s1",
    reads: [],
    writes: [],
    ...extra,
  };
}

/** A call for tests, by a tool that only reads. */
export function readCall(reads: readonly Resource[] = [], extra: Partial<PolicyCall> = {}): PolicyCall {
  return callOf({ toolName: "read_file", annotations: { readOnly: true }, reads, ...extra });
}

/** A shell call for tests; `lines` are simple commands of plain words. */
export function shellCall(
  lines: readonly (
    | string
    | {
        readonly line: string;
        readonly known?: boolean;
        readonly readOnly?: boolean;
        readonly sandboxed?: boolean;
        readonly denied?: string;
        readonly why?: string;
      }
  )[],
  extra: Partial<PolicyCall> = {},
): PolicyCall {
  const commands = lines.map((item) => {
    const { line, ...rest } = typeof item === "string" ? { line: item } : item;
    return { words: line.split(" "), known: true, readOnly: false, ...rest };
  });
  return callOf({
    toolName: "shell_exec",
    aliases: ["bash"],
    category: "shell",
    writes: [{ tree: "." }],
    commands,
    ...extra,
  });
}

type Conditions = Omit<PolicyRule, "decision">;

/** A rule for tests that allows what the conditions match. */
export const allow = (conditions: Conditions = {}): PolicyRule => ({ decision: "allow", ...conditions });

/** A rule for tests that asks. */
export const ask = (conditions: Conditions = {}): PolicyRule => ({ decision: "ask", ...conditions });

/** A rule for tests that denies. */
export const deny = (conditions: Conditions = {}): PolicyRule => ({ decision: "deny", ...conditions });

import type { RuleGroup } from "../../config/load-config.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import type { ClientInfo } from "../../contract/ports/interact.js";
import { compileNames } from "../../glob/name-glob.js";

/** Names an agent after its MCP client. */
export type NameClient = (info: ClientInfo) => string;

/** Names that Tenon uses itself; a client must not get them. */
const ownNames = ["person", "default", "cli", "console", "agent", "tenon", "host", "api"];
const maxChars = 64;

/**
 * Name agents after MCP clients. The name that a client reports is untrusted: the result is valid, short, and
 * never that of an agent which the configuration names or grants something to.
 */
export function createNameClient(config: ResolvedConfig, rules: readonly RuleGroup[]): NameClient {
  const granted = Array.isArray(config.capabilities) ? [] : Object.keys(config.capabilities);
  const taken = new Set([...ownNames, config.agent, ...granted].map(fold));
  const conditions = rules
    .flatMap((group) => group.rules)
    .flatMap(({ decision, agent }) => (decision === "allow" && agent !== undefined ? [listOf(agent)] : []))
    .map((patterns) => compileNames(patterns.map(fold), String))
    .filter((condition) => !condition(unmatchedName)); // a rule for every agent names none
  const isTaken = (name: string): boolean =>
    taken.has(fold(name)) || conditions.some((condition) => condition(fold(name)));
  return ({ name }) => {
    const plain = toName(name);
    for (let count = 1; count < 10; count++) {
      const candidate =
        count === 1 ? plain : `${plain.slice(0, maxChars - 9)}-client${count === 2 ? "" : count}`;
      if (!isTaken(candidate)) return candidate;
    }
    return unmatchedName;
  };
}

/** The agent's name follows the client's, as soon as the client has reported it. */
export function nameAfter(client: ClientConnection, nameClient: NameClient): () => string {
  let known: { readonly info: ClientInfo; readonly name: string } | undefined;
  return () => {
    const { info = unnamed } = client;
    if (known?.info !== info) known = { info, name: nameClient(info) };
    return known.name;
  };
}

/** A client that reports no name. */
const unnamed: ClientInfo = { name: "client" };

/** A name that only a rule for all agents matches. */
const unmatchedName = "unnamed-client-0f6b2c";

function toName(said: string): string {
  const legal = said
    .normalize("NFKC")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, maxChars)
    .replace(/^[-._]+|[-._]+$/g, "");
  return legal === "" ? "client" : legal;
}

function fold(name: string): string {
  return name.toLowerCase();
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

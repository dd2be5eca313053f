import type { RuleGroup } from "../../config/load-config.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { ClientDoor } from "../../contract/ports/client.js";
import type { ClientInfo } from "../../contract/ports/interact.js";
import { compileNames } from "../../glob/name-glob.js";

/** Gives agents the name of the program they work for. */
export type NameClient = (info: ClientInfo) => string;

/** Names that Tenon itself gives: a program that calls itself so is somebody else. */
const ownNames = ["person", "default", "cli", "console", "agent", "tenon", "host", "api"];
const maxChars = 64;

/**
 * Name agents after MCP clients. What a client says of itself is hostile input: the name is legal and short, and
 * never that of an agent which the configuration knows or grants something to.
 */
export function createNameClient(config: ResolvedConfig, rules: readonly RuleGroup[]): NameClient {
  const granted = Array.isArray(config.capabilities) ? [] : Object.keys(config.capabilities);
  const taken = new Set([...ownNames, config.agent, ...granted].map(fold));
  const conditions = rules
    .flatMap((group) => group.rules)
    .flatMap(({ decision, agent }) => (decision === "allow" && agent !== undefined ? [listOf(agent)] : []))
    .map((patterns) => compileNames(patterns.map(fold), String))
    .filter((condition) => !condition(unheardOf)); // a rule for every agent names none
  const isTaken = (name: string): boolean =>
    taken.has(fold(name)) || conditions.some((condition) => condition(fold(name)));
  return ({ name }) => {
    const plain = toName(name);
    for (let count = 1; count < 10; count++) {
      const candidate =
        count === 1 ? plain : `${plain.slice(0, maxChars - 9)}-client${count === 2 ? "" : count}`;
      if (!isTaken(candidate)) return candidate;
    }
    return unheardOf;
  };
}

/** The agent of a host is called as the host calls itself, as soon as it has. */
export function nameAfter(client: ClientDoor, nameClient: NameClient): () => string {
  let known: { readonly info: ClientInfo; readonly name: string } | undefined;
  return () => {
    const { info = unnamed } = client;
    if (known?.info !== info) known = { info, name: nameClient(info) };
    return known.name;
  };
}

/** A host that does not say who it is. */
const unnamed: ClientInfo = { name: "client" };

/** A name that no rule names unless it names all. */
const unheardOf = "unnamed-client-0f6b2c";

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

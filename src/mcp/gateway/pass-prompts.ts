import type { HostChange, HostPrompt, HostScope, PromptProvider } from "../../contract/host.js";
import { isRecord } from "../../contract/is-record.js";
import { cleanText } from "./clean-text.js";
import { ownFields } from "../client/own-fields.js";
import { definitionFields } from "./definition-fields.js";
import type { GatewayServer } from "./gateway-server.js";
import { isOffered } from "./offered-servers.js";
import { Listings } from "./listings.js";
import { completeBy } from "./pass-completion.js";

/** Prompts of all servers, named `server__prompt`. */
export function createPromptProvider(
  servers: () => readonly GatewayServer[],
  listeners: Set<(change: HostChange) => void>,
): PromptProvider {
  const listings = new Listings();
  const ownerOf = (name: string, scope: HostScope): GatewayServer | undefined =>
    servers().find(
      (one) =>
        isOffered(one, scope) &&
        name.startsWith(`${one.name}__`) &&
        (one.offers.prompts || !one.catalogue.isKnown),
    );
  return {
    async list(scope) {
      const lists = await listings.of(
        servers().filter((server) => isOffered(server, scope)),
        "prompts/list",
        scope,
      );
      return lists.flatMap(({ server, items }) => items.flatMap((item) => describe(item, server.name) ?? []));
    },
    async get(name, args, scope) {
      const server = ownerOf(name, scope);
      if (server === undefined) return undefined;
      const own = name.slice(server.name.length + 2);
      const result = ownFields(await server.request("prompts/get", { name: own, arguments: args }, scope));
      const { messages } = result;
      return { ...result, messages: Array.isArray(messages) ? messages : [] };
    },
    async complete(asked, scope) {
      const server = ownerOf(asked.of, scope);
      if (server === undefined) return undefined;
      const ref = { type: "ref/prompt", name: asked.of.slice(server.name.length + 2) };
      return completeBy(server, { ...asked, ref }, scope);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function describe(item: unknown, server: string): HostPrompt | undefined {
  if (!isRecord(item)) return undefined;
  const { name, arguments: given, ...fields } = item;
  if (typeof name !== "string" || name === "" || cleanText(name).stripped) return undefined;
  const args = (Array.isArray(given) ? given : []).flatMap((argument: unknown) =>
    isRecord(argument) && typeof argument["name"] === "string" ? [argumentOf(argument)] : [],
  );
  return {
    ...definitionFields(fields),
    name: `${server}__${name}`,
    ...(Array.isArray(given) && { arguments: args }),
  };
}

/** Its name is what the host sends back, so it stays as it is. */
function argumentOf(argument: Readonly<Record<string, unknown>>): { readonly name: string } {
  return { ...definitionFields(argument), name: argument["name"] as string };
}

import type { HostPrompt, HostPromptResult, PromptProvider } from "../../contract/host.js";
import { cleanText } from "./clean-text.js";
import type { GatewayServer } from "./gateway-server.js";
import { messageOf } from "../../contract/message-of.js";
import { connectionsOf } from "./open-connections.js";

/** Prompts of all servers, named `server__prompt`. */
export function createPromptProvider(
  servers: () => readonly GatewayServer[],
  listeners: Set<() => void>,
): PromptProvider {
  return {
    async list({ signal }) {
      const all: HostPrompt[] = [];
      for (const { server, connection } of await connectionsOf(servers(), "prompts", signal)) {
        const listed = await connection.list("prompts/list", signal).catch((error: unknown) => {
          signal.throwIfAborted();
          server.noteFault(`its prompts could not be listed: ${messageOf(error)}`);
          return [];
        });
        all.push(...listed.flatMap((item) => describe(item, server.name) ?? []));
      }
      return all;
    },
    async get(name, args, { signal }) {
      const server = servers().find((one) => name.startsWith(`${one.name}__`) && one.offers.prompts);
      if (server === undefined) return undefined;
      const connection = await server.link.use();
      const own = name.slice(server.name.length + 2);
      const result = await connection.send("prompts/get", { name: own, arguments: args }, { signal });
      const { description, messages } = result as Partial<HostPromptResult>;
      return {
        ...(typeof description === "string" && { description: cleanText(description).text }),
        messages: Array.isArray(messages) ? messages : [],
      };
    },
    onChange(listener) {
      const told = (): void => listener({ kind: "prompts" });
      listeners.add(told);
      return () => listeners.delete(told);
    },
  };
}

function describe(item: unknown, server: string): HostPrompt | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { name, title, description, arguments: given } = item as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "" || cleanText(name).stripped) return undefined;
  const args = (Array.isArray(given) ? given : []).flatMap((argument: unknown) => {
    const { name: of, description: about, required } = (argument ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof of !== "string") return [];
    return [
      {
        name: of,
        ...(typeof about === "string" && { description: cleanText(about).text }),
        ...(typeof required === "boolean" && { required }),
      },
    ];
  });
  return {
    name: `${server}__${name}`,
    ...(typeof title === "string" && { title: cleanText(title).text }),
    ...(typeof description === "string" && { description: cleanText(description).text.slice(0, 4096) }),
    ...(args.length > 0 && { arguments: args }),
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import type { UpstreamTool } from "../../src/contract/ports/upstream.js";
import type { Interact } from "../../src/contract/ports/interact.js";
import { askForm } from "../../src/mcp/gateway/form-questions.js";
import { createOAuthProvider, type LoginRecord } from "../../src/mcp/client/oauth-provider.js";
import { openServer } from "../../src/mcp/client/open-server.js";

/*
 * The client under test: connects to the address that it is given, lists the tools and calls each one, logging
 * in by itself where it is asked to. `conformance client` starts it.
 */

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

let record: LoginRecord = { url };
let comingBack: URLSearchParams | undefined;
const visits: Promise<void>[] = [];

/** A browser whose person always agrees. */
async function visit(address: URL): Promise<void> {
  const response = await fetch(address, { redirect: "manual" });
  const location = response.headers.get("location");
  comingBack = location === null ? undefined : new URL(location).searchParams;
}

/** A person who agrees to everything and leaves every field as it is. */
const agreeable: Interact = {
  ask: async ({ kind }) => (kind === "confirm" ? { approved: true } : { text: "" }),
};

const connection = await openServer(
  { kind: "address", url },
  {
    timeoutMs: 20_000,
    capabilities: { elicitation: { form: {} }, sampling: {} },
    onFault: (message) => process.stderr.write(`fault: ${message}\n`),
    answer: async ({ method, params, signal }) => {
      if (method === "elicitation/create")
        return { ...(await askForm("A form", params?.["requestedSchema"], { interact: agreeable, signal })) };
      return { model: "none", role: "assistant", content: { type: "text", text: "ok" } };
    },
    authProvider: createOAuthProvider({
      server: "conformance",
      settings: {
        clientId: context.client_id,
        clientSecret: context.client_secret,
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      },
      store: {
        load: async () => record,
        save: async (_, changed) => void (record = changed),
        remove: async () => false,
      },
      record,
      redirectUrl: "http://127.0.0.1:9/callback",
      onLogin: (address) => void visits.push(visit(address)),
    }),
    finishLogin: async () => {
      await Promise.all(visits.splice(0));
      return comingBack;
    },
  },
);

const tools = await connection.listTools();
const signal = AbortSignal.timeout(20_000);
if (scenario === "json-schema-2020-12-preservation") {
  const [focal, echo] = [tools[0], tools[1]];
  await connection.callTool(echo?.name ?? "", { schema: focal?.inputSchema }, { signal });
} else {
  const wanted =
    context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) }));
  // Side by side, so that what belongs to one call must not get into another.
  const answers = await Promise.allSettled(
    wanted.map((one) => connection.callTool(one.name, one.arguments, { signal })),
  );
  for (const answer of answers)
    if (answer.status === "rejected") process.stderr.write(`${String(answer.reason)}\n`);
}
await sleep(50);
await connection.close();

function argumentsFor({ inputSchema }: UpstreamTool): Record<string, unknown> {
  const properties = (inputSchema["properties"] ?? {}) as Readonly<
    Record<string, { readonly type?: string }>
  >;
  const samples: Readonly<Record<string, unknown>> = {
    number: 5,
    integer: 3,
    boolean: true,
    array: [],
    object: {},
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = "string" }]) => [name, samples[type] ?? "text"]),
  );
}

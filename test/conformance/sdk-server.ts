import { createHmac, randomBytes, randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { anyResult } from "../../src/mcp/server/exchange.js";
import { openFetchServer } from "./fetch-server.js";
import {
  contents,
  newQuestions,
  oldQuestions,
  promptContent,
  promptQuestion,
  prompts,
  resourceContent,
  resources,
  resourceTemplates,
  schema2020,
  type Question,
} from "./sdk-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
const running = ["test_tool_with_progress", "test_tool_with_logging", "test_logging_tool"];
const triggers = ["test_trigger_tool_change", "test_trigger_prompt_change"];
const secret = randomBytes(32);

/** A server on the official SDK with all that the conformance suite asks for, in both eras. */
export async function openSdkServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const changed: { tools(): void; prompts(): void } = { tools: () => {}, prompts: () => {} };
  const handler = createMcpHandler(() => buildServer(true, changed), { legacy: "reject" });
  changed.tools = () => handler.notify.toolsChanged();
  changed.prompts = () => handler.notify.promptsChanged();
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const openSession = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await buildServer(false, changed).connect(transport);
    return transport;
  };
  const server = await openFetchServer(async (request) => {
    const parsedBody: unknown = request.method === "POST" ? JSON.parse(await request.text()) : undefined;
    const bare = new Request(request.url, { method: request.method, headers: request.headers });
    if (request.method === "POST" && !(await isLegacyRequest(bare, parsedBody)))
      return handler.fetch(bare, { parsedBody });
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await openSession() : sessions.get(id);
    return session?.handleRequest(bare, { parsedBody }) ?? new Response(null, { status: 404 });
  });
  return {
    url: server.url,
    async close() {
      await handler.close();
      await server.close();
    },
  };
}

function buildServer(modern: boolean, changed: { tools(): void; prompts(): void }): Server {
  const server = new Server({ name: "sdk", version: "1.0.0" }, { capabilities });
  const questions = modern ? newQuestions : oldQuestions;
  const names = [...Object.keys(contents), ...running, ...Object.keys(questions), "test_missing_capability"];
  server.setRequestHandler("tools/list", () => ({
    tools: [...names, ...triggers].map((name) => ({
      name,
      description: `Conformance fixture: ${name}.`,
      inputSchema: (name === "json_schema_2020_12_tool" ? schema2020 : { type: "object" }) as never,
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { name, arguments: args = {} } = params;
    if (name === "test_trigger_tool_change") changed.tools();
    if (name === "test_trigger_prompt_change") changed.prompts();
    if (running.includes(name)) await report(name, ctx);
    if (name === "test_missing_capability" && capabilitiesOf(ctx)["sampling"] === undefined)
      throw Object.assign(new Error("Sampling is needed."), {
        code: -32021,
        data: { requiredCapabilities: { sampling: {} } },
      });
    const rounds = questions[name]?.(args, capabilitiesOf(ctx));
    if (rounds !== undefined) return (await inRounds(rounds, ctx, modern)) as never;
    if (!names.includes(name) && !triggers.includes(name))
      throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    return (contents[name] ?? { content: [{ type: "text", text: "done" }] }) as never;
  });
  server.setRequestHandler("resources/list", () => ({ resources: resources as never[] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: resourceTemplates as never[],
  }));
  server.setRequestHandler("resources/read", ({ params }) => {
    const found = resourceContent(params.uri);
    if (found === undefined) throw new ResourceNotFoundError(params.uri, "Resource not found");
    return { contents: [found as never] };
  });
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
    server.setRequestHandler(method, () => ({}));
  const asking = { name: "test_input_required_result_prompt", description: "A prompt that asks." };
  server.setRequestHandler("prompts/list", () => ({
    prompts: [...prompts, ...(modern ? [asking] : [])] as never[],
  }));
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const said = (content: readonly Fields[]): never =>
      ({ messages: content.map((block) => ({ role: "user", content: block })) }) as never;
    if (params.name === asking.name) {
      const answer = await inRounds([promptQuestion], ctx, modern);
      return answer["resultType"] === undefined ? said(answer["content"] as Fields[]) : (answer as never);
    }
    const content = promptContent(params.name, params.arguments ?? {});
    if (content === undefined) throw Object.assign(new Error("Unknown prompt"), { code: -32602 });
    return said(content);
  });
  server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: {
      values: ["paris", "park", "party", "test"].filter((one) => one.startsWith(params.argument.value)),
    },
  }));
  return server;
}

function capabilitiesOf({ mcpReq }: ServerContext): Fields {
  const envelope = Object(mcpReq.envelope) as Fields;
  return Object(envelope["io.modelcontextprotocol/clientCapabilities"]) as Fields;
}

async function report(name: string, { mcpReq }: ServerContext): Promise<void> {
  const { progressToken } = Object(mcpReq._meta) as Fields;
  const envelope = mcpReq.envelope as Fields | undefined;
  const logs = envelope === undefined || envelope["io.modelcontextprotocol/logLevel"] !== undefined;
  for (const progress of [0, 50, 100]) {
    const message = `Step ${progress}`;
    if (name === "test_tool_with_progress" && progressToken !== undefined)
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: progressToken as string, progress, total: 100, message },
      });
    if (name !== "test_tool_with_progress" && logs)
      await mcpReq.notify({ method: "notifications/message", params: { level: "info", data: message } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Rounds = readonly Readonly<Record<string, Question>>[];

/** Ask round by round: at once in the 2025 revisions, by a signed state that the host brings back in 2026-07-28. */
async function inRounds(rounds: Rounds, { mcpReq }: ServerContext, modern: boolean): Promise<Fields> {
  const answers: unknown[] = [];
  if (!modern) {
    for (const round of rounds)
      for (const { method, params } of Object.values(round))
        answers.push(await mcpReq.send({ method, params } as never, anyResult));
    return { content: [{ type: "text", text: `state-ok ${JSON.stringify(answers)}` }] };
  }
  const state = mcpReq.requestState<string>();
  const { at, given } = state === undefined ? { at: 0, given: [] as unknown[] } : opened(state);
  const brought = (mcpReq.inputResponses ?? {}) as Fields;
  const keys = Object.keys(rounds[at] ?? {});
  const isAnswered =
    keys.length === 0 || (keys.every((key) => Object.hasOwn(brought, key)) && state !== undefined);
  const next = isAnswered ? at + 1 : at;
  const so = isAnswered ? [...given, ...keys.map((key) => brought[key])] : given;
  if (next >= rounds.length) return { content: [{ type: "text", text: `state-ok ${JSON.stringify(so)}` }] };
  return {
    resultType: "input_required",
    inputRequests: rounds[next],
    requestState: sealed({ at: next, given: so }),
  };
}

interface State {
  readonly at: number;
  readonly given: readonly unknown[];
}

function sealed(state: State): string {
  const body = Buffer.from(JSON.stringify({ ...state, nonce: randomUUID() })).toString("base64url");
  return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

function opened(text: string): State {
  const [body = "", mark] = text.split(".");
  if (createHmac("sha256", secret).update(body).digest("base64url") !== mark)
    throw Object.assign(new Error("The requestState was changed."), { code: -32602 });
  return JSON.parse(Buffer.from(body, "base64url").toString()) as State;
}

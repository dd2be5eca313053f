import type { UpstreamTool } from "../../../contract/ports/upstream.js";
import type { Caller, Capabilities } from "../caller.js";
import type { EraVerdict, ServerConnection, ServerOffers } from "../../client/server-connection.js";
import type { OpenServer } from "../server-link.js";

type OpenOptions = Parameters<OpenServer>[2];
type Params = Readonly<Record<string, unknown>>;

/** A connection to a scripted server, and what it was told. */
export interface Opened {
  readonly connection: ServerConnection;
  readonly options: OpenOptions;
  readonly told: string[];
  readonly watched: (readonly string[])[];
  isClosed: boolean;
}

/** What a server does in place of a program or an address; it can change while connections are open. */
export interface Script {
  /** The eras that it speaks. */
  readonly speaks: readonly EraVerdict["kind"][];
  tools: readonly UpstreamTool[] | (() => Promise<readonly UpstreamTool[]>);
  offers: Partial<ServerOffers>;
  failure: Error | undefined;
  callTool: ServerConnection["callTool"];
  answer: (method: string, params: Params) => Params;
  list: (method: string) => readonly unknown[];
}

/** A server that answers as it is told. `open` connects to it, and `opened` has all connections that there were. */
export function scriptedServer(given: Partial<Script> = {}) {
  const script: Script = {
    speaks: ["legacy"],
    tools: [],
    offers: {},
    failure: undefined,
    callTool: async (name) => ({ content: [{ type: "text", text: name }], isError: false }),
    answer: () => ({}),
    list: () => [],
    ...given,
  };
  const opened: Opened[] = [];
  const open: OpenServer = async (_server, _spec, options) => {
    if (script.failure !== undefined) throw script.failure;
    const isModern = script.speaks.includes("modern") && options.prior?.kind !== "legacy";
    const none = {
      resources: false,
      prompts: false,
      completions: false,
      logging: false,
      subscriptions: false,
    };
    const told: string[] = [];
    const watched: (readonly string[])[] = [];
    const connection: ServerConnection = {
      name: "scripted",
      version: "1",
      protocol: isModern ? "2026-07-28" : "2025-11-25",
      verdict: isModern ? { kind: "modern", discover: {} } : { kind: "legacy" },
      probed: options.prior === undefined,
      offers: { tools: true, ...none, ...script.offers },
      listTools: async () => (typeof script.tools === "function" ? script.tools() : script.tools),
      callTool: (name, args, call) => script.callTool(name, args, call),
      send: async (method, params) => script.answer(method, params),
      request: async () => ({}),
      list: async (method) => script.list(method),
      watch: async (uris) => void watched.push(uris),
      notify: async (method) => void told.push(method),
      close: async () => void (one.isClosed = true),
    };
    const one: Opened = { connection, options, told, watched, isClosed: false };
    opened.push(one);
    return connection;
  };
  return { script, opened, open };
}

/** The MCP host of a session. */
export function hostOf(
  sessionId: string,
  capabilities: Capabilities = {},
  era?: "legacy" | "modern",
): Caller {
  const supports = { elicitForm: false, elicitUrl: false, sample: false };
  return { sessionId, client: { capabilities, era, supports } as never };
}

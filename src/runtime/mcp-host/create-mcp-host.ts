import { ownVersion } from "../../contract/own-version.js";
import type {
  HostChange,
  McpHost,
  HostSessionOptions,
  PromptProvider,
  ResourceProvider,
  HostScope,
} from "../../contract/host.js";
import { createWorkResources } from "./work-resources.js";
import { TenonHostSession } from "./host-session.js";
import { createWireCatalogue } from "./wire-catalogue.js";
import type { Tenon } from "../tenon.js";
import { toolErrorFrom } from "../../contract/errors.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/** What the server reports about itself, and additional resources and prompts. */
export interface McpHostOptions {
  /** The name of the server. @default "tenon" */
  readonly name?: string | undefined;
  /** The version of the server. @default Tenon's */
  readonly version?: string | undefined;
  readonly resources?: readonly ResourceProvider[] | undefined;
  readonly prompts?: readonly PromptProvider[] | undefined;
}

/**
 * Offer a Tenon to MCP hosts, with resources and prompts of your own if you like. It holds no resources: closing the
 * Tenon is enough.
 *
 * @example
 * const host = createMcpHost(tenon, { name: "my-tools", version: "1.0.0" });
 * await serveStdio(host);
 */
export function createMcpHost(tenon: Tenon, options: McpHostOptions = {}): McpHost {
  checkKeys(options, optionNames, "createMcpHost");
  const listeners = new Set<(change: HostChange) => void>();
  const notify = (change: HostChange): void => {
    for (const listener of listeners) listener(change);
  };
  const resources = new Set<ResourceProvider>();
  const prompts = new Set<PromptProvider>();
  const catalogue = createWireCatalogue(tenon.registry);
  tenon.registry.onChange(() => notify({ kind: "tools" }));
  const host: McpHost = {
    name: options.name ?? "tenon",
    version: options.version ?? ownVersion,
    instructions,
    openSession: (asked: HostSessionOptions) =>
      new TenonHostSession({ tenon, catalogue, asked, resources, prompts, tell: notify }),
    addResources: (provider) => add(resources, provider, () => notify({ kind: "resources" }), notify),
    addPrompts: (provider) => add(prompts, provider, () => notify({ kind: "prompts" }), notify),
    onChange(listener) {
      const own = (change: HostChange): void => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
  for (const provider of [createWorkResources(), tenon.mcp.resources, ...(options.resources ?? [])])
    host.addResources(provider);
  for (const provider of [createToolPrompts(), tenon.mcp.prompts, ...(options.prompts ?? [])])
    host.addPrompts(provider);
  return host;
}

const optionNames: KeysOf<McpHostOptions> = { name: true, version: true, resources: true, prompts: true };

const instructions =
  "Tools for working in one folder: files, shell, code search, web, planning and memory. " +
  "Read a file before you change it. Every change of a file can be undone with undo_edit. " +
  "Risky calls ask the person first; a refusal says how the call can be allowed.";

interface Provider {
  onChange?(listener: (change: HostChange) => void): () => void;
}

function add<P extends Provider>(
  providers: Set<P>,
  provider: P,
  changed: () => void,
  tell: (change: HostChange) => void,
): () => void {
  providers.add(provider);
  const stop = provider.onChange?.(tell);
  changed();
  return () => {
    stop?.();
    if (providers.delete(provider)) changed();
  };
}

const toolPrompt = "tools";
const snippetPrefix = "snippet-";

/** Built-in prompts: how to use the tools, and every saved snippet. */
function createToolPrompts(): PromptProvider {
  return {
    async list(scope) {
      const saved = await snippetsOf(scope);
      return [
        {
          name: toolPrompt,
          title: "How to use Tenon's tools",
          description: "The tools of this session, and which one suits which task.",
        },
        ...saved.map(({ name, description }) => ({
          name: `${snippetPrefix}${name}`,
          title: `Snippet: ${name}`,
          ...(description !== "" && { description }),
          arguments: [{ name: "task", description: "What to do with it.", required: false }],
        })),
      ];
    },
    async get(name, args, scope) {
      if (name === toolPrompt) return asked(await describeTools(scope), "The tools of this session.");
      if (!name.startsWith(snippetPrefix)) return undefined;
      const snippet = await load(name.slice(snippetPrefix.length), scope);
      if (snippet === undefined) return undefined;
      const task = args["task"] ?? "Use this piece of code where it fits.";
      return asked(`${task}\n\n\`\`\`${snippet.language}\n${snippet.code}\n\`\`\``, snippet.description);
    },
  };
}

function asked(text: string, description: string) {
  return {
    ...(description !== "" && { description }),
    messages: [{ role: "user" as const, content: { type: "text", text } }],
  };
}

async function describeTools({ session }: HostScope): Promise<string> {
  const tools = await session.tools();
  const lines = tools.map(({ name, description }) => `- ${name}: ${description}`);
  return ["You can use these tools:", ...lines, "", ...advice].join("\n");
}

const advice = [
  "Read a file with read_file before you change it; edit_file changes a part, write_file the whole.",
  "Search code with code_query rather than with a shell command; run commands with shell_exec.",
  "Undo a mistaken change of a file with undo_edit.",
];

interface Snippet {
  readonly name: string;
  readonly description: string;
  readonly language: string;
  readonly code: string;
}

async function snippetsOf({ session, signal }: HostScope): Promise<readonly Snippet[]> {
  const { envelope } = await session.call({ name: "snippet_list", arguments: {}, signal });
  if (!envelope.success) return []; // not in this session's toolset
  return (envelope.result as { readonly snippets: readonly Snippet[] }).snippets;
}

async function load(name: string, { session, signal }: HostScope): Promise<Snippet | undefined> {
  const { envelope } = await session.call({ name: "snippet_load", arguments: { name }, signal });
  if (envelope.success) return envelope.result as Snippet;
  const { code } = envelope.error;
  if (code === "RESOURCE_NOT_FOUND" || code === "TOOL_NOT_FOUND") return undefined;
  throw toolErrorFrom(envelope.error, "snippet_load");
}

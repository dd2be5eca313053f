import type {
  HostChange,
  McpHost,
  HostSessionOptions,
  PromptProvider,
  ResourceProvider,
} from "../../contract/host.js";
import { createToolPrompts } from "./tool-prompts.js";
import { createWorkResources } from "./work-resources.js";
import { TenonHostSession } from "./host-session.js";
import { createWireCatalogue } from "./wire-catalogue.js";
import type { Tenon } from "../tenon.js";

/** What the server reports about itself, and additional resources and prompts. */
export interface McpHostOptions {
  readonly version: string;
  readonly resources?: readonly ResourceProvider[] | undefined;
  readonly prompts?: readonly PromptProvider[] | undefined;
}

/** Offer a Tenon to MCP hosts. It holds no resources: closing the Tenon is enough. */
export function createMcpHost(tenon: Tenon, options: McpHostOptions): McpHost {
  const listeners = new Set<(change: HostChange) => void>();
  const notify = (change: HostChange): void => {
    for (const listener of listeners) listener(change);
  };
  const resources = new Set<ResourceProvider>();
  const prompts = new Set<PromptProvider>();
  const catalogue = createWireCatalogue(tenon.registry);
  tenon.registry.onChange(() => notify({ kind: "tools" }));
  const host: McpHost = {
    name: "tenon",
    version: options.version,
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

const instructions =
  "Tools for working in one folder: files, shell, code search, web, planning and memory. " +
  "Read a file before you change it. Every change of a file can be undone with undo_edit. " +
  "What is risky asks the person first; a refusal says how it can be allowed.";

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

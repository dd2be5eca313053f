import type { ToolEnvelope } from "../../contract/call.js";
import type {
  HostChange,
  HostResource,
  HostResourceContent,
  HostScope,
  ResourceProvider,
} from "../../contract/host.js";
import { toolErrorFrom } from "../../contract/errors.js";

/** Artifacts, memories and snippets as resources, read by calling their tools, so that the policy applies. */
export function createWorkResources(): ResourceProvider {
  return {
    async list(scope) {
      const lists = await Promise.all(kinds.map((kind) => kind.list(scope)));
      return lists.flat();
    },
    async templates(scope) {
      const names = new Set((await scope.session.tools()).map(({ name }) => name));
      return kinds.filter(({ reader }) => names.has(reader)).map(({ template }) => template);
    },
    async read(uri, scope) {
      const kind = kinds.find(({ prefix }) => uri.startsWith(prefix));
      const id = kind === undefined ? undefined : decode(uri.slice(kind.prefix.length));
      return kind === undefined || id === undefined ? undefined : kind.read(uri, id, scope);
    },
    async complete({ of, argument, value }, scope) {
      const kind = kinds.find(({ template }) => template.uriTemplate === of);
      return kind?.values(await kind.list(scope), argument).filter((one) => one.startsWith(value));
    },
    async watch(uri) {
      return kinds.some(({ prefix }) => uri.startsWith(prefix)) ? () => {} : undefined;
    },
  };
}

/** What a call changed in resources and prompts. */
export function changesOf({ toolName, result }: ToolEnvelope): readonly HostChange[] {
  // Another stage may have other tools.
  if (stageTools.has(toolName)) return [{ kind: "tools" }];
  const changed = changers.get(toolName);
  if (changed === undefined) return [];
  const uri = changed.uri(Object(result) as Record<string, unknown>);
  return [
    { kind: "resources" },
    ...(changed.prompts === true ? [{ kind: "prompts" as const }] : []),
    ...(uri === undefined ? [] : [{ kind: "resource" as const, uri }]),
  ];
}

const stageTools: ReadonlySet<string> = new Set(["goto_stage", "complete_stage", "start_iteration"]);

interface Kind {
  readonly prefix: string;
  readonly reader: string;
  readonly template: {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title: string;
    readonly description: string;
  };
  list(scope: HostScope): Promise<readonly HostResource[]>;
  read(uri: string, id: string, scope: HostScope): Promise<readonly HostResourceContent[] | undefined>;
  values(listed: readonly HostResource[], argument: string): readonly string[];
}

const snippetPrefix = "tenon://snippets/";
const memoryPrefix = "tenon://memories/";
const artifactPrefix = "tenon://artifacts/";

const snippetUri = (name: string): string => snippetPrefix + encodeURIComponent(name);
const memoryUri = (id: string): string => memoryPrefix + encodeURIComponent(id);
const artifactUri = (iteration: string, name: string): string =>
  `${artifactPrefix}${encodeURIComponent(iteration)}/${encodeURIComponent(name)}`;

const snippets: Kind = {
  prefix: snippetPrefix,
  reader: "snippet_load",
  template: {
    uriTemplate: `${snippetPrefix}{name}`,
    name: "snippet",
    title: "Snippet",
    description: "A saved piece of code, by its name.",
  },
  async list(scope) {
    const found = await fetch(scope, "snippet_list", {});
    return rows(found?.["snippets"]).map(({ name, description, language }) => ({
      uri: snippetUri(String(name)),
      name: String(name),
      description: description === "" ? `A piece of ${String(language)}.` : String(description),
      mimeType: "text/plain",
    }));
  },
  async read(uri, name, scope) {
    const found = await fetch(scope, "snippet_load", { name });
    return found && [{ uri, mimeType: "text/plain", text: String(found["code"]) }];
  },
  values: (listed) => listed.map(({ name }) => name),
};

const memories: Kind = {
  prefix: memoryPrefix,
  reader: "query_memory",
  template: {
    uriTemplate: `${memoryPrefix}{id}`,
    name: "memory",
    title: "Memory",
    description: "Something remembered, by its id.",
  },
  async list(scope) {
    const found = await fetch(scope, "query_memory", { limit: 100 });
    return rows(found?.["memories"]).map(({ id, title, kind }) => ({
      uri: memoryUri(String(id)),
      name: String(id),
      title: String(title),
      description: `${String(kind)}: ${String(title)}`,
      mimeType: "application/json",
    }));
  },
  async read(uri, id, scope) {
    for (const within of ["smart", "project", "iteration"]) {
      const found = await fetch(scope, "query_memory", { limit: 100, scope: within });
      const memory = rows(found?.["memories"]).find((one) => one["id"] === id);
      if (memory !== undefined) return [{ uri, mimeType: "application/json", text: JSON.stringify(memory) }];
    }
    return undefined;
  },
  values: (listed) => listed.map(({ name }) => name),
};

const artifacts: Kind = {
  prefix: artifactPrefix,
  reader: "read_artifact",
  template: {
    uriTemplate: `${artifactPrefix}{iteration}/{name}`,
    name: "artifact",
    title: "Artifact",
    description: "The newest version of a stage's document: idea, prd, design, plan, check or delivery.",
  },
  async list(scope) {
    const found = await fetch(scope, "list_artifacts", { iteration: "all" });
    return rows(found?.["artifacts"]).map(({ name, iterationId, size, version }) => ({
      uri: artifactUri(String(iterationId), String(name)),
      name: `${String(iterationId)}/${String(name)}`,
      description: `The ${String(name)} document of ${String(iterationId)}, version ${String(version)}.`,
      mimeType: "text/markdown",
      size: Number(size),
    }));
  },
  async read(uri, id, scope) {
    const [iteration, name, ...rest] = id.split("/");
    if (rest.length > 0) return undefined;
    const found = await fetch(scope, "read_artifact", { iteration, name });
    return found && [{ uri, mimeType: "text/markdown", text: String(found["content"]) }];
  },
  values: (listed, argument) => [
    ...new Set(listed.map(({ name }) => name.split("/")[argument === "iteration" ? 0 : 1] ?? "")),
  ],
};

const kinds: readonly Kind[] = [artifacts, memories, snippets];

interface Changer {
  readonly prompts?: boolean;
  uri(result: Readonly<Record<string, unknown>>): string | undefined;
}

const saving = (name: string): Changer => ({
  uri: ({ iterationId }) => (typeof iterationId === "string" ? artifactUri(iterationId, name) : undefined),
});
const remembering: Changer = { uri: ({ id }) => (typeof id === "string" ? memoryUri(id) : undefined) };
const snipping: Changer = {
  prompts: true,
  uri: ({ name }) => (typeof name === "string" ? snippetUri(name) : undefined),
};

const changers: ReadonlyMap<string, Changer> = new Map([
  ["save_idea_doc", saving("idea")],
  ["save_prd_doc", saving("prd")],
  ["render_prd", saving("prd")],
  ["save_design_doc", saving("design")],
  ["save_plan_doc", saving("plan")],
  ["save_check_report", saving("check")],
  ["save_delivery_report", saving("delivery")],
  ["save_insight", remembering],
  ["save_issue", remembering],
  ["save_learning", remembering],
  ["resolve_issue", remembering],
  ["promote_to_decision", remembering],
  ["promote_to_pattern", remembering],
  ["snippet_save", snipping],
  ["snippet_delete", snipping],
]);

/** The result of a tool; `undefined` if the tool is not visible or the item does not exist. */
async function fetch(
  { session, signal }: HostScope,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { envelope } = await session.call({ name, arguments: args, signal });
  if (envelope.success) return envelope.result as Readonly<Record<string, unknown>>;
  if (absent.has(envelope.error.code)) return undefined;
  throw toolErrorFrom(envelope.error, name);
}

const absent = new Set(["TOOL_NOT_FOUND", "RESOURCE_NOT_FOUND", "ARGUMENTS_INVALID", "TOOL_DISABLED"]);

function rows(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? (list as Readonly<Record<string, unknown>>[]) : [];
}

function decode(text: string): string | undefined {
  try {
    return text.split("/").map(decodeURIComponent).join("/");
  } catch {
    return undefined; // a stray % makes it the address of nothing
  }
}

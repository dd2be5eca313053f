import type {
  Completion,
  CompletionResult,
  HostPrompts,
  HostResources,
  HostScope,
  PromptProvider,
  ResourceProvider,
} from "../../contract/host.js";

type Who = Omit<HostScope, "signal">;

/** The resources of all providers; a provider that fails to list does not affect the others. */
export function joinResources(providers: readonly ResourceProvider[], who: Who): HostResources {
  return {
    list: (signal) => gather(providers, (provider) => provider.list({ ...who, signal })),
    templates: (signal) => gather(providers, (provider) => provider.templates?.({ ...who, signal })),
    async read(uri, signal) {
      const found = await first(providers, (provider) => provider.read(uri, { ...who, signal }));
      return found === undefined || "contents" in found ? found : { contents: found };
    },
    async complete(request, signal) {
      return toCompletion(
        await first(providers, (provider) => provider.complete?.(request, { ...who, signal })),
      );
    },
    async watch(uri, signal) {
      return (await first(providers, (provider) => provider.watch?.(uri, { ...who, signal }))) ?? (() => {});
    },
  };
}

/** The prompts of all providers that are offered; the others do not exist. */
export function joinPrompts(
  providers: readonly PromptProvider[],
  { who, isOffered }: { readonly who: Who; readonly isOffered: (name: string) => boolean },
): HostPrompts {
  return {
    async list(signal) {
      const found = await gather(providers, (provider) => provider.list({ ...who, signal }));
      return found.filter(({ name }) => isOffered(name));
    },
    async get(name, args, signal) {
      if (!isOffered(name)) return undefined;
      return first(providers, (provider) => provider.get(name, args, { ...who, signal }));
    },
    async complete(request, signal) {
      if (!isOffered(request.of)) return toCompletion();
      return toCompletion(
        await first(providers, (provider) => provider.complete?.(request, { ...who, signal })),
      );
    },
  };
}

function toCompletion(found: CompletionResult | Completion | readonly string[] = []): CompletionResult {
  if ("completion" in found) return found;
  if (!("length" in found)) return { completion: found };
  return { completion: { values: found.slice(0, 100), total: found.length, hasMore: found.length > 100 } };
}

async function gather<P, T>(
  providers: readonly P[],
  ask: (provider: P) => Promise<readonly T[]> | undefined,
): Promise<readonly T[]> {
  const answers = await Promise.allSettled(providers.map(async (provider) => ask(provider)));
  const lists = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value ?? []] : []));
  const failure = answers.find((answer) => answer.status === "rejected");
  if (lists.length === 0 && failure !== undefined) throw failure.reason;
  return lists.flat();
}

/** The answer of the first provider that has one. */
async function first<P, T>(
  providers: readonly P[],
  ask: (provider: P) => Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  for (const provider of providers) {
    const answer = await ask(provider);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

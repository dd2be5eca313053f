import type { Client } from "@modelcontextprotocol/client";
import type { ServerOptions } from "./server-options.js";

/** Which changes the caller wants to hear of. */
export type ChangeEvents = Pick<ServerOptions, "onToolsChanged" | "onNotice" | "onFault">;

/** The changes that a server reports on this connection. */
export interface Watching {
  /** Hear of changes of exactly these resources, besides the listings. */
  set(uris: readonly string[]): Promise<void>;
}

/** Resources that one connection watches at most. */
const maxWatched = 1000;

/** Follow a server's changes. 2025: listings are told anyway, resources by subscribing; 2026: all by one stream. */
export function createWatching(client: Client, events: ChangeEvents): Watching {
  let now: readonly string[] = [];
  let stream: { close(): Promise<void> } | undefined;
  let changing: Promise<void> = Promise.resolve();
  const change = async (wanted: readonly string[]): Promise<void> => {
    const before = now;
    now = wanted.slice(0, maxWatched);
    if (client.getProtocolEra() !== "modern") return subscribe(client, before, now);
    const filter = filterFor(client, events, now);
    const old = stream;
    stream = Object.keys(filter).length === 0 ? undefined : await client.listen(filter, { timeout: 5000 });
    await old?.close();
  };
  return {
    set(uris) {
      changing = changing
        .then(() => change(uris))
        .catch((error: unknown) => {
          events.onFault?.(`it does not report changes: ${(error as Error).message}`);
        });
      return changing;
    },
  };
}

async function subscribe(client: Client, before: readonly string[], now: readonly string[]): Promise<void> {
  if (client.getServerCapabilities()?.resources?.subscribe !== true) return;
  const options = { timeout: 10_000 };
  for (const uri of now) if (!before.includes(uri)) await client.subscribeResource({ uri }, options);
  for (const uri of before) if (!now.includes(uri)) await client.unsubscribeResource({ uri }, options);
}

function filterFor(client: Client, events: ChangeEvents, uris: readonly string[]): Record<string, unknown> {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    ...(events.onToolsChanged && tools?.listChanged === true && { toolsListChanged: true }),
    ...(events.onNotice && resources?.listChanged === true && { resourcesListChanged: true }),
    ...(events.onNotice && prompts?.listChanged === true && { promptsListChanged: true }),
    ...(uris.length > 0 && resources?.subscribe === true && { resourceSubscriptions: [...uris] }),
  };
}

import { request, type ClientRequest } from "node:http";
import type { FeedHello, FeedItem } from "../api.js";
import type { RunningServer } from "../start-server.js";

/** What a page has seen of the feed so far. */
export interface FeedReader {
  readonly hellos: FeedHello[];
  readonly items: FeedItem[];
  /** Of the last thing seen, as a browser would send it. */
  lastId: string | undefined;
  readonly ended: Promise<void>;
  /** Resolves once it holds; looked at whenever something comes. */
  until(holds: (reader: FeedReader) => boolean): Promise<void>;
  stop(): void;
  readonly request: ClientRequest;
}

/** Listen to the feed as a browser's EventSource would. */
export function readFeed(server: RunningServer, lastEventId?: string): Promise<FeedReader> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${server.token}`,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    };
    const outgoing = request({
      host: "127.0.0.1",
      port: server.port,
      path: "/api/feed",
      headers,
      agent: false,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`The feed answered ${response.statusCode}`));
        return;
      }
      const waiting = new Set<() => void>();
      let rest = "";
      const reader: FeedReader = {
        hellos: [],
        items: [],
        lastId: lastEventId,
        ended: new Promise((end) => response.once("close", end)),
        until: (holds) =>
          new Promise((done) => {
            const look = (): void => {
              if (!holds(reader)) return;
              waiting.delete(look);
              done();
            };
            waiting.add(look);
            look();
          }),
        stop: () => outgoing.destroy(),
        request: outgoing,
      };
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (chunk: string) => {
        const blocks = (rest + chunk).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) take(reader, block);
        for (const look of waiting) look();
      });
      resolve(reader);
    });
    outgoing.end();
  });
}

function take(reader: FeedReader, block: string): void {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  if (fields["id"] !== undefined) reader.lastId = fields["id"];
  if (fields["data"] === undefined) return;
  const data: unknown = JSON.parse(fields["data"]);
  if (fields["event"] === "hello") reader.hellos.push(data as FeedHello);
  else if (fields["event"] === undefined) reader.items.push(data as FeedItem);
}

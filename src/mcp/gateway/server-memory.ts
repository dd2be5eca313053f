import type { Json } from "../../contract/json.js";
import type { KeyValue } from "../../contract/ports/store.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import type { Profile } from "./caller.js";
import type { EraVerdict } from "../client/server-connection.js";

/** What is stored about a server between runs. */
export interface ServerRecord {
  /** A digest of where it was reached: another target is another server. */
  readonly target: string;
  /** Definitions as they were accepted, by the tool's own name. */
  readonly accepted: Readonly<Record<string, UpstreamTool>>;
  /** Changed definitions that a person refused, by the tool's own name: their fingerprints. */
  readonly rejected?: Readonly<Record<string, string>> | undefined;
  /** Names in the last listing. */
  readonly listed: readonly string[];
  /** The kinds of hosts that they were listed for: their era, and what they can be asked. */
  readonly eras?: readonly string[] | undefined;
  /** The capabilities of the host for which it was last started. */
  readonly host?: Pick<Profile, "capabilities" | "era"> | undefined;
  readonly offers?: { readonly resources: boolean; readonly prompts: boolean } | undefined;
  readonly verdict?: EraVerdict | undefined;
  /** When the verdict was reached. */
  readonly verdictAt?: number | undefined;
}

/** What is stored about all servers, in the state. */
export interface ServerMemory {
  load(server: string): Promise<ServerRecord | undefined>;
  save(server: string, record: ServerRecord): Promise<void>;
  forget(server: string): Promise<void>;
}

/** A value of the state holds 4 MB at most, so definitions are kept in pieces. */
const pieceChars = 1024 * 1024;

type Head = Omit<ServerRecord, "accepted"> & { readonly pieces: number };

/** Keep records in a name space of the state. */
export function createServerMemory(open: () => Promise<KeyValue>): ServerMemory {
  return {
    async load(server) {
      const store = await open();
      const head: unknown = await store.get(`server/${server}`);
      if (!isHead(head)) return undefined;
      const { pieces, ...rest } = head;
      const accepted: Record<string, UpstreamTool> = {};
      for (let at = 0; at < pieces; at++) {
        const piece = await store.get(`tools/${server}/${at}`);
        for (const tool of (piece ?? []) as unknown as UpstreamTool[]) accepted[tool.name] = tool;
      }
      return { ...rest, accepted };
    },
    async save(server, { accepted, ...rest }) {
      const store = await open();
      const pieces = inPieces(Object.values(accepted));
      for (const [at, piece] of pieces.entries()) await store.set(`tools/${server}/${at}`, plain(piece));
      await store.set(`server/${server}`, plain({ ...rest, pieces: pieces.length } satisfies Head));
    },
    async forget(server) {
      const store = await open();
      await store.delete(`server/${server}`);
      for (const key of await store.list(`tools/${server}/`)) await store.delete(key);
    },
  };
}

function inPieces(tools: readonly UpstreamTool[]): readonly (readonly UpstreamTool[])[] {
  const pieces: UpstreamTool[][] = [];
  let room = 0;
  for (const tool of tools) {
    const chars = JSON.stringify(tool).length;
    if (chars > room) {
      pieces.push([]);
      room = pieceChars;
    }
    pieces.at(-1)?.push(tool);
    room -= chars;
  }
  return pieces;
}

/** Without what JSON does not know. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const { target, pieces, listed } = value as Partial<Head>;
  return typeof target === "string" && typeof pieces === "number" && Array.isArray(listed);
}

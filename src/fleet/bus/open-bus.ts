import { readFile } from "node:fs/promises";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { ObjectStore } from "@nats-io/obj";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { messageOf } from "../../contract/message-of.js";
import { duplicateWindowMs, namesOf, type Names } from "../protocol.js";
import { createEndOfTurn } from "./end-of-turn.js";
import { fleetAway } from "./fleet-error.js";
import { StreamPublisher } from "./stream-publisher.js";

export type FleetConfig = ResolvedConfig["fleet"];

/** The connection to NATS, and what one tenant keeps there. */
export interface Bus {
  readonly names: Names;
  readonly tenant: string;
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly publisher: StreamPublisher;
  /** To send something together with what others send now. */
  readonly endOfTurn: () => Promise<void>;
  newHeaders(): MsgHdrs;
  readonly manager: JetStreamManager;
  readonly members: KV;
  readonly workspaces: KV;
  readonly sessions: KV;
  readonly objects: ObjectStore;
  /** Whether the server can be reached now. */
  isOnline(): boolean;
  /** Told when the connection is there again, after the streams were found or made; the result ends it. */
  onOnline(listener: () => void | Promise<void>): () => void;
  close(): Promise<void>;
}

const minute = 60_000;
const nanos = (ms: number): number => ms * 1_000_000;

/** Connect to NATS and find or make the streams of the tenant. The client is loaded here, where there is a fleet. */
export async function openBus(config: FleetConfig, onFault: (cause: unknown) => void): Promise<Bus> {
  const { tenant } = config;
  const names = namesOf(tenant);
  const connection = await connectTo(config, names.inbox);
  const { jetstream: createClient, jetstreamManager } = await import("@nats-io/jetstream");
  const { createInbox, headers } = await import("@nats-io/transport-node");
  try {
    const jetstream = createClient(connection, { timeout: 2000 });
    const manager = await jetstreamManager(connection, { timeout: 5000 });
    const stores = await ensureStores({ jetstream, manager }, names, config);
    const listeners = new Set<() => void | Promise<void>>();
    let online = true;
    const follow = async (): Promise<void> => {
      for await (const { type } of connection.status()) {
        if (type === "disconnect" || type === "close" || type === "staleConnection") online = false;
        if (type !== "reconnect") continue;
        try {
          // A server that lost its disk, or kept its streams in memory, has none of them.
          await ensureStores({ jetstream, manager }, names, config);
          online = true;
          for (const listener of listeners) await listener();
        } catch (cause) {
          online = !connection.isClosed();
          onFault(cause);
        }
      }
      online = false;
    };
    void follow().catch(onFault);
    const publisher = new StreamPublisher(connection, createInbox(names.inbox));
    return {
      names,
      tenant,
      connection,
      jetstream,
      publisher,
      endOfTurn: createEndOfTurn(),
      newHeaders: () => headers(),
      manager,
      ...stores,
      isOnline: () => online,
      onOnline(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      async close() {
        publisher.close();
        await connection.close();
      },
    };
  } catch (cause) {
    await connection.close();
    throw fleetAway(
      `NATS is reached, but its JetStream cannot be used: ${messageOf(cause)}`,
      "Start nats-server with -js, and let the user create streams.",
    );
  }
}

async function connectTo(config: FleetConfig, inboxPrefix: string): Promise<NatsConnection> {
  const { connect, credsAuthenticator } = await import("@nats-io/transport-node");
  const servers = [config.nats ?? []].flat();
  const { credentials, tls } = config;
  try {
    return await connect({
      servers: servers.map(withoutSecrets),
      ...loginIn(servers[0] ?? ""),
      inboxPrefix,
      name: `tenon ${config.tenant}`,
      timeout: 5000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: 2000,
      maxPingOut: 2,
      ...(credentials !== undefined && { authenticator: credsAuthenticator(await readFile(credentials)) }),
      ...(tls !== undefined && {
        tls: {
          ...(tls.ca !== undefined && { caFile: tls.ca }),
          ...(tls.cert !== undefined && { certFile: tls.cert }),
          ...(tls.key !== undefined && { keyFile: tls.key }),
        },
      }),
    });
  } catch (cause) {
    throw fleetAway(
      `Cannot reach NATS at ${servers.map(withoutSecrets).join(", ")}: ${messageOf(cause)}`,
      "Check fleet.nats, and that nats-server runs there.",
    );
  }
}

/** The client takes a name and a password only beside the address. */
function loginIn(address: string): { readonly user?: string; readonly pass?: string } {
  const { username, password } = new URL(address);
  if (username === "") return {};
  return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^@/]*@/, "//");
}

type Stores = Pick<Bus, "members" | "workspaces" | "sessions" | "objects">;

async function ensureStores(
  { jetstream, manager }: Pick<Bus, "jetstream" | "manager">,
  names: Names,
  { replicas, maxQueueBytes, quotas }: FleetConfig,
): Promise<Stores> {
  const [{ DiscardPolicy, RetentionPolicy, StorageType }, { Kvm }, { Objm }] = await Promise.all([
    import("@nats-io/jetstream"),
    import("@nats-io/kv"),
    import("@nats-io/obj"),
  ]);
  const storage = StorageType.File;
  await ensureStream(manager, {
    name: names.calls,
    subjects: [names.allCalls],
    // A call is removed when its worker has acknowledged it, and refused where too many wait.
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: maxQueueBytes,
    max_msgs: quotas.calls ?? -1,
    max_age: nanos(24 * 60 * minute),
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
    storage,
  });
  await ensureStream(manager, {
    name: names.outcomes,
    subjects: [names.allOutcomes],
    discard: DiscardPolicy.Old,
    max_bytes: maxQueueBytes,
    max_age: nanos(10 * minute),
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
    storage,
  });
  const kvm = new Kvm(jetstream);
  const common = { replicas, storage, history: 1 };
  const [members, workspaces, sessions, objects] = await Promise.all([
    // Each start of a front has an id of its own: without an end, those that are gone would pile up.
    kvm.create(names.members, { ...common, ttl: 60 * minute }),
    kvm.create(names.workspaces, common),
    kvm.create(names.sessions, { ...common, ttl: 24 * 60 * minute }),
    new Objm(jetstream).create(names.objects, { replicas, storage, ttl: nanos(60 * minute) }),
  ]);
  return { members, workspaces, sessions, objects };
}

/** Several may begin at once: the second finds it. */
async function ensureStream(
  manager: JetStreamManager,
  config: Parameters<JetStreamManager["streams"]["add"]>[0],
): Promise<void> {
  const known = await manager.streams.info(config.name ?? "").catch(() => undefined);
  if (known === undefined) await manager.streams.add(config);
  else if (known.config.max_msgs !== (config.max_msgs ?? -1) || known.config.max_bytes !== config.max_bytes)
    await manager.streams.update(config.name ?? "", config); // the configuration has changed
}

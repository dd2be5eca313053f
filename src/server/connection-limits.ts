import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LinkedList, type ListEntry } from "../contract/linked-list.js";

export interface ConnectionLimitOptions {
  /** Connections at the same time. @default 512 */
  readonly maxConnections?: number | undefined;
  /** Connections of one address that have not sent a whole request yet. @default 64 */
  readonly maxHalfOpen?: number | undefined;
  /** How long a connection may take before it counts as slow: many that arrive together are not an attack. @default 1000 */
  readonly halfOpenGraceMs?: number | undefined;
}

interface Peer {
  readonly socket: Socket;
  readonly address: string;
  readonly since: number;
  /** Requests that are being answered. */
  answering: number;
  /** There was no room for it when it arrived: its request is answered with 503. */
  surplus: boolean;
  /** Its place among those that wait for their next request. */
  idle: ListEntry<Peer> | undefined;
  readonly onAnswered: () => void;
}

/**
 * Who gives way when there are too many connections: first those that have not sent a whole request (slow senders of
 * headers), then those that wait idle for their next one. Those that are being answered stay. Nobody is reset without
 * a word: a slow sender, and a newcomer that finds no room at all, is told 503 and when to try again.
 */
export class ConnectionLimits {
  readonly #maxConnections: number;
  readonly #maxHalfOpen: number;
  readonly #graceMs: number;
  readonly #peers = new Map<Socket, Peer>();
  readonly #encrypted = new WeakMap<Socket, Peer>();
  /** By address, the oldest first. */
  readonly #halfOpen = new Map<string, Set<Peer>>();
  /** Since the end of their last answer, the longest first. */
  readonly #idle = new LinkedList<Peer>();

  constructor(options: ConnectionLimitOptions = {}) {
    const { maxConnections = 512, maxHalfOpen = 64, halfOpenGraceMs = 1000 } = options;
    this.#maxConnections = maxConnections;
    this.#maxHalfOpen = maxHalfOpen;
    this.#graceMs = halfOpenGraceMs;
  }

  get size(): number {
    return this.#peers.size;
  }

  add(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const peer: Peer = {
      socket,
      address,
      since: performance.now(),
      answering: 0,
      surplus: false,
      idle: undefined,
      onAnswered: () => this.#answered(peer),
    };
    this.#peers.set(socket, peer);
    const mates = this.#halfOpen.get(address) ?? new Set();
    this.#halfOpen.set(address, mates.add(peer));
    socket.once("close", () => this.#forget(peer));
    socket.on("error", () => socket.destroy());
    if (mates.size > this.#maxHalfOpen) setTimeout(() => this.#thin(mates), this.#graceMs).unref();
    if (this.#peers.size > this.#maxConnections) this.#makeRoom(peer);
  }

  /** A connection was encrypted: its requests come by another socket than the one that was added. */
  addEncrypted(socket: Socket): void {
    const end = endOf(socket);
    for (const peer of this.#halfOpen.get(socket.remoteAddress ?? "") ?? [])
      if (endOf(peer.socket) === end) this.#encrypted.set(socket, peer);
    socket.on("error", () => socket.destroy());
  }

  /** A request was received completely; `false` if it was answered here because there is no room for it. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const peer = this.#peers.get(socket) ?? this.#encrypted.get(socket);
    if (peer === undefined || !this.#peers.has(peer.socket)) return false; // it was let go already, and knows
    this.#leaveHalfOpen(peer);
    this.#leaveIdle(peer);
    peer.answering++;
    response.on("close", peer.onAnswered);
    if (!peer.surplus) return true;
    response.writeHead(503, { ...overloadHeaders, connection: "close" }).end(overloadBody);
    return false;
  }

  #answered(peer: Peer): void {
    if (--peer.answering === 0 && this.#peers.has(peer.socket)) peer.idle = this.#idle.add(peer);
  }

  /** Those of one address that had their time and sent no request, the oldest first, until few enough are left. */
  #thin(mates: ReadonlySet<Peer>): void {
    const now = performance.now();
    for (const oldest of mates) {
      if (mates.size <= this.#maxHalfOpen || now - oldest.since < this.#graceMs) return;
      this.#release(oldest);
    }
  }

  #makeRoom(newcomer: Peer): void {
    const crowd = [...this.#halfOpen.values()].sort((a, b) => b.size - a.size);
    const slow = crowd.flatMap((mates) => [...mates].slice(0, 2)).find((peer) => peer !== newcomer);
    const leaving = slow ?? this.#idle.first;
    if (leaving === undefined) newcomer.surplus = true;
    else this.#release(leaving);
  }

  #release(peer: Peer): void {
    const slow = this.#halfOpen.get(peer.address)?.has(peer) === true;
    this.#forget(peer);
    // An idle one is just closed: nothing of it is under way that could be answered.
    if (slow) peer.socket.end(rawOverload);
    else peer.socket.end();
    // A client that keeps sending would never close.
    setTimeout(() => peer.socket.destroy(), 1000).unref();
  }

  #forget(peer: Peer): void {
    this.#peers.delete(peer.socket);
    this.#leaveIdle(peer);
    this.#leaveHalfOpen(peer);
  }

  #leaveIdle(peer: Peer): void {
    if (peer.idle !== undefined) this.#idle.remove(peer.idle);
    peer.idle = undefined;
  }

  #leaveHalfOpen(peer: Peer): void {
    const mates = this.#halfOpen.get(peer.address);
    mates?.delete(peer);
    if (mates?.size === 0) this.#halfOpen.delete(peer.address);
  }
}

/** The other end of a connection. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const overloadBody = JSON.stringify({
  error: {
    code: "TOO_MANY_CONNECTIONS",
    message: "The server has too many connections.",
    hint: "Try again in a moment, and close connections that are not used.",
  },
});

const overloadHeaders = {
  "content-type": "application/json; charset=utf-8",
  "content-length": String(Buffer.byteLength(overloadBody)),
  "retry-after": "1",
};

const rawOverload = [
  "HTTP/1.1 503 Service Unavailable",
  ...Object.entries(overloadHeaders).map(([name, value]) => `${name}: ${value}`),
  "connection: close",
  "",
  overloadBody,
].join("\r\n");

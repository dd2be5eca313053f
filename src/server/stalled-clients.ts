import type { Socket } from "node:net";

/** Hangs up on clients that do not read; what they missed can be fetched again where the protocol allows. */
export class StalledClients {
  readonly #maxMs: number;
  /** When each connection last took everything that it was sent. */
  readonly #tookAt = new Map<Socket, number>();
  #looking: NodeJS.Timeout | undefined;

  /** @param maxMs A client that takes nothing of its answer for this long is let go. */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Look after a connection from now on, as long as it lasts. */
  watch(socket: Socket): void {
    if (socket.destroyed || this.#tookAt.has(socket)) return;
    this.#tookAt.set(socket, performance.now());
    socket.on("drain", () => this.#tookAt.set(socket, performance.now()));
    socket.once("close", () => {
      this.#tookAt.delete(socket);
      if (this.#tookAt.size === 0) this.#stop();
    });
    this.#looking ??= setInterval(() => this.#look(), Math.min(this.#maxMs / 4, 5000)).unref();
  }

  #look(): void {
    const now = performance.now();
    for (const [socket, tookAt] of this.#tookAt) {
      if (!socket.writableNeedDrain) this.#tookAt.set(socket, now);
      else if (now - tookAt >= this.#maxMs) socket.destroy();
    }
  }

  #stop(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

import type { SessionEnv } from "../contract/ports/env.js";
import type { WireEnv } from "./protocol.js";

const mostSessions = 500;

/** Remembers which environment a process knows of each session, so that it is sent only when it changed. */
export class EnvMemory {
  readonly #known = new Map<string, string>();

  /** The environment, where the process has not heard of it. */
  news(sessionId: string, env: SessionEnv): WireEnv | undefined {
    const wire = toWire(env);
    const text = JSON.stringify(wire);
    if (this.#known.get(sessionId) === text) return undefined;
    this.#known.delete(sessionId);
    this.#known.set(sessionId, text);
    for (const old of this.#known.keys()) {
      if (this.#known.size <= mostSessions) break;
      this.#known.delete(old);
    }
    return wire;
  }
}

function toWire(env: SessionEnv): WireEnv {
  const values: Record<string, string> = {};
  const refused: string[] = [];
  for (const name of env.entries().keys()) {
    try {
      values[name] = env.get(name) ?? "";
    } catch {
      refused.push(name); // a secret that the agent may not see
    }
  }
  return { values, refused };
}

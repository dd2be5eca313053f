import type { Json } from "../../contract/json.js";
import type { KeyValue, Store, WorkStores } from "../../contract/ports/store.js";
import { ownerOf } from "../../contract/ownership.js";
import type { CallScope } from "../../contract/session.js";
import type { LazyState } from "./lazy-state.js";
import type { WorkAccess } from "./work-access.js";

/** The store of one call: key-value data of its tool and principal alone, and the stores that all agents share. */
export class ToolStore implements Store {
  readonly #state: LazyState;
  readonly #work: WorkAccess;
  readonly #scope: CallScope;
  #stores: WorkStores | undefined;

  constructor(state: LazyState, work: WorkAccess, scope: CallScope) {
    this.#state = state;
    this.#work = work;
    this.#scope = scope;
  }

  async get(key: string): Promise<Json | undefined> {
    return (await this.#own()).get(key);
  }
  async set(key: string, value: Json): Promise<void> {
    await (await this.#own()).set(key, value);
  }
  async delete(key: string): Promise<boolean> {
    return (await this.#own()).delete(key);
  }
  async list(prefix?: string): Promise<readonly string[]> {
    return (await this.#own()).list(prefix);
  }

  get snippets(): WorkStores["snippets"] {
    return this.#shared.snippets;
  }
  get memories(): WorkStores["memories"] {
    return this.#shared.memories;
  }
  get plan(): WorkStores["plan"] {
    return this.#shared.plan;
  }
  get artifacts(): WorkStores["artifacts"] {
    return this.#shared.artifacts;
  }
  get pipeline(): WorkStores["pipeline"] {
    return this.#shared.pipeline;
  }

  get #shared(): WorkStores {
    return (this.#stores ??= this.#work.storesFor(this.#scope));
  }

  async #own(): Promise<KeyValue> {
    const { toolName, session } = this.#scope;
    const owner = ownerOf(session);
    const space = `tool:${toolName}`;
    return (await this.#state.open()).kv(owner === undefined ? space : `principal:${owner}:${space}`);
  }
}

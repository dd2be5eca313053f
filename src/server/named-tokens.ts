import type { ServerResponse } from "node:http";
import type { AccessStore, Identity } from "../contract/ports/access.js";

/** How often it is checked whether open answers may still go on. */
const checkEveryMs = 1000;

/** Users who come in with tokens of their own. A token that ends takes its open answers with it. */
export class NamedTokens {
  readonly #access: AccessStore;
  readonly #open = new Map<ServerResponse, { readonly secret: string; readonly identity: Identity }>();
  readonly #onFault: (cause: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(access: AccessStore, onFault: (cause: unknown) => void) {
    this.#access = access;
    this.#onFault = onFault;
  }

  /** Whose token it is, if it is valid now. */
  identify(secret: string): Promise<Identity | undefined> {
    return this.#access.authenticate(secret);
  }

  /** Hang up when the token ends or means something else, such as another role. */
  watch(response: ServerResponse, secret: string, identity: Identity): void {
    this.#open.set(response, { secret, identity });
    response.once("close", () => this.#open.delete(response));
    this.#checkSoon();
  }

  #checkSoon(): void {
    if (this.#timer === undefined && this.#open.size > 0)
      this.#timer = setTimeout(() => this.#check(), checkEveryMs).unref();
  }

  #check(): void {
    const secrets = new Set([...this.#open.values()].map(({ secret }) => secret));
    Promise.all([...secrets].map((secret) => this.#endUnlessValid(secret)))
      .catch(this.#onFault)
      .finally(() => {
        this.#timer = undefined;
        this.#checkSoon();
      });
  }

  async #endUnlessValid(secret: string): Promise<void> {
    const now = await this.#access.authenticate(secret);
    for (const [response, open] of this.#open) {
      if (open.secret === secret && !isSame(now, open.identity)) response.destroy();
    }
  }
}

function isSame(now: Identity | undefined, then: Identity): boolean {
  return now !== undefined && now.role === then.role && now.endpoint === then.endpoint;
}

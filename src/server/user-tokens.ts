import type { ServerResponse } from "node:http";
import { tokenPrefix, type AccessStore, type Identity } from "../contract/ports/access.js";
import { HttpError } from "./http-error.js";
import type { AccessTokens } from "./identity/access-tokens.js";

/** How often it is checked whether open answers may still go on. */
const checkEveryMs = 1000;

export interface UserTokensOptions {
  readonly access: AccessStore;
  /** Tokens of an authorization server. @default none are accepted */
  readonly oauth?: AccessTokens | undefined;
  readonly onFault: (cause: unknown) => void;
}

/** How an open answer is checked again: who opened it, and what that user may do now. */
export interface Watched {
  /** The same for answers that are checked together. */
  readonly key: string;
  /** Throws where that cannot be found out. */
  readonly identify: () => Promise<Identity | undefined>;
}

/** A token, and the address that it is shown at: one of an authorization server opens only what it was made for. */
export interface ShownToken {
  readonly secret: string;
  readonly resource: string;
}

/** Users who come in with tokens of their own. A token that ends takes its open answers with it. */
export class UserTokens {
  readonly #options: UserTokensOptions;
  readonly #open = new Map<ServerResponse, Watched & { readonly identity: Identity }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UserTokensOptions) {
    this.#options = options;
  }

  /** Whose token it is, if it is valid now; some faults are thrown with their own answer. */
  async identify({ secret, resource }: ShownToken): Promise<Identity | undefined> {
    const { access, oauth } = this.#options;
    if (secret.startsWith(tokenPrefix)) return access.authenticate(secret);
    return oauth?.identify(secret, resource);
  }

  /** Hang up when the token or session ends or means something else, such as another role. */
  watch(response: ServerResponse, watched: Watched, identity: Identity): void {
    this.#open.set(response, { ...watched, identity });
    response.once("close", () => this.#open.delete(response));
    this.#checkSoon();
  }

  #checkSoon(): void {
    if (this.#timer === undefined && this.#open.size > 0)
      this.#timer = setTimeout(() => this.#check(), checkEveryMs).unref();
  }

  #check(): void {
    const watched = new Map([...this.#open.values()].map((each) => [each.key, each]));
    Promise.all([...watched.values()].map((each) => this.#endUnlessValid(each)))
      .catch(this.#options.onFault)
      .finally(() => {
        this.#timer = undefined;
        this.#checkSoon();
      });
  }

  async #endUnlessValid({ key, identify }: Watched): Promise<void> {
    const now = await identify().catch(identityUnlessOver);
    if (now === "unknown") return;
    for (const [response, open] of this.#open)
      if (open.key === key && !isSame(now, open.identity)) response.destroy();
  }
}

/** A provider that cannot be asked says nothing about its tokens. */
function identityUnlessOver(thrown: unknown): undefined | "unknown" {
  if (!(thrown instanceof HttpError)) throw thrown;
  return thrown.status === 503 ? "unknown" : undefined;
}

function isSame(now: Identity | undefined, then: Identity): boolean {
  return now !== undefined && now.role === then.role && now.endpoint === then.endpoint;
}

import { ToolUnavailableError } from "../../contract/errors.js";
import type { SecretScope } from "../../contract/ports/secrets.js";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { fillSecrets, secretsOfServer } from "../../contract/secret-references.js";
import type { SealedSecret } from "../../store/secrets.js";
import type { LazyState } from "../state/lazy-state.js";
import { HandedOutSecrets } from "./handed-out.js";
import type { SecretKeySource } from "./secret-keys.js";

export interface SecretVaultOptions {
  readonly state: LazyState;
  readonly keys: SecretKeySource;
  /** Hides a value in events, records and errors from now on. */
  readonly onSecret: (value: string) => void;
}

/** Hands stored secrets to MCP servers, and to nobody else. */
export class SecretVault {
  readonly handedOut = new HandedOutSecrets();
  readonly #options: SecretVaultOptions;

  constructor(options: SecretVaultOptions) {
    this.#options = options;
  }

  /** Names which values a caller gets, without them: another text for other values. Rejects where one is missing. */
  async pick(names: readonly string[], caller: SecretScope): Promise<string> {
    return (await this.#find(names, caller)).map(({ id }) => id).join(" ");
  }

  /** The program or address with the caller's secrets in its variables or headers. */
  async fill(spec: UpstreamSpec, caller: SecretScope): Promise<UpstreamSpec> {
    const names = secretsOfServer(spec);
    if (names.length === 0) return spec;
    const values = await this.#open(await this.#find(names, caller), caller);
    if (spec.kind === "program") return { ...spec, env: fillAll(spec.env, values) };
    return { ...spec, headers: fillAll(spec.headers ?? {}, values) };
  }

  async #find(names: readonly string[], caller: SecretScope): Promise<readonly SealedSecret[]> {
    const found = await (await this.#options.state.open()).secrets.findFor(names, caller);
    const missing = names.find((name) => !found.some((each) => each.name === name));
    if (missing !== undefined) throw secretMissing(missing, caller);
    return found;
  }

  async #open(sealed: readonly SealedSecret[], caller: SecretScope): Promise<ReadonlyMap<string, string>> {
    let rows = sealed;
    for (let attempt = 0; ; attempt++) {
      try {
        const keys = this.#options.keys.read();
        const values = new Map(rows.map((row) => [row.name, row.open(keys)]));
        for (const [name, value] of values) {
          this.#options.onSecret(value);
          this.handedOut.add(name, value);
        }
        return values;
      } catch (error) {
        if (attempt > 0 || (error as { code?: unknown }).code !== "SECRETS_KEY_WRONG") throw error;
        // The key may have been replaced between the two readings.
        rows = await this.#find(
          rows.map(({ name }) => name),
          caller,
        );
      }
    }
  }
}

function fillAll(
  texts: Readonly<Record<string, string>>,
  values: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fillSecrets(text, values)]));
}

function secretMissing(name: string, { user, endpoint }: SecretScope): Error {
  const whose = `${user === undefined ? "" : ` --user ${user}`}${endpoint === undefined ? "" : ` --endpoint ${endpoint}`}`;
  const forWhom = [user ?? "everybody", ...(endpoint === undefined ? [] : [`at /mcp/${endpoint}`])].join(" ");
  return new ToolUnavailableError(`The secret "${name}" is not stored for ${forWhom}.`, {
    code: "SECRET_MISSING",
    hint: `Store it with: tenon secrets set ${name}${whose}`,
    retryable: false,
  });
}

import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { NewSecret, SecretRef, SecretStore } from "../../contract/ports/secrets.js";
import { secretName } from "../../contract/secret-references.js";
import { checkKeys } from "../../schema/check-keys.js";
import type { StoredSecrets } from "../../store/secrets.js";
import type { RecordAction } from "../audit/audited-action.js";
import type { LazyState } from "../state/lazy-state.js";
import type { SecretKeySource } from "./secret-keys.js";
import { plural } from "../../text/plural.js";

export interface AuditedSecretsOptions {
  readonly config: ResolvedConfig;
  readonly state: LazyState;
  readonly keys: SecretKeySource;
  readonly recordAction: RecordAction;
  /** Hides a value wherever it would appear from now on. */
  readonly onSecret: (value: string) => void;
}

/** The secrets of the state. Every change is recorded in the log by name; values are in no record. */
export function createAuditedSecrets(options: AuditedSecretsOptions): SecretStore {
  const { config, state, keys, recordAction, onSecret } = options;
  const stored = async (): Promise<StoredSecrets> => (await state.open()).secrets;
  const readKeys = () => keys.read();
  return {
    list: async () => (await stored()).list(),
    set: async (secret) => {
      checkKeys(secret, { name: true, value: true, user: true, endpoint: true }, "secrets.set");
      checkSecret(secret, config.endpoints);
      onSecret(secret.value);
      const { value: _value, ...named } = secret;
      return recordAction({
        name: "secrets_set",
        arguments: named,
        run: async () => (await stored()).set(secret, readKeys),
      });
    },
    remove: async (secret) => {
      checkKeys(secret, { name: true, user: true, endpoint: true }, "secrets.remove");
      const run = async () => (await stored()).remove(secret);
      return recordAction({ name: "secrets_remove", arguments: secret, run });
    },
    rotateKey: () =>
      recordAction({ name: "secrets_rotate", arguments: {}, run: async () => rotate(await stored(), keys) }),
    createKey: async () => {
      await refuseOrphans(await stored(), keys);
      return recordAction({ name: "secrets_key", arguments: {}, run: async () => keys.create() });
    },
  };
}

/** The old key stays in the file until nothing needs it any more: whenever this ends early, all secrets can be read. */
async function rotate(
  stored: StoredSecrets,
  keys: SecretKeySource,
): Promise<{ readonly changed: number; readonly keyId: string }> {
  keys.read();
  if (!keys.isFromEnv) {
    // What cannot be read is found before anything changes.
    await stored.reseal(() => keys.read());
    keys.add();
  }
  const changed = await stored.reseal(() => keys.read());
  if (!keys.isFromEnv) keys.keepFirst();
  const [{ id: keyId }] = keys.read();
  return { changed, keyId };
}

/** A new key would not read what an old one has encrypted, so it is not made in the place of a lost one. */
async function refuseOrphans(stored: StoredSecrets, keys: SecretKeySource): Promise<void> {
  const first = (await stored.list())[0];
  if (first === undefined || hasKey(keys)) return;
  throw new ToolValidationError(
    `The key ${first.keyId}, which the stored secrets are encrypted with, is missing.`,
    {
      code: "VALUE_INVALID",
      hint: "Put it back, or remove the secrets first: tenon secrets list, tenon secrets remove NAME.",
    },
  );
}

function hasKey(keys: SecretKeySource): boolean {
  try {
    keys.read();
    return true;
  } catch {
    return false;
  }
}

/** Shorter values could not be hidden: they would blacken ordinary words. */
const minChars = 8;
const maxChars = 32_768;

function checkSecret({ name, value, endpoint }: NewSecret, endpoints: ResolvedConfig["endpoints"]): void {
  checkSecretName({ name });
  if (value.length < minChars || value.length > maxChars)
    throw invalid(
      `The value of "${name}" has ${plural(value.length, "character")}.`,
      `Use ${minChars} to ${maxChars}: shorter ones cannot be hidden in logs.`,
    );
  if (value.includes("\0")) throw invalid(`The value of "${name}" contains NUL.`, "Remove it.");
  if (endpoint !== undefined && !Object.hasOwn(endpoints, endpoint))
    throw invalid(
      `Endpoint ${JSON.stringify(endpoint.slice(0, 80))} not found.`,
      "List the endpoints with: tenon endpoints list",
    );
}

function checkSecretName({ name }: SecretRef): void {
  if (secretName.test(name)) return;
  throw invalid(
    `${JSON.stringify(name.slice(0, 80))} is not a valid name for a secret.`,
    "Use 1 to 64 letters, digits and _, starting with a letter or _, such as GITHUB_TOKEN.",
  );
}

function invalid(message: string, hint: string): ToolValidationError {
  return new ToolValidationError(message, { code: "VALUE_INVALID", hint });
}

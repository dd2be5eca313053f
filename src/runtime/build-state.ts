import { EventBus } from "../record/event-bus.js";
import { createRedactor, type Redactor } from "../world/secrets/redactor.js";
import { isSecretName } from "../world/secrets/secret-names.js";
import { createRuntimePolicy } from "./approvals/runtime-policy.js";
import { createAuditedActions, type Actor } from "./audit/audited-action.js";
import { createRuntimeAudit } from "./audit/runtime-audit.js";
import { createCallIds } from "./calls/ids.js";
import { RunningCalls } from "./calls/running-calls.js";
import { logCalls, logSinkOf } from "./log/call-log.js";
import { openOptions, type OpenedOptions } from "./options.js";
import { SecretKeySource } from "./secrets/secret-keys.js";
import { SecretVault } from "./secrets/secret-vault.js";
import { databaseSecrets } from "./state/database-secrets.js";
import { createLazyState } from "./state/lazy-state.js";
import type { TenonOptions } from "./tenon-options.js";
import { systemClock } from "../contract/system-clock.js";

/** The first builder: options with their defaults, the state with its policy, and the log of calls. */
export function buildState(given: TenonOptions) {
  const base = createBase(given);
  const { options, running } = base;
  const remembered = createRuntimePolicy(base);
  const audit = createRuntimeAudit({ ...base, running, ownership: given.ownership });
  const recordActionAs = (actor: Actor) =>
    createAuditedActions({ ...base, actor, recorders: audit.recorders });
  return {
    ...base,
    remembered,
    policy: remembered.policy,
    audit,
    recordActionAs,
    recordAction: recordActionAs(options.actor ?? { via: "library" }),
  };
}

/** What `buildState` made. */
export type StateParts = ReturnType<typeof buildState>;

/** What nothing else has to exist for: options, events, ids, secrets, and the state, which opens on first use. */
function createBase(given: TenonOptions) {
  const opened = openOptions(given);
  const { config, env, workspace } = opened;
  const clock = given.clock ?? systemClock;
  const log = logSinkOf(given.log, config);
  const onWarning = (message: string): void => log?.({ level: "warn", time: clock.now(), message });
  const events = new EventBus({ now: clock.now });
  const redactor = createSecretRedactor(opened);
  const { redact, addKnown } = redactor;
  logCalls({ config, sink: log, events, redact });
  const ids = createCallIds();
  const state = createState(opened, { ownership: given.ownership, onWarning });
  const secretKeys = new SecretKeySource({ env, keyFile: opened.secretsKeyFile, workspace, onKey: addKnown });
  return {
    ...opened,
    options: log === undefined ? given : { ...given, log },
    clock,
    onWarning,
    events,
    redactor,
    redact,
    ids,
    newId: ids.newId,
    running: new RunningCalls(),
    state,
    secretKeys,
    vault: new SecretVault({ state, keys: secretKeys, onSecret: addKnown }),
  };
}

function createState(
  opened: OpenedOptions,
  more: Pick<Parameters<typeof createLazyState>[0], "ownership" | "onWarning">,
) {
  const { database, state, idempotency } = opened.config;
  const { maxAgeHours, maxKeys } = idempotency;
  return createLazyState({
    ...opened,
    ...more,
    database,
    limits: state,
    answerLimits: { maxAgeMs: maxAgeHours * 3_600_000, maxKeys },
  });
}

/** Hides what the environment and the configuration hold of secrets. */
function createSecretRedactor({ config, env }: OpenedOptions): Redactor {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isSecretName(name)) redactor.addKnown(value);
  if (config.tools.webSearch?.apiKey !== undefined) redactor.addKnown(config.tools.webSearch.apiKey);
  for (const secret of databaseSecrets(config.database)) redactor.addKnown(secret);
  return redactor;
}

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
  const opened = openOptions(given);
  const { config } = opened;
  const clock = given.clock ?? systemClock;
  const log = logSinkOf(given.log, config);
  const onWarning = (message: string): void => log?.({ level: "warn", time: clock.now(), message });
  const events = new EventBus({ now: clock.now });
  const redactor = createSecretRedactor(opened);
  const { redact } = redactor;
  logCalls({ config, sink: log, events, redact });
  const ids = createCallIds();
  const running = new RunningCalls();
  const state = createLazyState({
    ...opened,
    database: config.database,
    limits: config.state,
    answerLimits: {
      maxAgeMs: config.idempotency.maxAgeHours * 3_600_000,
      maxKeys: config.idempotency.maxKeys,
    },
    ownership: given.ownership,
    onWarning,
  });
  const secretKeys = new SecretKeySource({
    env: opened.env,
    keyFile: opened.secretsKeyFile,
    workspace: opened.workspace,
    onKey: redactor.addKnown,
  });
  const vault = new SecretVault({ state, keys: secretKeys, onSecret: redactor.addKnown });
  const options: TenonOptions = log === undefined ? given : { ...given, log };
  const base = { ...opened, options, clock, events, redactor, redact, ids, newId: ids.newId, state };
  const remembered = createRuntimePolicy(base);
  const audit = createRuntimeAudit({ ...base, running, ownership: given.ownership });
  const recordActionAs = (actor: Actor) =>
    createAuditedActions({ ...base, actor, recorders: audit.recorders });
  const recordAction = recordActionAs(options.actor ?? { via: "library" });
  return {
    ...base,
    vault,
    secretKeys,
    recordActionAs,
    onWarning,
    running,
    remembered,
    policy: remembered.policy,
    audit,
    recordAction,
  };
}

export type StateParts = ReturnType<typeof buildState>;

/** Hides what the environment and the configuration hold of secrets. */
function createSecretRedactor({ config, env }: OpenedOptions): Redactor {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isSecretName(name)) redactor.addKnown(value);
  if (config.tools.webSearch?.apiKey !== undefined) redactor.addKnown(config.tools.webSearch.apiKey);
  for (const secret of databaseSecrets(config.database)) redactor.addKnown(secret);
  return redactor;
}

import type { NormalConfig } from "./normal-config.js";

/** Make the ids of rules unique, so that a decision names one rule. Adds the ids to `taken`. */
export function withUniqueIds(config: NormalConfig, source: string, taken: Set<string>): NormalConfig {
  if (config.policy === undefined) return config;
  const rules = config.policy.rules.map((rule, index) => {
    const id = freeName(rule.id ?? `${source}#${index + 1}`, source, taken);
    taken.add(id);
    return { ...rule, id };
  });
  return { ...config, policy: { rules } };
}

function freeName(id: string, source: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  const base = `${source}:${id}`.slice(0, 240);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}#${number}`;
    if (!taken.has(name)) return name;
  }
}

import { sandboxUses } from "../world/sandbox/settings.js";
import type { NormalConfig } from "./normal-config.js";
import type { ResolvedConfig } from "./resolve-config.js";
import { isEmpty, pickLower, pickSmaller, type Refuse } from "./stricter.js";

type Sandbox = NonNullable<NormalConfig["sandbox"]>;

/** What a stranger may say about the sandbox: hide more, allow less. */
export function tightenSandbox(wanted: Sandbox, { sandbox }: ResolvedConfig, refuse: Refuse): Sandbox {
  const { enabled, profiles, hidden, unixSockets, limits, ...rest } = wanted;
  for (const [key, value] of Object.entries(rest)) if (!isEmpty(value)) refuse(key);
  if (unixSockets === true && !sandbox.unixSockets) refuse("unixSockets");
  const result: Sandbox = {
    enabled: pickLower(enabled, sandbox.enabled, { refuse, path: "enabled", order: sandboxUses }),
    profiles: fewer(profiles, sandbox.profiles, () => refuse("profiles")),
    hidden,
    unixSockets: unixSockets === false ? false : undefined,
    limits: tightenLimits(limits ?? {}, sandbox.limits, refuse),
  };
  return Object.fromEntries(Object.entries(result).filter(([key, value]) => keeps(key, value)));
}

/** An empty list of profiles is a wish; other empty things say nothing. */
function keeps(key: string, value: unknown): boolean {
  return key === "profiles" ? value !== undefined : !isEmpty(value);
}

function fewer<T>(wanted: T[] | undefined, present: readonly T[], refuse: () => void): T[] | undefined {
  if (wanted === undefined) return undefined;
  if (!wanted.every((name) => present.includes(name))) refuse();
  const both = wanted.filter((name) => present.includes(name));
  return present.every((name) => both.includes(name)) ? undefined : both;
}

function tightenLimits(
  wanted: NonNullable<Sandbox["limits"]>,
  present: ResolvedConfig["sandbox"]["limits"],
  refuse: Refuse,
): Sandbox["limits"] {
  const names = ["cpuSeconds", "fileSize", "processes", "openFiles", "memory", "disk"] as const;
  const picked = names.map((name) => {
    const limit = pickSmaller(wanted[name], present[name], { refuse, path: `limits.${name}`, floor: 1 });
    return [name, limit] as const;
  });
  return Object.fromEntries(picked.filter(([, limit]) => limit !== undefined));
}

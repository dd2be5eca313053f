import { modes, optimiserModes, securityLevels } from "./levels.js";
import type { NormalConfig } from "./normal-config.js";
import type { ResolvedConfig } from "./resolve-config.js";
import { pickLower, pickSmaller, isEmpty, type Refuse } from "./stricter.js";
import { tightenSandbox } from "./tighten-sandbox.js";
import { tightenCache, tightenOutput } from "./tighten-output.js";
import { tightenTool } from "./tighten-tool.js";

/** What an untrusted configuration may have, and the keys that it may not. */
export interface Tightened {
  /** Only what is stricter than `base`; to be laid on top of it. */
  readonly config: NormalConfig;
  readonly ignored: readonly string[];
}

type Section<Key extends keyof NormalConfig> = (
  wanted: NonNullable<NormalConfig[Key]>,
  base: ResolvedConfig,
  refuse: Refuse,
) => NormalConfig[Key] | undefined;

type AnySection = (wanted: never, base: ResolvedConfig, refuse: Refuse) => unknown;

/**
 * Take from a configuration that nobody has trusted what makes things stricter than the person's own.
 * A key without an entry here is ignored: whoever adds one to the schema must decide first.
 */
export function tighten(wanted: NormalConfig, base: ResolvedConfig): Tightened {
  const ignored: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(wanted)) {
    if (isEmpty(value)) continue;
    const section = Object.hasOwn(sections, key) ? (sections as Record<string, AnySection>)[key] : undefined;
    const refuse: Refuse = (path) => void ignored.push(path === "" ? key : `${key}.${path}`);
    if (section === undefined) {
      refuseAll(key, value, ignored);
      continue;
    }
    const taken = section(value as never, base, refuse);
    if (!isEmpty(taken)) config[key] = taken;
  }
  return { config, ignored };
}

/** Names of servers and the like are worth telling one by one. */
function refuseAll(key: string, value: unknown, ignored: string[]): void {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMap) ignored.push(...Object.keys(value).map((name) => `${key}.${name}`));
  else ignored.push(key);
}

const sections: { readonly [Key in keyof NormalConfig]?: Section<Key> } = {
  mode: (wanted, base, refuse) => pickLower(wanted, base.mode, { order: modes, refuse, path: "" }),
  securityLevel: (wanted, base, refuse) =>
    pickLower(wanted, base.securityLevel, { order: securityLevels, refuse, path: "" }),
  optimiser: (wanted, base, refuse) =>
    pickLower(wanted, base.optimiser, { order: optimiserModes, refuse, path: "" }),
  durability: (wanted, base, refuse) =>
    pickLower(wanted, base.durability, { order: ["strict", "default"], refuse, path: "" }),
  // Who may consent is the person's own to say.
  approvals: ({ timeoutMs, pageTimeoutMs, ...rest }, { approvals: base }, refuse) => {
    refuseKeys(rest, refuse);
    return defined({
      timeoutMs: pickSmaller(timeoutMs, base.timeoutMs, { refuse, path: "timeoutMs" }),
      pageTimeoutMs: pickSmaller(pageTimeoutMs, base.pageTimeoutMs, { refuse, path: "pageTimeoutMs" }),
    });
  },
  // More is recorded than the person asked for, or for them nothing changes.
  audit: ({ enabled, ...rest }, base, refuse) => {
    refuseKeys(rest, refuse);
    return defined({ enabled: pickTrue(enabled, base.audit.enabled, () => refuse("enabled")) });
  },
  policy: (wanted, _base, refuse) => ({
    rules: wanted.rules.filter((rule) => {
      if (rule.decision !== "allow") return true;
      refuse(`rules (allow: ${rule.id})`);
      return false;
    }),
  }),
  files: tightenFiles,
  network: tightenNetwork,
  sandbox: tightenSandbox,
  tools: tightenTools,
};

function tightenFiles(
  wanted: NonNullable<NormalConfig["files"]>,
  base: ResolvedConfig,
  refuse: Refuse,
): NormalConfig["files"] {
  const { allowedPaths, forbiddenPaths, protectedPaths, maxFileSize, strict = {}, ...rest } = wanted;
  refuseKeys({ allowedPaths, ...rest }, refuse);
  return defined({
    forbiddenPaths,
    protectedPaths,
    maxFileSize: pickSmaller(maxFileSize, base.files.maxFileSize, { refuse, path: "maxFileSize" }),
    strict: defined({
      noParent: pickTrue(strict.noParent, base.files.strict.noParent, () => refuse("strict.noParent")),
      noSymlinks: pickTrue(strict.noSymlinks, base.files.strict.noSymlinks, () =>
        refuse("strict.noSymlinks"),
      ),
      noAbsolute: pickTrue(strict.noAbsolute, base.files.strict.noAbsolute, () =>
        refuse("strict.noAbsolute"),
      ),
    }),
  });
}

function tightenNetwork(
  wanted: NonNullable<NormalConfig["network"]>,
  base: ResolvedConfig,
  refuse: Refuse,
): NormalConfig["network"] {
  const { allowPrivate, maxBytes, timeoutMs, ...rest } = wanted;
  refuseKeys(rest, refuse);
  if (allowPrivate === true && !base.network.allowPrivate) refuse("allowPrivate");
  return defined({
    allowPrivate: allowPrivate === false ? false : undefined,
    maxBytes: pickSmaller(maxBytes, base.network.maxBytes, { refuse, path: "maxBytes" }),
    timeoutMs: pickSmaller(timeoutMs, base.network.timeoutMs, { refuse, path: "timeoutMs" }),
  });
}

function tightenTools(
  wanted: NonNullable<NormalConfig["tools"]>,
  base: ResolvedConfig,
  refuse: Refuse,
): NormalConfig["tools"] {
  const {
    enabled,
    quotas,
    timeout,
    maxConcurrent,
    maxQueued,
    allowedCommands,
    perTool = {},
    output,
    cache,
    ...rest
  } = wanted;
  refuseKeys(rest, refuse);
  const { tools } = base;
  const each = Object.entries(perTool).map(([name, tool]) => {
    const within: Refuse = (path) => refuse(`perTool.${name}.${path}`);
    return [name, tightenTool(tool, tools.perTool[name] ?? {}, within)] as const;
  });
  return defined({
    enabled,
    quotas,
    allowedCommands: fewer(allowedCommands, tools.allowedCommands),
    timeout: pickSmaller(timeout, tools.timeout, { refuse, path: "timeout" }),
    maxConcurrent: pickSmaller(maxConcurrent, tools.maxConcurrent, { refuse, path: "maxConcurrent" }),
    maxQueued: pickSmaller(maxQueued, tools.maxQueued, { refuse, path: "maxQueued" }),
    output: tightenOutput(output ?? {}, tools.output, refuse),
    cache: tightenCache(cache ?? {}, tools.cache, refuse),
    perTool: Object.fromEntries(each.filter(([, tool]) => !isEmpty(tool))),
  });
}

/** Those of the wanted ones that were allowed before. */
function fewer(wanted: string[] | undefined, base: readonly string[] | undefined): string[] | undefined {
  return base === undefined ? wanted : wanted?.filter((name) => base.includes(name));
}

function pickTrue(wanted: boolean | undefined, base: boolean, refuse: () => void): true | undefined {
  if (wanted === false && base) refuse();
  return wanted === true ? true : undefined;
}

function refuseKeys(map: object, refuse: Refuse): void {
  for (const [key, value] of Object.entries(map)) if (!isEmpty(value)) refuse(key);
}

function defined<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => !isEmpty(value))) as T;
}

/** Variables of a command, and how they get past the shell that stands before it. */
export interface CarriedVariables {
  /** What the shell inside starts with. */
  readonly initial: readonly (readonly [name: string, value: string])[];
  /** Lines of shell that give them their own names. */
  readonly script: string;
}

/**
 * The shell that sets the last limits and looks whether the wall is sound runs inside, but must not be
 * the command's to steer: LD_PRELOAD, SHELLOPTS or an exported function would do that. So each variable
 * comes under a name that means nothing, and gets its own just before the command starts.
 */
export function carryVariables(env: Readonly<Record<string, string>>): CarriedVariables {
  const all = Object.entries(env)
    .filter(([name]) => name !== "" && !name.includes("=") && !dropped.test(name))
    .map(([name, value]) => [name, name === "TMPDIR" ? "/tmp" : value] as const);
  // A name that no shell can set does nothing to one either.
  const isPlain = ([name]: readonly [string, string]): boolean =>
    /^[A-Za-z_]\w*$/.test(name) && !reserved.has(name);
  const plain = all.filter(isPlain);
  return {
    initial: [
      ...all.filter((entry) => !isPlain(entry)),
      ...plain.map(([, value], index) => [`TENON_CARRIED_${index}`, value] as const),
    ],
    script: plain
      .map(([name], index) => `export ${name}="$TENON_CARRIED_${index}"; unset TENON_CARRIED_${index}\n`)
      .join(""),
  };
}

/** Exported functions and options of bash, which act on every bash, and the names that carry others. */
const dropped = /^(?:BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PWD|OLDPWD|TENON_CARRIED_\d+)$/s;
/** Variables of the shell's own, which it may refuse to be given. */
const reserved = new Set(["UID", "EUID", "PPID", "OPTIND", "LINENO", "RANDOM", "SECONDS", "_"]);

/** Variables of a command, and how they are passed through the shell that starts it. */
export interface CarriedVariables {
  /** The initial variables of the shell inside. */
  readonly initial: readonly (readonly [name: string, value: string])[];
  /** Shell lines that restore the original names. */
  readonly script: string;
}

/**
 * The shell that sets the last limits and checks the mounts runs inside, but the command must not influence it with
 * LD_PRELOAD, SHELLOPTS or an exported function. So each variable is passed under a neutral name and renamed just
 * before the command starts.
 */
export function carryVariables(env: Readonly<Record<string, string>>): CarriedVariables {
  const all = Object.entries(env)
    .filter(([name]) => name !== "" && !name.includes("=") && !dropped.test(name))
    .map(([name, value]) => [name, name === "TMPDIR" ? "/tmp" : value] as const);
  // A name that a shell cannot set has no effect on it either.
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

/** Exported functions and options of bash, which affect every bash, and the neutral names themselves. */
const dropped = /^(?:BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PWD|OLDPWD|TENON_CARRIED_\d+)$/s;
/** Special variables that the shell may refuse to set. */
const reserved = new Set(["UID", "EUID", "PPID", "OPTIND", "LINENO", "RANDOM", "SECONDS", "_"]);

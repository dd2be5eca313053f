import { reportCommand } from "../report-command.js";
import { readArguments, toSpec, type OptionSpec, type WrittenSpec } from "../read-options.js";
import { carryOver } from "../scope.js";
import { runWords, type Unfolding } from "./unfolding.js";

/** How a program is called that only starts another one. */
interface Wrapper extends WrittenSpec {
  /** Words of its own before the command. */
  readonly own?: number;
  /** It does something itself, so it is reported in addition to the command that it starts. */
  readonly opaque?: boolean;
  /** It takes `NAME=value` before the command. */
  readonly variables?: boolean;
}

const timeout: Wrapper = {
  flags: "v",
  values: "ks",
  long: "kill-after= signal= foreground preserve-status verbose",
  own: 1,
};

const wrappers: Readonly<Record<string, Wrapper>> = {
  // It writes a file where it is given a terminal.
  nohup: { opaque: true },
  setsid: { flags: "cfw", long: "ctty fork wait" },
  nice: { values: "n", long: "adjustment=", number: true },
  ionice: { flags: "t", values: "cn", long: "class= classdata= ignore" },
  stdbuf: { values: "ioe", long: "input= output= error=" },
  timeout,
  gtimeout: timeout,
  time: { flags: "pvq", long: "portability verbose quiet", values: "f" },
  chrt: { flags: "abdfiorR", own: 1 },
  taskset: { flags: "ac", own: 1 },
  builtin: {},
  exec: { flags: "cl", values: "a" },
  unbuffer: {},
  caffeinate: { flags: "dimsu", values: "tw" },
  faketime: { flags: "f", own: 1 },
  entr: { flags: "acdnprsz", opaque: true },
  torsocks: { opaque: true },
  proxychains: { flags: "q", values: "f", opaque: true },
  proxychains4: { flags: "q", values: "f", opaque: true },
  sudo: {
    flags: "AbEeHiKklnPSsVv",
    values: "CDghpRrTtUu",
    long: "askpass background preserve-env=? set-home login non-interactive stdin shell user= group= host= prompt= chdir= chroot= command-timeout= other-user= reset-timestamp remove-timestamp validate version list",
    opaque: true,
    variables: true,
  },
  doas: { flags: "nsL", values: "Cua", opaque: true, variables: true },
  pkexec: { long: "user= disable-internal-agent keep-cwd", opaque: true },
  gosu: { own: 1, opaque: true },
  "su-exec": { own: 1, opaque: true },
  chroot: { long: "userspec= groups= skip-chdir", own: 1, opaque: true },
  unshare: {
    flags: "imnpuUCTfrc",
    values: "RwSG",
    long: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user mount-proc=? root= wd= setuid= setgid= kill-child=? keep-caps propagation=",
    opaque: true,
  },
  nsenter: {
    flags: "amuinpCUTrwFZ",
    values: "tSG",
    long: "target= all mount uts ipc net pid cgroup user time setuid= setgid= root wd preserve-credentials no-fork",
    opaque: true,
  },
  strace: { flags: "fFqvdtTrCyiknxDhVwcz", values: "eoOpsSauEPIbX", opaque: true },
  ltrace: { flags: "fqtTrCinSLxcbV", values: "eopsaunAlF", opaque: true },
  sshpass: { flags: "evh", values: "fdpP", opaque: true },
};

const specs: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries(wrappers).map(([name, spec]) => [name, toSpec({ ...spec, stop: true })]),
);

export const wrapperNames: readonly string[] = Object.keys(wrappers);

/** Report the command behind a wrapper. */
export function unfoldWrapper(unfolding: Unfolding): boolean {
  const { name, args, resolved, scope, walk } = unfolding;
  const { own = 0, opaque = false, variables = false } = wrappers[name]!;
  const read = readArguments(args, specs.get(name)!);
  if (read === undefined) {
    // An unknown option may take the next word as its value.
    reportCommand(resolved, scope, walk, { why: `${name} is called with options that are not known` });
    return true;
  }
  let rest = read.operands.slice(own);
  if (variables) while (/^\w+=/.test(rest[0]?.text ?? "")) rest = rest.slice(1);
  if (opaque || rest.length === 0) reportCommand(resolved, scope, walk);
  if (rest.length === 0) return true;
  const inner = runWords(unfolding, rest, opaque ? { strict: false } : {});
  if (name === "builtin") carryOver(scope, inner);
  return true;
}

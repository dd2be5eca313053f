/** What the environment of a command is built from. */
export interface CommandEnvOptions {
  /** The session's variables. */
  readonly session: ReadonlyMap<string, string>;
  /** Variables of the call, which override the others. */
  readonly callVariables?: Readonly<Record<string, string>> | undefined;
  /** Whether a variable of the session may be seen. */
  readonly isVisible: (name: string) => boolean;
  /** Variables by which its processes are found. */
  readonly tags: Readonly<Record<string, string>>;
  readonly pty: boolean;
  readonly isSandboxed: boolean;
}

/** The environment of a command: programs do not wait for a person, and secrets are included only if allowed. */
export function commandEnv({
  session,
  callVariables: own,
  isVisible,
  tags,
  pty,
  isSandboxed,
}: CommandEnvOptions): Record<string, string> {
  const visible = [...session].filter(([name]) => isVisible(name));
  const defaults = { ...nonInteractiveDefaults, ...(isSandboxed && gitSettings) };
  const env = { ...defaults, ...Object.fromEntries(visible) };
  // This describes the terminal of the host, which the command does not get.
  delete env["COLORTERM"];
  if (pty) Object.assign(env, { TERM: "xterm-256color" });
  else Object.assign(env, { TERM: "dumb", NO_COLOR: "1" });
  return { ...env, ...own, ...tags };
}

/** No pager, editor or prompt, and unbuffered output. Variables of the session override these. */
const nonInteractiveDefaults: Readonly<Record<string, string>> = {
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  PSQL_PAGER: "cat",
  AWS_PAGER: "",
  // `true` accepts the proposed text: a merge keeps its message, an empty commit message aborts.
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GH_PROMPT_DISABLED: "1",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  TF_INPUT: "0",
  COMPOSER_NO_INTERACTION: "1",
  NO_UPDATE_NOTIFIER: "1",
  PYTHONUNBUFFERED: "1",
};

/**
 * Let git compare only times and sizes with its index. In the sandbox, files of root belong to another user, and a file that
 * was committed from a layer has another inode and a later ctime: without this, `git diff-index`, `git sparse-checkout` and
 * the like would take files for changed that are not, until `git status` has read all of them again.
 */
const gitSettings: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.checkStat",
  GIT_CONFIG_VALUE_0: "minimal",
};

/** What the environment of a command is made from. */
export interface CommandEnvSource {
  /** The session's variables. */
  readonly session: ReadonlyMap<string, string>;
  /** The call's own, on top. */
  readonly own?: Readonly<Record<string, string>> | undefined;
  /** Whether a variable of the session may be seen. */
  readonly isVisible: (name: string) => boolean;
  /** Marks by which its processes are found. */
  readonly tags: Readonly<Record<string, string>>;
  readonly pty: boolean;
}

/** The environment of a command: nothing in it waits for a person, and no secret that was not allowed. */
export function commandEnv({ session, own, isVisible, tags, pty }: CommandEnvSource): Record<string, string> {
  const visible = [...session].filter(([name]) => isVisible(name));
  const env = { ...nobodyThere, ...Object.fromEntries(visible) };
  // The host's terminal is not the command's.
  delete env["COLORTERM"];
  if (pty) Object.assign(env, { TERM: "xterm-256color" });
  else Object.assign(env, { TERM: "dumb", NO_COLOR: "1" });
  return { ...env, ...own, ...tags };
}

/** No pager, no editor, no prompt, and output as it comes. A value that the session set itself counts more. */
const nobodyThere: Readonly<Record<string, string>> = {
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  PSQL_PAGER: "cat",
  AWS_PAGER: "",
  // `true` takes what is proposed: a merge message stands, an empty commit message aborts.
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

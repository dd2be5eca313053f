import { runChild, type Unfolding } from "./unfolding.js";

interface CommandOption {
  /** The option, where the command is the next word. */
  readonly apart?: RegExp;
  /** The text before the command in the same word. */
  readonly joined?: RegExp;
}

const options: Readonly<Record<string, CommandOption>> = {
  tar: {
    apart: /^(?:-I|--use-compress-program|--to-command|--rsh-command|-F|--info-script|--new-volume-script)$/,
    joined:
      /^--(?:use-compress-program|to-command|rsh-command|info-script|new-volume-script|checkpoint-action=exec)=/,
  },
  rsync: { apart: /^(?:-\w*e|--rsh|--rsync-path)$/, joined: /^--(?:rsh|rsync-path)=/ },
  ssh: { apart: /^$/, joined: /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]/i },
  vim: { joined: /^(?:\+|-c|--cmd)?:*!+/ },
  sed: { joined: /^(?:\d+|\$|\/[^/]*\/)?\s*e\s+(?=\S)/ },
  sort: { apart: /^--compress-program$/, joined: /^--compress-program=/ },
  rg: { apart: /^--pre$/, joined: /^--(?:pre|hostname-bin)=/ },
  man: { apart: /^(?:-P|--pager|-H|--html)$/, joined: /^--(?:pager|html)=/ },
  gdb: { joined: /^(?:-ex=?)?\s*(?:!|shell\s|python\s)/ },
  tcpdump: { apart: /^-z$/ },
  zip: { apart: /^(?:-TT|--unzip-command)$/, joined: /^--unzip-command=/ },
  wget: { joined: /^--use-askpass=/ },
  psql: { joined: /^\\!\s*/ },
  mysql: { joined: /^(?:\\!|system)\s+/ },
  sqlite3: { joined: /^\.(?:shell|system)\s+/ },
};

const kin: Readonly<Record<string, string>> = {
  bsdtar: "tar",
  scp: "ssh",
  sftp: "ssh",
  vi: "vim",
  nvim: "vim",
  view: "vim",
  ex: "vim",
  gsed: "sed",
};

/** Programs with options that contain a command, such as `git`: these commands are reported in addition. */
export function unfoldOptions(unfolding: Unfolding): boolean {
  const { name, args } = unfolding;
  if (name === "git") {
    unfoldGit(unfolding);
    return false;
  }
  const { apart, joined } = options[kin[name] ?? name] ?? {};
  for (const [at, { text }] of args.entries()) {
    const start = joined?.exec(text);
    if (apart?.test(text) === true && args[at + 1] !== undefined) runHeld(unfolding, args[at + 1]!.text);
    else if (start !== null && start !== undefined) runHeld(unfolding, text.slice(start[0].length));
  }
  return false;
}

function runHeld(unfolding: Unfolding, text: string): void {
  runChild(unfolding, text, unfolding.name, { strict: false });
}

/** Settings whose values git runs. */
const settings =
  /^(?:core\.(?:editor|pager|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|diff\.external|gpg\.program|(?:diff|merge|filter|difftool|mergetool|browser|man)\..*(?:textconv|command|driver|clean|smudge|process|cmd)|pager\..*|credential\..*helper|credential\.helper|interactive\.difffilter|uploadpack\.packobjectshook)=/i;

function unfoldGit(unfolding: Unfolding): void {
  const { args } = unfolding;
  for (const [at, { text }] of args.entries()) {
    const next = args[at + 1]?.text ?? "";
    if (text === "-c" || text === "--config") gitSetting(unfolding, next);
    else if (/^(?:--exec|-x|--upload-pack|--receive-pack|--extcmd)$/.test(text)) runHeld(unfolding, next);
    else if (
      /^(?:--exec|--upload-pack|--receive-pack|--extcmd|--(?:env|tree|index|msg|commit|parent|tag-name)-filter)=/.test(
        text,
      )
    )
      runHeld(unfolding, text.slice(text.indexOf("=") + 1));
    else if (/^--(?:env|tree|index|msg|commit|parent|tag-name)-filter$/.test(text)) runHeld(unfolding, next);
    else if (text.startsWith("ext::")) runHeld(unfolding, text.slice(5));
    else if (/^alias\.|^core\.|\.(?:textconv|command|cmd)$/.test(text))
      gitSetting(unfolding, `${text}=${next}`);
    else if (
      (text === "foreach" && args[at - 1]?.text === "submodule") ||
      (text === "run" && args[at - 1]?.text === "bisect")
    )
      runHeld(
        unfolding,
        args
          .slice(at + 1)
          .filter((field) => !field.text.startsWith("-") || text === "run")
          .map((field) => field.text)
          .join(" "),
      );
  }
}

function gitSetting(unfolding: Unfolding, setting: string): void {
  const value = setting.slice(setting.indexOf("=") + 1);
  if (/^alias\./i.test(setting)) {
    if (value.startsWith("!")) runHeld(unfolding, value.slice(1));
  } else if (settings.test(setting) && !/^(?:true|false|cat|)$/.test(value))
    runHeld(unfolding, value.replace(/^!/, ""));
}

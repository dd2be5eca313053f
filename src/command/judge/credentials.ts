import type { ShellContext } from "../walk.js";
import type { Field } from "../words/field.js";
import { matchGlob } from "../words/match-glob.js";
import { absolutePath } from "../words/paths.js";

const inHome: readonly (readonly [RegExp, string])[] = [
  [/^\.ssh(?:\/?$|\/(?!.*\.pub$|known_hosts|config$|authorized_keys$).*)/, "SSH keys"],
  [/^\.gnupg(?:\/|$)/, "GnuPG keys"],
  [/^\.aws(?:\/?$|\/(?:credentials|sso|cli).*)/, "AWS credentials"],
  [/^\.(?:netrc|git-credentials|pgpass|my\.cnf|pypirc|vault-token|s3cfg|boto)$/, "passwords"],
  [/^\.docker\/config\.json$/, "registry credentials"],
  [/^\.kube(?:\/?$|\/config$)/, "cluster credentials"],
  [/^\.azure(?:\/|$)/, "Azure credentials"],
  [
    /^\.config\/(?:gcloud|gh\/hosts\.yml|git\/credentials|rclone\/rclone\.conf|op)(?:\/|$)/,
    "cloud credentials",
  ],
  [/^\.config\/(?:google-chrome|chromium|BraveSoftware|microsoft-edge)(?:\/|$)/, "a browser's profile"],
  [
    /^(?:\.mozilla|Library\/Application Support\/(?:Google\/Chrome|Firefox|BraveSoftware))(?:\/|$)/,
    "a browser's profile",
  ],
  [/^(?:\.password-store|\.local\/share\/keyrings|Library\/Keychains)(?:\/|$)/, "a password store"],
  [
    /^\.(?:cargo\/credentials(?:\.toml)?|gem\/credentials|terraform\.d\/credentials\.tfrc\.json)$/,
    "registry credentials",
  ],
  [/^\.(?:bitcoin\/wallet\.dat|ethereum\/keystore.*|electrum\/wallets.*)$/, "a wallet"],
  [/^\.(?:bash|zsh|sh|python|psql|mysql|node_repl|rediscli|sqlite)_history$/, "a history of commands"],
];

const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^\/etc\/(?:shadow|gshadow|master\.passwd|sudoers)-?$/, "the passwords of the system"],
  [/^\/etc\/(?:sudoers\.d|ssl\/private)(?:\/|$)/, "keys of the system"],
  [/^\/etc\/(?:ssh\/ssh_host_\w+_key|krb5\.keytab|security\/opasswd)$/, "keys of the system"],
  [/^\/proc\/[^/]+\/(?:environ|mem)$/, "the memory of other programs"],
  [/^\/(?:proc\/kcore|dev\/k?mem)$/, "the memory of the system"],
  [/^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|disk\d|mapper\/|dm-\d)/, "a raw disk"],
  [/^\/(?:var\/)?run\/secrets(?:\/|$)/, "secrets of the container"],
];

/** Paths that stand for the stores where a glob is asked whether it could mean one. */
const samples = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/1/environ", "/proc/self/environ"];
const homeSamples =
  ".ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/id_dsa .aws/credentials .netrc .git-credentials .pgpass .docker/config.json .kube/config .gnupg/secring.gpg .bash_history .zsh_history".split(
    " ",
  );

/** What secrets a word names, if it does: never by an unknown last name, which could be anything. */
export function credentialsAt(field: Field, cwd: string, place: ShellContext): string | undefined {
  const { text, known, pattern, wild, guess } = field;
  const named = known ? text : guess;
  if (named !== undefined && pattern === undefined)
    return secretsAt(absolutePath(tilde(named, place), cwd), place);
  if (!known && /(?:^|\/)[^/]*\*[^/]*$/.test(wild ?? "")) return undefined;
  const glob = pattern ?? wild;
  if (glob === undefined || glob.startsWith("*")) return undefined;
  return secretsByGlob(glob.startsWith("/") ? glob : `${cwd}/${glob}`, place);
}

/** Programs that expand `~` themselves, or people who quote it. */
function tilde(text: string, { home }: ShellContext): string {
  return text === "~" || text.startsWith("~/") ? home + text.slice(1) : text;
}

function secretsAt(path: string, place: ShellContext): string | undefined {
  for (const [shape, what] of elsewhere) if (shape.test(path)) return what;
  const below = belowHome(path, place);
  if (below === undefined) return undefined;
  for (const [shape, what] of inHome) if (shape.test(below)) return what;
  return undefined;
}

/** The part of a path below a home directory. */
export function belowHome(path: string, { home }: ShellContext): string | undefined {
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:root|(?:home|Users)\/[^/]+)\/(.+)$/.exec(path)?.[1];
}

function secretsByGlob(glob: string, place: ShellContext): string | undefined {
  const parent = glob.slice(0, glob.lastIndexOf("/"));
  if (!/[*?[\\]/.test(parent)) {
    const store = secretsAt(absolutePath(parent, "/"), place);
    if (store !== undefined) return store;
  }
  const homes = [place.home, "/root", "/home/user", "/Users/user"];
  const all = [...samples, ...homes.flatMap((home) => homeSamples.map((name) => `${home}/${name}`))];
  // A glob that matches everything in a directory is not aimed at a particular file in it.
  if (/^\*+$/.test(glob.slice(glob.lastIndexOf("/") + 1))) return undefined;
  const hit = all.find((path) => matchGlob(glob, path));
  return hit && secretsAt(hit, place);
}

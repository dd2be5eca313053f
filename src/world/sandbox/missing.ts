import { readFile } from "node:fs/promises";

/** How the package manager of this system installs bubblewrap. */
export async function installHint(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const words = /^ID(?:_LIKE)?=.*$/gm;
  const ids = (release.match(words) ?? []).join(" ").toLowerCase();
  const command = installers.find(([pattern]) => pattern.test(ids))?.[1];
  return command === undefined ? "install the package bubblewrap" : `install it: ${command}`;
}

const installers: readonly (readonly [RegExp, string])[] = [
  [/debian|ubuntu/, "sudo apt-get install bubblewrap"],
  [/fedora|rhel|centos/, "sudo dnf install bubblewrap"],
  [/arch/, "sudo pacman -S bubblewrap"],
  [/suse/, "sudo zypper install bubblewrap"],
  [/alpine/, "sudo apk add bubblewrap"],
  [/nixos/, "nix-env -iA nixos.bubblewrap"],
];

/** Why the sandbox does not work, with the message of bubblewrap and what to do. */
export async function explainFailure(stderr: string): Promise<string> {
  const message = stderr.replaceAll("bwrap: ", "").trim().split("\n")[0] || "no message";
  const hint = (await namespaceHint()) ?? containerHint(message);
  return `bubblewrap failed (${message})${hint === undefined ? "" : `; ${hint}`}`;
}

async function namespaceHint(): Promise<string | undefined> {
  const read = async (name: string): Promise<string> =>
    (await readFile(`/proc/sys/${name}`, "utf8").catch(() => "")).trim();
  const [clone, maxNamespaces, armor] = await Promise.all([
    read("kernel/unprivileged_userns_clone"),
    read("user/max_user_namespaces"),
    read("kernel/apparmor_restrict_unprivileged_userns"),
  ]);
  if (clone === "0") return "allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1";
  if (maxNamespaces === "0") return "allow user namespaces: sudo sysctl -w user.max_user_namespaces=15000";
  if (armor === "1") {
    return "AppArmor prevents it: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or add a profile for bwrap";
  }
  return undefined;
}

function containerHint(message: string): string | undefined {
  if (!/proc|namespace|permitted|uid map/i.test(message)) return undefined;
  return "the container must allow namespaces, for example with docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined";
}

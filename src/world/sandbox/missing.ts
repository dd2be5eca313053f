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

/** Why the wall could not be built, in the words of bubblewrap, and what can be done. */
export async function explainFailure(stderr: string): Promise<string> {
  const said = stderr.replaceAll("bwrap: ", "").trim().split("\n")[0] || "it said nothing";
  const hint = (await namespaceHint()) ?? containerHint(said);
  return `bubblewrap could not build it (${said})${hint === undefined ? "" : `; ${hint}`}`;
}

async function namespaceHint(): Promise<string | undefined> {
  const read = async (name: string): Promise<string> =>
    (await readFile(`/proc/sys/${name}`, "utf8").catch(() => "")).trim();
  const [clone, most, armor] = await Promise.all([
    read("kernel/unprivileged_userns_clone"),
    read("user/max_user_namespaces"),
    read("kernel/apparmor_restrict_unprivileged_userns"),
  ]);
  if (clone === "0") return "allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1";
  if (most === "0") return "allow user namespaces: sudo sysctl -w user.max_user_namespaces=15000";
  if (armor === "1") {
    return "AppArmor forbids it: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or add a profile for bwrap";
  }
  return undefined;
}

function containerHint(said: string): string | undefined {
  if (!/proc|namespace|permitted|uid map/i.test(said)) return undefined;
  return "a container must allow namespaces, as by docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined";
}

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { resolverAddress } from "../../forwarder/forwarder.js";
import { realPathOf } from "../../files/real-path.js";

/** The files by which programs look up names, as arguments of bubblewrap. */
export interface NameFiles {
  /** For commands without network: names that are not in /etc/hosts fail at once. */
  readonly offline: readonly string[];
  /** For commands with granted hosts: names are asked of the forwarder. */
  readonly granted: readonly string[];
}

/** The user that commands are inside. */
export interface InnerUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Write the files into a folder that lasts as long as the sandbox. */
export async function writeNameFiles(dir: string, user: InnerUser): Promise<NameFiles> {
  const services = "/etc/nsswitch.conf";
  const accounts = "/etc/passwd";
  const current = (await readFile(services, "utf8").catch(() => undefined)) ?? "";
  const bind = async (name: string, path: string, text: string): Promise<string[]> => {
    // Only an existing file can be covered; often it is a link into /run, which is hidden.
    if (!existsSync(path)) return [];
    const file = join(dir, name);
    await writeFile(file, text, { mode: 0o444 });
    return ["--ro-bind", file, realPathOf(path)];
  };
  const known = (await readFile(accounts, "utf8").catch(() => undefined)) ?? "";
  const [own, offline, online, resolv] = await Promise.all([
    bind("passwd", accounts, withUser(known, user)),
    bind("nsswitch-offline", services, withHosts(current, "files")),
    bind("nsswitch-granted", services, withHosts(current, "files dns")),
    bind("resolv.conf", "/etc/resolv.conf", `nameserver ${resolverAddress}\noptions timeout:2 attempts:2\n`),
  ]);
  return { offline: [...own, ...offline], granted: [...own, ...online, ...resolv] };
}

/** The accounts with the home folder of the user; Java and others look there instead of at HOME. */
export function withUser(text: string, { uid, gid, home }: InnerUser): string {
  const lines = text.split("\n").filter((line) => line !== "");
  const isOwn = (line: string): boolean => line.split(":")[2] === String(uid);
  const [name = "user"] = lines.find(isOwn)?.split(":") ?? [];
  // A colon or a line end would make another entry of it.
  const shown = /[:\n]/.test(home) ? "/" : home;
  return [...lines.filter((line) => !isOwn(line)), `${name}:x:${uid}:${gid}::${shown}:/bin/sh`, ""].join(
    "\n",
  );
}

/** The configuration of name services with other sources for hosts. */
function withHosts(text: string, sources: string): string {
  const others = text.split("\n").filter((line) => !/^\s*hosts\s*:/.test(line));
  return [...others, `hosts: ${sources}`, ""].join("\n");
}

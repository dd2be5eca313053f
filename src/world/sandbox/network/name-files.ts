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

/** Write the files into a folder that lasts as long as the sandbox. */
export async function writeNameFiles(dir: string): Promise<NameFiles> {
  const services = "/etc/nsswitch.conf";
  const current = (await readFile(services, "utf8").catch(() => undefined)) ?? "";
  const bind = async (name: string, path: string, text: string): Promise<string[]> => {
    // Only an existing file can be covered; often it is a link into /run, which is hidden.
    if (!existsSync(path)) return [];
    const file = join(dir, name);
    await writeFile(file, text, { mode: 0o444 });
    return ["--ro-bind", file, realPathOf(path)];
  };
  const [offline, online, resolv] = await Promise.all([
    bind("nsswitch-offline", services, withHosts(current, "files")),
    bind("nsswitch-granted", services, withHosts(current, "files dns")),
    bind("resolv.conf", "/etc/resolv.conf", `nameserver ${resolverAddress}\noptions timeout:2 attempts:2\n`),
  ]);
  return { offline, granted: [...online, ...resolv] };
}

/** The configuration of name services with other sources for hosts. */
function withHosts(text: string, sources: string): string {
  const others = text.split("\n").filter((line) => !/^\s*hosts\s*:/.test(line));
  return [...others, `hosts: ${sources}`, ""].join("\n");
}

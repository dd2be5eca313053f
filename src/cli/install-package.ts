import { execFileSync } from "node:child_process";
import { messageOf } from "../contract/message-of.js";
import type { Terminal } from "./command-line.js";

/** Run the command that installs a package of the system, as root; returns what was done. */
export function installPackage(command: string, env: Terminal["env"]): string {
  const [program = "", ...words] = command.replace(/^sudo /, "").split(" ");
  const args = program === "apt-get" ? ["-y", ...words] : words;
  const line = [program, ...args].join(" ");
  try {
    execFileSync(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    return `Ran: ${line}`;
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: Buffer | null };
    const [reason] = /\S.*(?=\s*$)/.exec(stderr?.toString() ?? "") ?? [];
    return `Failed: ${line}: ${reason ?? messageOf(cause)}`;
  }
}

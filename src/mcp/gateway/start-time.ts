import { basename } from "node:path";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";

const defaultMs = 30_000;
/** A program that is downloaded first may need minutes, and killing it would start the download again. */
const downloadMs = 600_000;

/** How long a server may take to start if no limit is configured. */
export function defaultStartMs(spec: UpstreamSpec): number {
  return spec.kind === "program" && mayDownload([spec.command, ...(spec.args ?? [])])
    ? downloadMs
    : defaultMs;
}

/** Programs that fetch another one and run it. */
const runners = new Set(["npx", "pnpx", "bunx", "uvx", "pipx"]);
/** The same by a word after the program. */
const runnerWords: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x"],
  pnpm: ["dlx", "exec"],
  yarn: ["dlx"],
  bun: ["x"],
  uv: ["run", "tool"],
  docker: ["run", "compose"],
  podman: ["run"],
  deno: ["run"],
};
const shells = new Set(["sh", "bash", "zsh", "cmd", "env"]);

/** Whether a command line may have to download the program that it runs. */
function mayDownload(words: readonly string[]): boolean {
  const [first = "", ...rest] = words;
  const program = basename(first.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|bat|ps1)$/i, "");
  if (runners.has(program)) return true;
  if (Object.hasOwn(runnerWords, program)) {
    const word = rest.find((one) => !one.startsWith("-"));
    return word !== undefined && runnerWords[program]?.includes(word) === true;
  }
  if (!shells.has(program)) return false;
  const at = rest.findIndex((one) => !/^(?:[-/]\w+|\w+=.*)$/.test(one));
  return at !== -1 && mayDownload(rest.slice(at).flatMap((one) => one.trim().split(/\s+/)));
}

import type { SettingsFile } from "./tool-settings.js";

type Hosts = ReadonlySet<string>;

/** The registries, and the credentials of named hosts. */
export function npmLines(text: string, hosts: Hosts): string {
  const kept = text.split("\n").filter((line) => {
    if (/^[ \t]*(?:@[^:\s]+:)?registry[ \t]*=/.test(line)) return true;
    const [, host = ""] =
      /^[ \t]*\/\/([^/:\s]+)[^=]*:(?:_authToken|_auth|username|_password)[ \t]*=/.exec(line) ?? [];
    return hosts.has(host.toLowerCase());
  });
  return kept.join("\n");
}

/** Files that hold nothing but credentials. */
export const credentialFiles: readonly SettingsFile[] = [
  {
    path: ".netrc",
    // Macros run commands, and the entry "default" is for every host.
    keep: (text, hosts) =>
      [...text.replaceAll(/^macdef\b[^]*?(?:\n\n|$(?![^]))/gm, "").matchAll(netrcEntry)]
        .flatMap(([entry, host = ""]) => (hosts.has(host.toLowerCase()) ? [entry.trim()] : []))
        .join("\n"),
  },
  {
    path: ".git-credentials",
    keep: (text, hosts) =>
      text
        .split("\n")
        .filter((line) => URL.canParse(line) && hosts.has(new URL(line).hostname))
        .join("\n"),
  },
];

const netrcEntry = /\bmachine\s+(\S+)(?:\s+(?:login|account|password)\s+\S+)*/g;

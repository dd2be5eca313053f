import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlacedFolder } from "./sandbox-view.js";
import { credentialFiles, npmLines } from "./tool-credentials.js";
import { makeFolder } from "../../contract/make-folder.js";

/** A file in which a tool chain is told where its packages come from, and the part of it that commands may see. */
export interface SettingsFile {
  /** Relative to the home folder. */
  readonly path: string;
  readonly keep: (text: string, hosts: ReadonlySet<string>) => string;
}

const lines =
  (shape: RegExp) =>
  (text: string): string =>
    (text.match(shape) ?? []).join("\n");

/** Tables of registries, without the lines that look like credentials. */
const cargoTables = (text: string): string =>
  lines(/^[ \t]*\[(?:source|registries|registry|net)[.\]][^[]*/gm)(text).replaceAll(
    /^.*(?:token|secret|password|credential).*$/gim,
    "",
  );

const files: readonly SettingsFile[] = [
  { path: ".npmrc", keep: npmLines },
  ...[".config/pip/pip.conf", ".pip/pip.conf"].map((path) => ({
    path,
    keep: lines(
      /^\[.*\]$|^(?:extra[-_])?index[-_]url[ \t]*=.*(?:\n[ \t]+\S.*)*|^(?:find[-_]links|trusted[-_]host)[ \t]*=.*(?:\n[ \t]+\S.*)*/gm,
    ),
  })),
  {
    path: ".config/uv/uv.toml",
    keep: lines(/^\[\[index\]\]|^(?:url|name|default|index-url|extra-index-url)[ \t]*=.*$/gm),
  },
  { path: ".config/go/env", keep: lines(/^(?:GOPROXY|GOSUMDB|GONOSUMDB|GONOPROXY|GOPRIVATE)=.*$/gm) },
  { path: ".cargo/config.toml", keep: cargoTables },
  { path: ".cargo/config", keep: cargoTables },
  { path: ".gemrc", keep: lines(/^:?sources:.*(?:\n[ \t]*- .*)*/gm) },
  {
    path: ".m2/settings.xml",
    keep: (text) => {
      const [mirrors] = /<mirrors>[^]*?<\/mirrors>/.exec(text) ?? [];
      return mirrors === undefined ? "" : `<settings>${mirrors}</settings>`;
    },
  },
];

/**
 * Copy what the settings of the user's tool chains say about registries, indexes and mirrors, so that commands use the
 * same ones. Everything else, credentials above all, stays outside, but for those of the named hosts.
 */
export async function copyToolSettings(
  home: string,
  target: string,
  hosts: ReadonlySet<string> = new Set(),
): Promise<PlacedFolder[]> {
  makeFolder(target);
  const copied = await Promise.all(
    [...files, ...credentialFiles].map(async ({ path, keep }): Promise<PlacedFolder[]> => {
      const text = await readFile(join(home, path), "utf8").catch(() => ""); // most of them do not exist
      const kept = withoutCredentials(keep(text.replaceAll("\r\n", "\n"), hosts), hosts);
      if (kept.trim() === "") return [];
      const from = join(target, path.replaceAll("/", "-"));
      await writeFile(from, `${kept}\n`, { mode: 0o444 });
      return [{ from, at: join(home, path) }];
    }),
  );
  return copied.flat();
}

/** User names and passwords in addresses are left out, unless the host is named. */
function withoutCredentials(text: string, hosts: ReadonlySet<string>): string {
  return text.replaceAll(/:\/\/[^\s/@"'<>]+@([^\s/:"'<>]*)/g, (whole, host: string) =>
    hosts.has(host.toLowerCase()) ? whole : `://${host}`,
  );
}

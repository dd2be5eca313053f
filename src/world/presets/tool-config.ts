/** What the configuration of a tool says about the network. */
export interface ToolConfig {
  /** Addresses of registries, indexes, remotes and mirrors. */
  readonly addresses: readonly string[];
  /** Variables that tell the tool about settings that it cannot see in the sandbox. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Where a tool's configuration is read from. */
export interface ConfigSource {
  readonly home: string;
  /** The folder of the command and those above it, up to the workspace, innermost first. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `undefined` if it does not exist or is not a file of reasonable size. */
  read(path: string): Promise<string | undefined>;
  /** Names of the files in a folder. */
  list(path: string): Promise<readonly string[]>;
}

/** One setting, and whether it comes from a variable of the host, which commands do not see. */
export interface Setting {
  readonly value: string;
  readonly isHidden: boolean;
}

/** Read files that may set something, from the most to the least important, and give back what each sets. */
export async function readAll<T>(
  paths: readonly string[],
  source: ConfigSource,
  parse: (text: string) => T,
): Promise<T[]> {
  const texts = await Promise.all(paths.map((path) => source.read(path)));
  return texts.flatMap((text) => (text === undefined ? [] : [parse(text)]));
}

/** The lines `key = value` of a file in INI format, without regard to sections; the last of a key counts. */
export function parseIni(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    const [, key, value = ""] = /^\s*([^\s[=][^=\s]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // A list continues on indented lines.
    if (last !== undefined && /^\s/.test(line) && (key === undefined || addressesIn(key).length > 0))
      values.set(last, `${values.get(last) ?? ""} ${line.trim()}`.trim());
    else if (key === undefined) last = undefined;
    else values.set((last = key), value.replace(/^(["'])(.*)\1$/, "$2"));
  }
  return values;
}

/** All web addresses in a text. */
export function addressesIn(text: string): string[] {
  return text.match(/\b(?:https?|git|ssh):\/\/[^\s"'<>,|)\]}]+/g) ?? [];
}

/** An address without a user name and password: credentials stay outside of the sandbox. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = url.password = "";
  return url.href;
}

const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "ssh:": "22",
  "git:": "9418",
};

/** The host of an address as an entry of the `network` argument; `undefined` if it is not on the network. */
export function hostOf(address: string): string | undefined {
  const text = address.replace(/^(?:sparse|registry|git)\+/, "");
  const [, host] = /^(?:[\w.-]+@)([\w.-]+):(?!\/\/)/.exec(text) ?? [];
  if (host !== undefined) return host.toLowerCase();
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  if (hostname === "" || defaultPorts[protocol] === undefined) return undefined;
  const isDefault = port === "" || port === defaultPorts[protocol];
  const isLocal = /^(?:localhost|127\.)/.test(hostname);
  if (isDefault && !isLocal) return hostname.toLowerCase();
  return `${hostname.toLowerCase()}:${port === "" ? defaultPorts[protocol] : port}`;
}

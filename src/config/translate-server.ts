import { isRecord } from "../contract/is-record.js";

type Entry = Readonly<Record<string, unknown>>;
type Translation = (value: unknown) => Entry;

const same =
  (key: string): Translation =>
  (value) => ({ [key]: value });
const seconds =
  (key: string): Translation =>
  (value) =>
    typeof value === "number" ? { [key]: Math.ceil(value * 1000) } : {};
/** Some hosts count seconds, others milliseconds. */
const eitherTime =
  (key: string): Translation =>
  (value) =>
    typeof value === "number" ? { [key]: value < 1000 ? value * 1000 : value } : {};

/** Keys that other hosts use for what we call otherwise. */
const otherWords: Readonly<Record<string, Translation>> = {
  disabled: (value) => ({ enabled: value !== true }),
  serverUrl: same("url"),
  httpUrl: same("url"),
  type: toTransport,
  transport: toTransport,
  transportType: toTransport,
  env: (value) => ({ env: texts(value) }),
  environment: (value) => ({ env: texts(value) }),
  args: (value) => ({ args: texts(value) }),
  env_vars: forwarded,
  headers: (value) => ({ headers: texts(value) }),
  http_headers: (value) => ({ headers: texts(value) }),
  env_http_headers: (value) => ({ headers: references(value) }),
  bearer_token_env_var: (value) =>
    typeof value === "string" ? { headers: { Authorization: `Bearer \${env:${value}}` } } : {},
  includeTools: (value) => ({ include: withoutArguments(value) }),
  enabledTools: same("include"),
  enabled_tools: same("include"),
  excludeTools: (value) => ({ exclude: withoutArguments(value) }),
  disabledTools: same("exclude"),
  disabled_tools: same("exclude"),
  timeout: eitherTime("timeoutMs"),
  tool_timeout_sec: seconds("timeoutMs"),
  startup_timeout_sec: seconds("startTimeoutMs"),
  startup_timeout_ms: same("startTimeoutMs"),
  command: toCommand,
  auth: (value) => ({ oauth: toOauth(value) }),
  oauth: (value) => ({ oauth: toOauth(value) }),
};

/** Keys that have the same name and value in both configurations. */
const sameWords = new Set(
  "cwd url enabled include exclude timeoutMs startTimeoutMs maxConcurrent maxPerMinute lazy era instances trustAnnotations".split(
    " ",
  ),
);

/** Keys that change nothing about the server. */
const harmless = new Set(["description", "name", "icon", "source", "settings", "version", "gallery", "dev"]);

/** Bring one server of another host into our words; `onNote` hears what is not taken over. */
export function translateServer(server: unknown, onNote: (note: string) => void): unknown {
  if (!isRecord(server)) return server;
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(server)) {
    // What is not set is not there: hosts write `"env": null`.
    if (value === null || harmless.has(key)) continue;
    const translate = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
    if (translate !== undefined) mergeSettings(entry, translate(value));
    else if (sameWords.has(key)) mergeSettings(entry, { [key]: value });
    else onNote(`"${key}" is not supported`);
  }
  return entry;
}

/** Why a server without a command and a url has neither. */
export function whyUnreachable(server: unknown): string | undefined {
  if (!isRecord(server) || "command" in server || "url" in server || "serverUrl" in server) return undefined;
  const isExtension = server["source"] === "extension" || isRecord(server["settings"]);
  return isExtension ? "an extension of the other host starts it; add its command yourself" : undefined;
}

/** Add settings to a server; maps and lists that come from several places are joined. */
export function mergeSettings(entry: Record<string, unknown>, more: Entry): void {
  for (const [key, value] of Object.entries(more)) {
    if (value === undefined) continue;
    const before = entry[key];
    if (isRecord(before) && isRecord(value)) entry[key] = { ...before, ...value };
    else if (Array.isArray(before) && Array.isArray(value)) entry[key] = [...before, ...(value as unknown[])];
    else entry[key] = value;
  }
}

function toTransport(value: unknown): Entry {
  const word = typeof value === "string" ? value.toLowerCase().replaceAll(/[^a-z]/g, "") : value;
  if (word === "stdio" || word === "local") return {};
  if (word === "http" || word === "streamablehttp" || word === "remote") return {};
  return { transport: value };
}

/** A word, a list of words (OpenCode), or an object with a path (older files of Zed). */
function toCommand(value: unknown): Entry {
  if (Array.isArray(value)) {
    const [command, ...args] = value as unknown[];
    return { command, args };
  }
  if (!isRecord(value)) return { command: value };
  const { path, ...rest } = value;
  const given = Object.entries(rest).filter(([, part]) => part !== null);
  return { command: path, ...Object.fromEntries(given) };
}

/** Variables that a program gets from the person's own environment. */
function forwarded(value: unknown): Entry {
  if (!Array.isArray(value)) return {};
  const names = value.flatMap((item: unknown) => {
    const name = isRecord(item) ? item["name"] : item;
    return typeof name === "string" ? [name] : [];
  });
  return { env: references(Object.fromEntries(names.map((name) => [name, name]))) };
}

/** Hosts take numbers and switches among texts for texts, and leave out what is not set. */
function texts(value: unknown): unknown {
  const toText = (item: unknown): unknown =>
    typeof item === "number" || typeof item === "boolean" ? String(item) : item;
  if (Array.isArray(value)) return value.map(toText);
  if (!isRecord(value)) return value;
  const set = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(set.map(([key, item]) => [key, toText(item)]));
}

/** Gemini CLI also knows `tool(arguments)`, which means the tool. */
function withoutArguments(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (typeof item === "string" ? item.replace(/\(.*$/s, "") : item));
}

function references(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, name]) => [key, `\${env:${String(name)}}`]));
}

function toOauth(value: unknown): unknown {
  if (value === false) return false;
  if (!isRecord(value)) return undefined;
  if (value["enabled"] === false) return false;
  const { clientId, CLIENT_ID, clientSecret, CLIENT_SECRET, scope, scopes, redirectPort, callbackPort } =
    value;
  const wanted = {
    clientId: clientId ?? CLIENT_ID,
    clientSecret: clientSecret ?? CLIENT_SECRET,
    scope: scope ?? (Array.isArray(scopes) ? scopes.join(" ") : scopes),
    redirectPort: redirectPort ?? callbackPort,
  };
  const given = Object.entries(wanted).filter(([, part]) => part !== undefined && part !== null);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

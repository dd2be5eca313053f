import type { Taint } from "../words/field.js";
import type { JudgedCommand } from "./judged-command.js";

const fetchers = new Set(
  "curl wget fetch aria2c http https xh lynx w3m links elinks nc ncat netcat socat telnet ftp tftp dig nslookup host ssh smbclient".split(
    " ",
  ),
);

/** The kind of unseen text that a program prints: text of another machine, decoded text, or secrets of the environment. */
export function taintOf({
  name,
  texts,
  args,
}: Pick<JudgedCommand, "name" | "texts" | "args">): Taint | undefined {
  if (fetchers.has(name) || (name === "openssl" && texts[0] === "s_client")) return "fetched";
  if (decodes(name, texts)) return "decoded";
  if ((name === "env" || name === "printenv") && args.every(({ text }) => /^-[0]?$|^[A-Z_]+$/.test(text)))
    return "secret";
  return (name === "set" && args.length === 0) ||
    (/^(?:export|declare|typeset)$/.test(name) && texts.join("") === "-p")
    ? "secret"
    : undefined;
}

function decodes(name: string, texts: readonly string[]): boolean {
  if (/^(?:base64|base32|basenc|gbase64)$/.test(name))
    return texts.some((text) => /^(?:-\w*[dD]\w*|--decode)$/.test(text));
  if (name === "xxd") return texts.some((text) => /^-\w*r/.test(text));
  if (name === "openssl")
    return texts.some((text) => text === "-d") && /^(?:enc|base64|aes|des)/.test(texts[0] ?? "");
  return name === "uudecode" || name === "rev";
}

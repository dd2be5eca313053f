import type { JudgedCommand } from "./judged-command.js";

const connectors = new Set(
  "nc ncat netcat nc.traditional nc.openbsd telnet socat openssl cryptcat".split(" "),
);
const senders = new Set([...connectors, "curl", "wget", "http", "https", "xh", "mail", "ftp", "tftp"]);

/** Giving another machine a shell, or sending it secrets. */
export function denyNetwork(judged: JudgedCommand): string | undefined {
  const { name, texts, args, resolved } = judged;
  if (connectors.has(name) && handsShell(name, texts)) return "it hands a shell to another machine";
  if (!senders.has(name)) return undefined;
  const secret = resolved.stdin.taint === "secret" || args.some(({ taint }) => taint === "secret");
  return secret ? "it sends the environment, and what is secret in it, to another machine" : undefined;
}

const shell = /(?:^|[/\s])(?:ba|da|z|k|a|c|tc)?sh\b|cmd(?:\.exe)?$|powershell/;

function handsShell(name: string, texts: readonly string[]): boolean {
  if (name === "socat") {
    const whole = texts.join(" ");
    return (
      /\b(?:exec|system|shell):/i.test(whole) && /\b(?:tcp|udp|openssl|ssl|sctp)\d?(?:-\w+)?:/i.test(whole)
    );
  }
  return texts.some((text, at) => {
    if (/^--(?:exec|sh-exec|lua-exec)(?:=|$)/.test(text)) return true;
    if (!/^-[A-Za-z]+$/.test(text) || name === "telnet" || name === "openssl") return false;
    const value = texts[at + 1] ?? "";
    return (/^-\w*e$/.test(text) && value !== "") || (/^-\w*c$/.test(text) && shell.test(value));
  });
}

/** Whether a program connects its input and output to another machine. */
export function isConnector(name: string): boolean {
  return connectors.has(name);
}

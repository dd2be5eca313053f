import type { PolicyRule } from "./policy-rule.js";
import { printable } from "./printable.js";
import { unescapeWildcard } from "../glob/wildcard.js";

/** Say a rule in words: "allow write_file on src/a.ts". */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    rule.approvals === undefined ? rule.decision : `${rule.decision} ${rule.approvals} people about`,
    rule.tool === undefined ? "every tool" : names(rule.tool, "or"),
    rule.command !== undefined && `running ${commands(rule)}`,
    rule.given !== undefined && printable(rule.given),
    rule.path !== undefined && `${placeWord(rule)} ${names(rule.path, "or")}`,
    rule.host !== undefined && `reaching ${names(rule.host, "or")}`,
    rule.agent !== undefined && `for the agent ${names(rule.agent, "or")}`,
    rule.user !== undefined && `for the user ${names(rule.user, "or")}`,
    rule.client !== undefined && `for the client ${names(rule.client, "or")}`,
    rule.session !== undefined && `in the session ${names(rule.session, "or")}`,
  ];
  return parts.filter((part) => part !== false).join(" ");
}

function placeWord({ access }: PolicyRule): string {
  if (access === undefined) return "on";
  return access === "read" ? "reading" : "changing";
}

function commands({ command, exact }: PolicyRule): string {
  const lines = typeof command === "string" ? [command] : (command ?? []);
  const open = (line: string) => line === "*" || line.endsWith(" *");
  return enumerate(
    lines.map((line) => `\`${printable(line)}\`${exact === true && !open(line) ? " as it stands" : ""}`),
    "or",
  );
}

function names(value: string | readonly string[], word: string): string {
  const list = typeof value === "string" ? [value] : value;
  return enumerate(
    list.map((item) => printable(unescapeWildcard(item))),
    word,
  );
}

const maxNamed = 20;

function enumerate(items: readonly string[], word: string): string {
  const shown =
    items.length > maxNamed ? [...items.slice(0, maxNamed), `${items.length - maxNamed} more`] : items;
  if (shown.length < 2) return shown[0] ?? "";
  return `${shown.slice(0, -1).join(", ")} ${word} ${shown.at(-1)}`;
}

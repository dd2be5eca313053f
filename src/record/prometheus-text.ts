/** One line: a value under its labels. */
export interface Sample {
  /** `_sum` and `_count` of a summary. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "summary";
  readonly samples: readonly Sample[];
}

/** Write families of metrics in the text exposition format; those without a sample are left out. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${samples.map((sample) => line(name, sample)).join("")}`,
    )
    .join("");
}

function line(name: string, { suffix = "", labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${number(value)}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** Label values are UTF-8: half a surrogate pair would break the whole page. */
function escapeLabel(text: string): string {
  return escapeHelp(text.toWellFormed()).replaceAll('"', '\\"');
}

function number(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}

import type { ToolContext } from "../../contract/context.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { labelled, type ShellResult } from "./shell-result.js";

/** What commands wrote the last time, per session, folder and line. */
export interface LastOutputs {
  /** Remember this run; where only changes are wanted and it ran before, tell them in the place of its output. */
  compare(
    result: ShellResult,
    ctx: Pick<ToolContext, "sessionId" | "outputs">,
    options: { readonly changesOnly: boolean },
  ): Promise<ShellResult>;
}

/** Longer outputs are not remembered. */
const mostChars = 500_000;
const mostTogether = 8_000_000;
const mostOutputs = 100;

/** Begin with none. */
export function createLastOutputs(): LastOutputs {
  const known = new Map<string, string>();
  let held = 0;
  const forget = (key: string): void => {
    held -= known.get(key)?.length ?? 0;
    known.delete(key);
  };
  const remember = (key: string, text: string | undefined): void => {
    forget(key);
    if (text === undefined) return;
    known.set(key, text);
    held += text.length;
    for (const oldest of known.keys()) {
      if (known.size <= mostOutputs && held <= mostTogether) return;
      forget(oldest);
    }
  };
  return {
    async compare(result, ctx, { changesOnly }) {
      const key = [ctx.sessionId, result.cwd ?? "", result.command].join("\0");
      const before = known.get(key);
      const after = await wholeText(result, ctx);
      remember(key, after);
      if (!changesOnly) return result;
      if (before === undefined || after === undefined) return withNote(result, notComparable(after));
      const changes = unifiedDiff({ path: "output", before, after });
      if (changes.length >= after.length && before !== after) {
        return withNote(result, "More changed since the last run than stayed, so all of it is shown.");
      }
      const outputFile = result.outputFile ?? (await keep(after, ctx));
      return { ...result, stdout: "", stderr: "", changes, outputFile };
    },
  };
}

function notComparable(after: string | undefined): string {
  return after === undefined
    ? "The output is too long to be compared with that of the last run."
    : "This line has not run here before in this session, so all of its output is shown.";
}

function withNote(result: ShellResult, note: string): ShellResult {
  return { ...result, notes: [...result.notes, note] };
}

/** Both streams as one text; `undefined` where it is too long. */
async function wholeText(
  result: ShellResult,
  { outputs }: Pick<ToolContext, "outputs">,
): Promise<string | undefined> {
  if (!result.truncated) {
    const text = [result.stdout, labelled("stderr", result.stderr)].filter((part) => part !== "").join("\n");
    return text.length > mostChars ? undefined : text;
  }
  if (result.outputFile === undefined) return undefined;
  const page = await outputs.page(result.outputFile, { offset: 0, maxChars: mostChars });
  return page.nextOffset === undefined ? page.text : undefined;
}

async function keep(text: string, { outputs }: Pick<ToolContext, "outputs">): Promise<string> {
  const writer = outputs.create();
  await writer.write(Buffer.from(text));
  return (await writer.finish()).handle;
}

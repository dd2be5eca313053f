import type { ToolContext } from "../../contract/context.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { withLabel, type ShellResult } from "./shell-result.js";

/** The previous outputs of commands, by session, folder and command line. */
export interface LastOutputs {
  /** Remember this output; with `changesOnly`, replace it by the changes since the previous run. */
  compare(
    result: ShellResult,
    ctx: Pick<ToolContext, "sessionId" | "outputs">,
    options: { readonly changesOnly: boolean },
  ): Promise<ShellResult>;
}

/** A longer output is not remembered. */
const maxOutputChars = 500_000;
const maxTotalChars = 8_000_000;
/** Of a UTF-16 code unit in UTF-8. */
const maxCharBytes = 3;
const maxOutputs = 100;

/** Create an empty collection. */
export function createLastOutputs(): LastOutputs {
  const known = new Map<string, string>();
  let totalChars = 0;
  const forget = (key: string): void => {
    totalChars -= known.get(key)?.length ?? 0;
    known.delete(key);
  };
  const remember = (key: string, text: string | undefined): void => {
    forget(key);
    if (text === undefined) return;
    known.set(key, text);
    totalChars += text.length;
    for (const oldest of known.keys()) {
      if (known.size <= maxOutputs && totalChars <= maxTotalChars) return;
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
        return withNote(result, "Most of the output changed since the last run, so all of it is shown.");
      }
      const outputFile = result.outputFile ?? (await storeOutput(after, ctx));
      return { ...result, stdout: "", stderr: "", outputDiff: changes, outputFile };
    },
  };
}

function notComparable(after: string | undefined): string {
  return after === undefined
    ? "The output is too long to compare with the last run."
    : "This command has not run in this folder in this session before, so all of its output is shown.";
}

function withNote(result: ShellResult, note: string): ShellResult {
  return { ...result, notes: [...result.notes, note] };
}

/** Both streams as one text; `undefined` if it is too long. */
async function wholeText(
  result: ShellResult,
  { outputs }: Pick<ToolContext, "outputs">,
): Promise<string | undefined> {
  if (!result.truncated) {
    const text = [result.stdout, withLabel("stderr", result.stderr)].filter((part) => part !== "").join("\n");
    return text.length > maxOutputChars ? undefined : text;
  }
  if (result.outputFile === undefined) return undefined;
  // A page counts all lines of the output, which takes long if there are many.
  const kept = await outputs.describe(result.outputFile);
  if (kept === undefined || kept.bytes > maxOutputChars * maxCharBytes) return undefined;
  const page = await outputs.page(result.outputFile, { offset: 0, maxChars: maxOutputChars });
  return page.nextOffset === undefined ? page.text : undefined;
}

async function storeOutput(text: string, { outputs }: Pick<ToolContext, "outputs">): Promise<string> {
  const writer = outputs.create();
  await writer.write(Buffer.from(text));
  return (await writer.finish()).handle;
}

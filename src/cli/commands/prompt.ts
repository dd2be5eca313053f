import { promptFormats, type PromptFormat } from "../../llm/print-tool-call.js";
import { UsageError, withCommonFlags, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { writeJson } from "../output.js";
import { wholeNumber } from "../whole-number.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon prompt`: the tools as a system prompt. */
export const addPrompt: AddCommand = (program, terminal) => {
  withCommonFlags(
    program
      .command("prompt")
      .description("Print the system prompt with the tools, for models without tool calling"),
  )
    .option("--format <format>", promptFormats.join(" or "), "xml")
    .option("--tool <name>", "only this tool")
    .option("--max-tokens <n>", "say less of the tools where the prompt would be longer")
    .option("--no-guide", "leave out which tool suits which task")
    .action((flags: PromptFlags) =>
      withTenon(terminal, flags, async ({ session }) => {
        const prompt = session.prompt({
          format: toFormat(flags.format),
          guide: flags.guide,
          tool: flags.tool,
          maxTokens: wholeNumber("--max-tokens", flags.maxTokens),
        });
        if (flags.json === true) writeJson(terminal, prompt);
        else
          terminal.stdout.write(
            `${terminal.stdout.isTTY === true ? toVisibleText(prompt.text) : prompt.text}\n`,
          );
      }),
    );
};

interface PromptFlags extends CommonFlags {
  readonly format: string;
  readonly tool?: string;
  readonly maxTokens?: string;
  readonly guide: boolean;
}

/** The format of that name. */
export function toFormat(name: string): PromptFormat {
  const format = promptFormats.find((known) => known === name);
  if (format !== undefined) return format;
  throw new UsageError(`There is no format "${name}". There are: ${promptFormats.join(", ")}.`);
}

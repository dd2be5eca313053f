import { promptFormats, type PromptFormat } from "../../llm/print-tool-call.js";
import { type AddCommand, type CommonFlags, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { writeResult } from "../output.js";
import { wholeNumber, oneOf } from "../whole-number.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon prompt`: the tools as a system prompt. */
export const addPrompt: AddCommand = (program, terminal) => {
  addCommand(program, "prompt", "Print a system prompt with the tools, for models without tool calling")
    .option("--format <format>", promptFormats.join(" or "), "xml")
    .option("--tool <name>", "only this tool")
    .option("--max-tokens <n>", "shorten the tool descriptions to fit this many tokens")
    .option("--no-guide", "leave out the guide to choosing tools")
    .action((flags: PromptFlags) =>
      withTenon(terminal, flags, async (open) => {
        const prompt = open.session.prompt({
          format: toFormat(flags.format),
          guide: flags.guide,
          tool: flags.tool,
          maxTokens: wholeNumber("--max-tokens", flags.maxTokens),
        });
        writeResult(open, prompt, () =>
          terminal.stdout.isTTY === true ? toVisibleText(prompt.text) : prompt.text,
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

export function toFormat(name: string): PromptFormat {
  return oneOf("--format", name, promptFormats);
}

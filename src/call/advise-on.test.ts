import { describe, expect, it } from "vitest";
import {
  type ToolError,
  ToolExecutionError,
  ToolPermissionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolTimeoutError,
  ToolUnavailableError,
  ToolValidationError,
} from "../contract/errors.js";
import { adviseOn } from "./advise-on.js";
import { open, tool } from "../../test/spine-fixture.js";

const tries = { count: 4, firstAt: 10, lastAt: 20 };
const bare = { state: { resolved: undefined } } as never;
const adviceOn = (error?: ToolError) => adviseOn(bare, error, tries);

describe("the advice about a call that fails again and again", () => {
  const forbidden = "Do without it, or ask the person for permission.";
  const other = "Change the arguments, change what the call reads, or use another approach.";
  const again = "Read the file again and start from its current content.";
  it.each<[string, ToolError | undefined, string]>([
    ["nothing", undefined, other],
    ["a refusal", new ToolPermissionError("no"), forbidden],
    ["a violation", new ToolSecurityError("no"), forbidden],
    [
      "arguments that do not fit",
      new ToolValidationError("no", { code: "ARGUMENTS_INVALID" }),
      "Look up its arguments with describe_tool and send valid ones.",
    ],
    ["a value that does not fit", new ToolValidationError("no", { code: "VALUE_INVALID" }), other],
    ["arguments of a tool's own", new ToolExecutionError("no", { code: "ARGUMENTS_ODD" }), other],
    ["an edit", new ToolExecutionError("no", { code: "EDIT_NO_MATCH" }), again],
    ["a file", new ToolExecutionError("no", { code: "FILE_CONFLICT" }), again],
    ["a patch", new ToolExecutionError("no", { code: "PATCH_BROKEN" }), again],
    ["a diff", new ToolExecutionError("no", { code: "DIFF_BROKEN" }), again],
    ["what only sounds like a file", new ToolExecutionError("no", { code: "MY_FILE_X" }), other],
    ["nothing of that name", new ToolResourceNotFoundError("no"), "List what exists before naming it again."],
    ["a time limit", new ToolTimeoutError("no"), "Do less in one call, or pass a larger time limit."],
    ["a service", new ToolUnavailableError("no"), "Continue with something else and try again later."],
    ["a failure", new ToolExecutionError("no"), other],
  ])("about %s is fit for it", (_what, error, hint) => {
    const soon = error?.retryable === true ? " at once" : "";
    expect(adviceOn(error)).toEqual({
      hint: `The same call with the same arguments failed 4 times in the same way; repeating it${soon} will not help. ${hint}`,
      details: { repeated: { ...tries, alternatives: [] } },
    });
  });

  it("says that only repeating it at once is of no use, where a failure may pass", () => {
    const passing = new ToolUnavailableError("busy", { retryable: true });
    expect(adviceOn(passing).hint).toContain("repeating it at once will not help");
    expect(adviceOn(new ToolExecutionError("no", { retryable: false })).hint).toContain(
      "repeating it will not help",
    );
  });

  it("names the fallback, then tools of the same kind that do no more, three at most", async () => {
    const fail = () => Promise.reject(new ToolExecutionError("no", { retryable: false }));
    const names = async (members: object, others: Parameters<typeof open>[0]) => {
      const failing = tool("failing", { category: "data", execute: fail, ...members });
      const tenon = open({ builtIns: false, ...others, tools: [failing, ...(others?.tools ?? [])] });
      const answers = [];
      for (let at = 0; at < 3; at++) answers.push(await tenon.call({ name: "failing" }));
      const repeated = answers[2]?.error?.details?.["repeated"] as { alternatives: string[] };
      return { names: repeated.alternatives, hint: answers[2]?.error?.hint };
    };
    const kin = (name: string, more: object = {}) =>
      tool(name, { category: "data", execute: () => 1, ...more });
    const alone = await names(
      {},
      { tools: [kin("writes", { annotations: {} }), kin("net", { category: "network" })] },
    );
    expect(alone.names).toEqual([]);
    expect(alone.hint).not.toContain("Other tools");
    const some = await names({}, { tools: [kin("a"), kin("b")] });
    expect(some.names).toEqual(["a", "b"]);
    expect(some.hint).toContain(" Other tools: a, b.");
    const many = await names({}, { tools: [kin("a"), kin("b"), kin("c"), kin("d")] });
    expect(many.names).toEqual(["a", "b", "c"]);
  });
});

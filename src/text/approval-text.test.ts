import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../contract/ports/interact.js";
import { toApprovalText, toQuestionText } from "./approval-text.js";

const request = {
  agent: "default",
  toolName: "write_file",
  sessionId: "s1",
  arguments: { path: "a.txt", content: "x\ny" },
  reason: "it changes files",
  decision: { rule: "built-in:dangerous" },
} as unknown as ApprovalRequest;

const show = (change: object = {}) => toApprovalText({ ...request, ...change });

describe("toApprovalText", () => {
  it("says who wants what, with which arguments, and why a person is asked", () => {
    expect(show()).toMatchInlineSnapshot(`
      "The default agent wants to call write_file
      From session s1
      Arguments:
      │ path │ a.txt
      │ content │ x
      │         │ y
      Why you are asked: it changes files (rule built-in:dangerous)"
    `);
  });

  it("says all that is known of the caller and of what would happen", () => {
    const whole = show({
      agent: "helper\u202e",
      client: { name: "Desk", version: "1.2" },
      taskId: "t1",
      afterRun: true,
      fault: "That was\nno number",
      preview: {
        summary: "Writes a.txt",
        address: "https://x.org/\u200b",
        commands: ["ls\u0007", "rm a"],
        details: { path: "a.txt", other: "x\ny", size: 3, more: { a: 1 } },
        diff: "-a\n+b\n",
      },
      reason: "the rule built-in:dangerous asks",
    });
    expect(whole).toMatchInlineSnapshot(`
      "The agent helper⟨U+202E⟩ ran write_file
      From Desk 1.2, session s1, task t1
      Asked again: That was
      no number
      Writes a.txt
      Arguments:
      │ path │ a.txt
      │ content │ x
      │         │ y
      Address:
      │ https://x.org/⟨U+200B⟩
      Commands:
      │ $ ls⟨BEL⟩
      │ $ rm a
      Details:
      │ size: 3
      │ more:
      │   a: 1
      Changes:
      │ -a
      │ +b
      Why you are asked: the rule built-in:dangerous asks"
    `);
  });

  it("tells no detail again that the arguments show, by its name and value or by its text", () => {
    const detailsOf = (details: object): string[] => {
      const preview = { summary: "s", details };
      const lines = show({ arguments: { path: "a.txt", size: 3, list: [1, 2] }, preview }).split("\n");
      const at = lines.indexOf("Details:");
      return at === -1 ? [] : lines.slice(at + 1).filter((line) => /^│ \w+:/.test(line));
    };
    expect(detailsOf({ path: "a.txt", size: 3, list: [1, 2] })).toEqual([]);
    expect(detailsOf({ other: "a.txt", count: 3, list: [2, 1], path: 7 })).toEqual([
      "│ count: 3",
      expect.stringMatching(/^│ list:/),
      "│ path: 7",
    ]);
  });

  it("leaves out what there is none of", () => {
    const bare = show({
      arguments: {},
      client: { name: "Desk" },
      preview: { summary: "Nothing", commands: [], details: {} },
    });
    expect(bare).toMatchInlineSnapshot(`
      "The default agent wants to call write_file
      From Desk, session s1
      Nothing
      Arguments:
      │ {}
      Why you are asked: it changes files (rule built-in:dangerous)"
    `);
  });
});

describe("toQuestionText", () => {
  it("shows the title, the message and what it is about behind a bar", () => {
    expect(toQuestionText({ kind: "confirm", message: "Go on?" })).toBe("Go on?");
    expect(toQuestionText({ kind: "confirm", title: "Deploy", message: "Go on?", content: "a\nb" })).toBe(
      "Deploy: Go on?\n│ a\n│ b",
    );
  });
});

import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import { randomText } from "../../text/visible-text.fixture.js";
import { fromVisibleText } from "../../text/visible-text.js";
import {
  fitsApprovalForm,
  fitsQuestionForm,
  fromQuestionForm,
  toApprovalForm,
  toQuestionForm,
} from "./approval-form.js";

const request: ApprovalRequest = {
  id: "a",
  callId: "c",
  sessionId: "s",
  agent: "agent\u202e",
  toolName: "shell\u200b_exec",
  risk: "high",
  channels: ["host"],
  client: { name: "ho\u202est", version: "1" },
  requestedAt: 0,
  arguments: { command: "ls" },
  reason: "a rule\u001b[2J asks",
  decision: { behavior: "ask", rule: "r", source: "config", reason: "" },
  expiresAt: 0,
};

describe("the form that asks for consent", () => {
  it("shows the arguments whole, so that they decode to the same code points", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const text = randomText(seed);
      const message = messageOf(toApprovalForm({ ...request, arguments: { text } }));
      const shown = [...message.matchAll(/^│ (?:text|\s{4}) │ (.*)$/gm)].map(([, line]) => line);
      expect(fromVisibleText(shown.join("\n"))).toBe(text);
    }
  });

  it("writes out what hides in names, reasons, commands, addresses and diffs", () => {
    const preview = {
      summary: "Run\u0007",
      commands: ["rm\u202e -rf"],
      address: "https://ex\u0430mple.org",
      diff: "+a\u001b[8m\n-b\u200b",
    };
    const message = messageOf(toApprovalForm({ ...request, preview }));
    for (const shown of [
      "The agent agent⟨U+202E⟩ wants to call shell⟨U+200B⟩_exec",
      "From ho⟨U+202E⟩st 1, session s",
      "Run⟨BEL⟩",
      "│ $ rm⟨U+202E⟩ -rf",
      "│ https://ex⟨U+0430⟩mple.org",
      "│ +a⟨ESC⟩[8m\n│ -b⟨U+200B⟩",
      "a rule⟨ESC⟩[2J asks",
    ])
      expect(message).toContain(shown);
  });

  it("does not fit where it is longer than 8,000 characters in its visible form", () => {
    const of = (text: string): ApprovalRequest => ({ ...request, arguments: { text } });
    expect(fitsApprovalForm(of("a".repeat(7000)))).toBe(true);
    expect(fitsApprovalForm(of("a".repeat(8000)))).toBe(false);
    expect(fitsApprovalForm(of("\u202e".repeat(1000)))).toBe(false);
    expect(fitsApprovalForm(of("\n".repeat(100_000)))).toBe(false);
    expect(fitsApprovalForm({ ...of(""), alwaysRule: "x".repeat(8000) })).toBe(false);
  });
});

describe("the form of a question", () => {
  it("offers choices in their visible form and gives back the one that was meant", () => {
    const question = {
      kind: "ask",
      message: "Which\u200b?",
      options: ["a", "b\u202e"],
      default: "b\u202e",
    } as const;
    const form = toQuestionForm(question);
    expect(messageOf(form)).toBe("Which⟨U+200B⟩?");
    expect(form).toMatchObject({
      requestedSchema: { properties: { answer: { enum: ["a", "b⟨U+202E⟩"], default: "b⟨U+202E⟩" } } },
    });
    const answer = { action: "accept", content: { answer: "b⟨U+202E⟩" } } as const;
    expect(fromQuestionForm(question, answer)).toEqual({ text: "b\u202e" });
  });

  it("shows a text to review whole, and hands it out for editing only where nothing in it is hidden", () => {
    const review = (content: string) => ({ kind: "review", message: "Look", content }) as const;
    expect(messageOf(toQuestionForm(review("a\n\u001b]0;x")))).toBe("Look\n│ a\n│ ⟨ESC⟩]0;x");
    expect(JSON.stringify(toQuestionForm(review("a\n\u001b]0;x")))).not.toContain("default");
    expect(JSON.stringify(toQuestionForm(review("plain\ntext")))).toContain('"default":"plain\\ntext"');
    expect([fitsQuestionForm(review("x".repeat(8000))), fitsQuestionForm(review("x"))]).toEqual([
      false,
      true,
    ]);
  });
});

function messageOf(form: Readonly<Record<string, unknown>>): string {
  return String(form["message"]);
}

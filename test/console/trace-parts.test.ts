import { describe, expect, it } from "vitest";
import type { TraceSpan } from "../../console/src/api/types.js";
import { buildTree, matchingSpans } from "../../console/src/pages/trace/build-tree.js";
import { fieldOf, parseSearch, withField } from "../../console/src/search/parse-search.js";
import { invertDiff } from "../../console/src/text/invert-diff.js";
import { resultParts } from "../../console/src/text/result-parts.js";

const span = (callId: string, parentCallId?: string): TraceSpan => ({
  callId,
  parentCallId,
  tool: "t",
  agent: "a",
  sessionId: "s",
  state: "success",
  time: 1,
  durationMs: 1,
  arguments: {},
});
const noTable = (_value: unknown): _value is never => false;

describe("the diff of a change", () => {
  it("is that of its undo read backwards, with names and lines in the usual order", () => {
    const undo =
      "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n one\n-new\n+old\n end\n\\ No newline at end of file\n";
    const lines = invertDiff(undo).split("\n");
    expect(lines.slice(lines.indexOf("--- a/x.md"))).toEqual([
      "--- a/x.md",
      "+++ b/x.md",
      "@@ -1,3 +1,3 @@",
      " one",
      "-old",
      "+new",
      " end",
      "\\ No newline at end of file",
      "",
    ]);
    expect(invertDiff("no diff @@ at all")).toBeDefined();
  });
});

describe("the tree of a trace", () => {
  it("puts calls below their callers, ten thousand deep, and ends for calls in a circle", () => {
    const deep = Array.from({ length: 10_000 }, (_, at) =>
      span(`c${at}`, at === 0 ? undefined : `c${at - 1}`),
    );
    const rows = buildTree(deep, new Set());
    expect(rows).toHaveLength(10_000);
    expect(rows.at(-1)).toMatchObject({ depth: 9999, span: { callId: "c9999" } });
    expect(buildTree(deep, new Set(["c4"]))).toHaveLength(5);
    expect(buildTree([span("a", "a"), span("b", "gone")], new Set()).map(({ depth }) => depth)).toEqual([
      0, 0,
    ]);
    expect(() => buildTree([span("a", "b"), span("b", "a")], new Set())).not.toThrow();
  });

  it("keeps the callers of what matches, in order", () => {
    const spans = [span("a"), span("b", "a"), span("c"), span("d", "b")];
    const kept = matchingSpans(spans, ({ callId }) => callId === "d");
    expect(kept.map(({ callId }) => callId)).toEqual(["a", "b", "d"]);
  });
});

describe("a search with fields", () => {
  it("reads fields, quoted values, times and words", () => {
    const now = Date.parse("2026-01-01T12:00:00Z");
    const { filter, problems } = parseSearch(
      'tool:edit_file OUTCOME:Denied since:2h task:"a b" rm -rf "x y"',
      now,
    );
    expect(filter).toEqual({
      tool: "edit_file",
      outcome: "denied",
      since: now - 7_200_000,
      taskId: "a b",
      text: "rm -rf x y",
    });
    expect(problems).toEqual([]);
    expect(parseSearch("until:2025-12-31T00:00:00Z", now).filter.until).toBe(
      Date.parse("2025-12-31T00:00:00Z"),
    );
  });

  it("names what it does not understand instead of dropping it in silence", () => {
    const { filter, problems } = parseSearch("size:red outcome:maybe since:soon https://example.org", 0);
    expect(filter).toEqual({ text: "size:red https://example.org" });
    expect(problems.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
      "field size",
      "value outcome",
      "value since",
    ]);
  });

  it("sets and takes out one field and leaves the rest", () => {
    const set = withField("rm tool:a outcome:denied", "outcome", "failure");
    expect(set).toBe("rm tool:a outcome:failure");
    expect(fieldOf(set, "outcome")).toBe("failure");
    expect(withField(set, "outcome", undefined)).toBe("rm tool:a");
    expect(fieldOf(withField("", "task", 'say "hi" now'), "task")).toBe("say hi now");
  });
});

describe("the parts of a result", () => {
  it("knows terminal output, diffs, Markdown and images from plain members", () => {
    const kinds = (value: unknown) => resultParts(value, noTable).map(({ kind }) => kind);
    expect(kinds({ exit_code: 0, stdout: "\u001b[31mred", diff: "--- a\n+++ b\n" })).toEqual([
      "terminal",
      "diff",
      "rest",
    ]);
    expect(kinds({ path: "README.md", content: "# Hi" })).toEqual(["markdown", "rest"]);
    expect(kinds({ content: [{ type: "image", mimeType: "image/png", data: "aGk=" }] })).toEqual(["image"]);
  });

  it("makes no image of anything but base64 of an image type", () => {
    const image = (mimeType: string, data: string) =>
      resultParts({ content: [{ type: "image", mimeType, data }] }, noTable).map(({ kind }) => kind);
    expect(image("text/html", "aGk=")).toEqual(["rest"]);
    expect(image('image/png" onerror="x', "aGk=")).toEqual(["rest"]);
    expect(image("image/png", 'x" onerror="alert(1)')).toEqual(["rest"]);
  });
});

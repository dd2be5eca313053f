import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FeedItem } from "../../console/src/api/types.js";
import { createServerClock } from "../../console/src/api/server-clock.js";
import { createFeedStore } from "../../console/src/feed/feed-store.js";
import { keptCalls } from "../../console/src/feed/feed-state.js";
import { fillIn } from "../../console/src/i18n/use-text.js";
import { stagesOf } from "../../console/src/pages/live/stages-of.js";
import { firstValue, kindOf, resolveSchema } from "../../console/src/pages/tools/schema-kind.js";
import { keyProblem } from "../../console/src/pages/tools/use-pairs.js";
import { cutText } from "../../console/src/text/cut-text.js";
import { parseAnsi } from "../../console/src/text/parse-ansi.js";
import { toVisiblePieces, toVisibleText } from "../../src/text/visible-text.js";
import { underLoad } from "../setup/under-load.js";

// oxlint-disable-next-line no-control-regex -- what must never reach the page
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;
const nasty = fc.string({
  unit: fc.constantFrom(
    "a",
    "\n",
    "\u001b",
    "[",
    "]",
    "3",
    "1",
    ";",
    "m",
    "J",
    "\u0007",
    "\u202e",
    "\r",
    "\u009b",
    "\\",
    "\ud800",
  ),
});

describe("text from outside", () => {
  it("never keeps a character that cannot be seen", () => {
    fc.assert(fc.property(nasty, (text) => !unseen.test(toVisibleText(text))));
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = parseAnsi(text)
          .runs.flatMap((run) => toVisiblePieces(run.text))
          .map((piece) => piece.text);
        expect(shown.join("")).not.toMatch(unseen);
      }),
    );
  });

  it("keeps the colors of what a command printed, and counts what else steered the terminal", () => {
    const { runs, removed } = parseAnsi(
      "\u001b[1;31mred\u001b[0m plain\u001b[2J\u001b]0;title\u0007\u001b[38;5;200mfar\u001b[48;2;1;2;3m end",
    );
    expect(runs.map((run) => run.text).join("")).toBe("red plainfar end");
    expect(runs[0]).toEqual({ text: "red", color: 1, bold: true });
    expect(runs[1]).toEqual({ text: " plain" });
    expect(removed).toBe(2);
  });

  it("takes no line and no long text for a title, concealed text neither", () => {
    const text = `\u001b]0;a\nrm -rf ~\u001b\\\u001b]0;${"x".repeat(300)}\u0007\u001b[8msecret`;
    const shown = parseAnsi(text)
      .runs.map((run) => run.text)
      .join("");
    for (const part of ["rm -rf ~", "x".repeat(300), "secret"]) expect(shown).toContain(part);
  });

  it("takes a megabyte without end in no time, and cuts it", () => {
    const started = performance.now();
    parseAnsi(`\u001b]${"x".repeat(1_000_000)}`);
    parseAnsi("\u001b[".repeat(300_000));
    expect(performance.now() - started).toBeLessThan(underLoad(2000));
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.nat(5000), (text, times) => {
        const whole = text.repeat(times);
        const { shown, left } = cutText(whole, 16_000);
        expect(shown.length).toBeLessThanOrEqual(16_000 + 10);
        expect(left >= 0 && left > 0 === (shown !== whole)).toBe(true);
        expect(shown.length + left).toBe(whole.length);
      }),
    );
  });
});

describe("a text that is cut", () => {
  it("is cut between characters that were written out, at either end, and counts its lines", () => {
    for (let limit = 20; limit < 40; limit += 1) {
      const visible = toVisibleText("\u202e😀\u001b".repeat(10));
      for (const from of ["start", "end"] as const) {
        const { shown } = cutText(visible, limit, from);
        expect(shown).toMatch(/^(?:⟨(?:U\+202E|ESC)⟩|😀)*$/u);
      }
    }
    expect(cutText("a\nb\nc\nd", 4)).toEqual({ shown: "a\nb\n", left: 3, leftLines: 2 });
    expect(cutText("abcdef", 4)).toEqual({ shown: "abcd", left: 2, leftLines: 1 });
  });
});

describe("a text with values", () => {
  it("has the singular for one", () => {
    const text = "{n} {n:call|calls} of {name}";
    expect(fillIn(text, { n: 1, name: "a" })).toBe("1 call of a");
    expect(fillIn(text, { n: "1,000" })).toBe("1,000 calls of {name}");
    expect(fillIn("前往{page}", { page: "MCP 服务器" })).toBe("前往 MCP 服务器");
    expect(fillIn("前往{page}", { page: "日志" })).toBe("前往日志");
  });
});

describe("the form of a schema", () => {
  it("follows references, looks through null, and falls back to JSON", () => {
    const root = { $defs: { name: { type: "string" }, loop: { $ref: "#/$defs/loop" } }, type: "object" };
    expect(kindOf(resolveSchema({ $ref: "#/$defs/name" }, root))).toBe("long-text");
    expect(kindOf(resolveSchema({ anyOf: [{ type: "integer" }, { type: "null" }] }, root))).toBe("number");
    expect(kindOf(resolveSchema({ $ref: "#/$defs/loop" }, root))).toBe("raw");
    expect(kindOf(resolveSchema({ $ref: "http://elsewhere/schema" }, root))).toBe("raw");
    expect(kindOf(resolveSchema({ oneOf: [{ type: "string" }, { type: "number" }] }, root))).toBe("raw");
    expect(kindOf({ enum: ["a", 1, null] })).toBe("choice");
    // Members of any name have fields where their values can be shown in some.
    expect(kindOf({ type: "object", additionalProperties: { type: "string" } })).toBe("object");
    expect(kindOf({ type: "object", additionalProperties: {} })).toBe("raw");
    expect(kindOf({ type: "object" })).toBe("raw");
    expect(keyProblem([["a", 1]], 0)).toBeUndefined();
    const typed = ["a", "", "a"].map((key) => [key, 1] as const);
    expect(typed.map((_, at) => keyProblem(typed, at))).toEqual([undefined, "empty", "twice"]);
  });

  it("starts with defaults and what must be given, and ends for a schema within itself", () => {
    const node: Record<string, unknown> = { type: "object", required: ["next", "size"] };
    node["properties"] = {
      next: { $ref: "#" },
      size: { type: "number", default: 3 },
      other: { type: "string" },
    };
    const first = firstValue(node, node) as { size: number };
    expect(first.size).toBe(3);
    expect("other" in first).toBe(false);
  });
});

describe("the feed in the page", () => {
  const at = (id: number, type: string, payload: unknown) =>
    ({ id, event: { type, time: 1000 + id, payload } }) as unknown as FeedItem;
  const call = (callId: string) => ({ callId, toolName: "t", sessionId: "s", agent: "a", arguments: {} });

  it("shows many events in one go, and stages in their order", () => {
    const frames: (() => void)[] = [];
    const store = createFeedStore((run) => frames.push(run));
    let drawn = 0;
    store.subscribe(() => (drawn += 1));
    store.push(at(1, "TOOL_CALL_REQUESTED", call("c")));
    store.push(at(2, "APPROVAL_REQUESTED", { ...call("c"), id: "q" }));
    store.push(at(3, "APPROVAL_RESOLVED", { id: "q", callId: "c" }));
    store.push(at(4, "TOOL_CALL_STARTED", call("c")));
    store.push(at(9, "TOOL_CALL_COMPLETED", { ...call("c"), result: 1, durationMs: 5 }));
    for (const frame of frames) frame();
    expect(drawn).toBe(1);
    const ended = store.read().calls.get("c");
    expect(ended).toMatchObject({ state: "succeeded", result: 1 });
    expect(stagesOf(ended as NonNullable<typeof ended>, 1009).map(({ stage }) => stage)).toEqual([
      "waiting",
      "asking",
      "waiting",
      "running",
    ]);
    expect(store.read().approvals).toEqual([]);
    const asking = {
      ...call("d"),
      requestedAt: 1,
      startedAt: 2,
      askedAt: 4,
      answeredAt: 6,
      state: "running" as const,
    };
    const stages = stagesOf(asking, 9).map(({ stage }) => stage);
    expect(stages).toEqual(["waiting", "running", "asking", "running"]);
    // Asked in the millisecond of its start: still a question, not a call that runs.
    const atOnce = { ...call("e"), requestedAt: 1, startedAt: 2, askedAt: 2, state: "asking" as const };
    expect(stagesOf(atOnce, 9).map(({ stage }) => stage)).toEqual(["waiting", "asking"]);
  });

  it("keeps the latest calls only, and what events said over an older snapshot", () => {
    const frames: (() => void)[] = [];
    const store = createFeedStore((run) => frames.push(run));
    const draw = () => frames.splice(0).forEach((frame) => frame());
    for (let id = 1; id <= keptCalls + 5; id += 1) store.push(at(id, "TOOL_CALL_REQUESTED", call(`c${id}`)));
    draw();
    expect(store.read().order.length).toBeLessThanOrEqual(keptCalls);
    expect(store.read().dropped).toBeGreaterThan(0);
    const last = `c${keptCalls + 5}`;
    store.push(at(99_999, "TOOL_CALL_COMPLETED", { ...call(last), result: 1, durationMs: 5 }));
    store.answered("gone");
    const waiting = { ...call(last), requestedAt: 1, state: "waiting" as const };
    store.load({ calls: [waiting], approvals: [{ id: "gone" }] as never, questions: [] });
    draw();
    expect(store.read().calls.get(last)?.state).toBe("succeeded");
    expect(store.read().approvals).toEqual([]);
  });
});

describe("the clock of the server", () => {
  it("is that of the browser unless an answer says otherwise, and follows both when they are set", () => {
    let own = 1_000_000_000_000;
    const clock = createServerClock(() => own);
    const answer = (serverTime: number, tookMs: number) =>
      clock.note(own - tookMs, own, new Date(serverTime).toUTCString());
    clock.note(own, own, null);
    clock.note(own, own, "nonsense");
    answer(own, 0);
    answer(own - 3000, 4000);
    expect(clock.now()).toBe(own);
    answer(own + 3_600_000, 20);
    expect(Math.abs(clock.now() - own - 3_600_000)).toBeLessThan(1100);
    const before = clock.now();
    answer(before, 10);
    expect(clock.now()).toBe(before);
    own += 3_600_000; // the browser's clock is put right
    answer(own, 10);
    expect(clock.now()).toBe(own);
  });
});

import { describe, expect, it } from "vitest";
import { echo, open } from "../spine-fixture.js";

const answer = { success: true, result: { size: 5, name: "a" }, metadata: {} };
const failure = {
  success: false,
  error: {
    type: "ToolPermissionError",
    code: "PATH_OUTSIDE",
    message: "The path leaves the workspace.",
    hint: "Use a path below it.",
    retryable: false,
  },
};

describe("toSucceed", () => {
  it("accepts the envelope of a call that succeeded", async () => {
    const tenon = open({ tools: [echo] });
    expect(await tenon.call({ name: "echo", arguments: { text: "a" } })).toSucceed({ toolName: "echo" });
    expect(await tenon.call({ name: "echo", arguments: { text: "a" } })).toSucceedWith({ text: "a" });
    expect(await tenon.call({ name: "echo", arguments: { text: 1 } })).toFailWith("ARGUMENTS_INVALID");
  });

  it("prints the code, the message and the hint of a call that failed", () => {
    expect(() => expect(failure).toSucceed()).toThrow(
      /it failed with PATH_OUTSIDE \(ToolPermissionError\):\n {2}The path leaves the workspace\.\n {2}hint: Use a path below it\./,
    );
  });

  it("prints the result of a call that should have failed", () => {
    expect(() => expect(answer).not.toSucceed()).toThrow(/to fail, but it succeeded with \{"size":5,/);
    expect(failure).not.toSucceed();
  });

  it("compares the given part of the envelope", () => {
    expect(answer).toSucceed({ result: { size: 5 } });
    expect(() => expect(answer).toSucceed({ result: { size: 6 } })).toThrow(/succeeded with/);
    expect(() => expect(failure).toSucceed({})).toThrow(/PATH_OUTSIDE/);
  });

  it("refuses what is not an envelope, with not as well", () => {
    for (const value of [undefined, null, "text", {}, { success: "yes" }]) {
      expect(() => expect(value).toSucceed()).toThrow(/needs the envelope of a call/);
      expect(() => expect(value).not.toSucceed()).toThrow(/needs the envelope of a call/);
    }
    expect(() => expect(Promise.resolve(answer)).toSucceed()).toThrow(/await the call first/);
  });
});

describe("toSucceedWith", () => {
  it("compares the whole result", () => {
    expect(answer).toSucceedWith({ size: 5, name: "a" });
    expect(answer).toSucceedWith({ size: expect.any(Number), name: "a" });
    expect(() => expect(answer).toSucceedWith({ size: 5 })).toThrow(/"name":"a"/);
    expect(() => expect(failure).toSucceedWith(undefined)).toThrow(/PATH_OUTSIDE/);
  });
});

describe("toFailWith", () => {
  it("compares the code and the given part of the error", () => {
    expect(failure).toFailWith("PATH_OUTSIDE");
    expect(failure).toFailWith(/^PATH_/, { retryable: false, hint: expect.stringContaining("below") });
    expect(() => expect(failure).toFailWith("TIMED_OUT")).toThrow(
      /to fail with TIMED_OUT, but it failed with PATH_OUTSIDE/,
    );
    expect(() => expect(failure).toFailWith("PATH_OUTSIDE", { retryable: true })).toThrow(/PATH_OUTSIDE/);
    expect(() => expect(answer).toFailWith(/./)).toThrow(/but it succeeded with/);
  });
});

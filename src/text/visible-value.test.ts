import { describe, expect, it } from "vitest";
import { fromVisibleText } from "./visible-text.js";
import { randomText } from "./visible-text.fixture.js";
import { toVisibleValue } from "./visible-value.js";

describe("the visible form of a value", () => {
  it("shows texts without escapes, every line behind a bar", () => {
    const value = {
      command: "python3 - <<'X'\nprint('\\n')\nX",
      timeout: 5,
      quiet: true,
      env: { "A\nB": "\u001b[8m", EMPTY: "" },
      list: ["a", 1, {}, []],
      none: null,
    };
    expect(toVisibleValue(value)).toBe(
      [
        "command │ python3 - <<'X'",
        "        │ print('\\n')",
        "        │ X",
        "timeout: 5",
        "quiet: true",
        "env:",
        '  "A⟨LF⟩B" │ ⟨ESC⟩[8m',
        "  EMPTY │ ",
        "list:",
        "  - │ a",
        "  -: 1",
        "  -: {}",
        "  -: []",
        "none: null",
      ].join("\n"),
    );
  });

  it("lets no text imitate another member", () => {
    const shown = toVisibleValue({ a: "x\nb │ y\nc: 1" });
    expect(shown.split("\n").map((line) => line.slice(0, 4))).toEqual(["a │ ", "  │ ", "  │ "]);
  });

  it("decodes to the same texts", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const text = randomText(seed);
      const lines = toVisibleValue({ text }).split("\n");
      expect(fromVisibleText(lines.map((line) => line.slice("text │ ".length)).join("\n"))).toBe(text);
    }
  });

  it("shows values that are not objects too", () => {
    expect([
      toVisibleValue("a\u202e"),
      toVisibleValue(3),
      toVisibleValue({}),
      toVisibleValue(undefined),
    ]).toEqual(["a⟨U+202E⟩", "3", "{}", ""]);
  });
});

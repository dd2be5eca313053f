import { describe, expect, it } from "vitest";
import { fitsBudget, fitText } from "./fit-text.js";

const roomy = 1_000_000;
const note = "[cut]";

/** 500 characters, with line ends at these places. */
const textWith = (...ends: number[]): string => {
  const chars = Array.from({ length: 500 }, () => "a");
  for (const end of ends) chars[end] = "\n";
  return chars.join("");
};

/** What is shown of a text within 101 characters: 48 on both sides of the note. */
const shownOf = (text: string): readonly string[] =>
  fitText(text, { chars: 101, tokens: roomy }, () => note).split(note);

describe("a text that has to fit", () => {
  it("is whole where it has no more characters and tokens than it may", () => {
    expect(fitsBudget("abcde", { chars: 5, tokens: roomy })).toBe(true);
    expect(fitsBudget("abcdef", { chars: 5, tokens: roomy })).toBe(false);
    expect(fitsBudget("word ".repeat(100), { chars: roomy, tokens: 50 })).toBe(false);
    expect(fitText("abcde", { chars: 5, tokens: roomy }, () => note)).toBe("abcde");
  });

  it("shows as much of its head as of its tail, and says how much is left out", () => {
    const seen: number[] = [];
    const text = `${"a".repeat(250)}${"z".repeat(250)}`;
    const shown = fitText(text, { chars: 101, tokens: roomy }, (leftOut) => {
      seen.push(leftOut);
      return note;
    });
    expect(shown).toBe(`${"a".repeat(48)}${note}${"z".repeat(48)}`);
    expect(seen).toEqual([399]);
  });

  it("is cut at a line end in the last quarter of its head and the first of its tail", () => {
    expect(shownOf(textWith(36))[0]).toBe("a".repeat(36));
    expect(shownOf(textWith(35))[0]).toBe(textWith(35).slice(0, 48));
    expect(shownOf(textWith(36, 40))[0]).toBe(textWith(36, 40).slice(0, 40));
    expect(shownOf(textWith(452 + 12))[1]).toBe("a".repeat(35));
    expect(shownOf(textWith(452 + 13))[1]).toBe(textWith(465).slice(452));
    expect(shownOf(textWith(452))[1]).toBe("a".repeat(47));
  });

  it("is cut further until it fits in tokens, too", () => {
    const text = "one two three ".repeat(1000);
    const shown = fitText(text, { chars: 10_000, tokens: 200 }, () => note);
    expect(fitsBudget(shown, { chars: 10_000, tokens: 200 })).toBe(true);
    expect(shown.length).toBeGreaterThan(400);
    expect(shown).toContain(note);
  });

  it("never shows half a character", () => {
    const shown = fitText("😀".repeat(300), { chars: 102, tokens: roomy }, () => "[cut!]");
    expect(shown.isWellFormed()).toBe(true);
    expect(fitText("😀".repeat(3), { chars: 3, tokens: roomy }, () => note)).toBe("😀\uFFFD");
  });

  it("is only its beginning where there is no room for a note, and nothing where there is no room", () => {
    expect(fitText("abcdefgh", { chars: 4, tokens: roomy }, () => note)).toBe("abcd");
    expect(fitText("abcdefgh".repeat(9), { chars: roomy, tokens: 2 }, () => note)).toBe("a");
    expect(fitText("abcdefgh", { chars: -1, tokens: roomy }, () => note)).toBe("");
  });
});

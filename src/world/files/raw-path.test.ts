import { describe, expect, it } from "vitest";
import { toPathText, toShownPath, toSystemPath } from "./raw-path.js";

describe("the text of a path", () => {
  it.each(["a/b", "a/b\xFFd/c", "\xC3\xA9/\xC3", "\xEF\xBF\xBF", "x/\xEF\xBF\xBD"])(
    "stands for exactly its bytes: %j",
    (latin) => {
      const path = Buffer.from(latin, "latin1");
      const text = toPathText(path);
      expect(Buffer.from(toSystemPath(text))).toEqual(path);
      expect(toShownPath(text)).toBe(path.toString());
      expect(text.split("/")).toHaveLength(latin.split("/").length);
    },
  );

  // ".", "..", "../etc" behind a byte that is not valid, NUL, and digits that mean nothing
  it.each(["2e", "2e2e", "ff2f2e2e2f657463", "ff00", "zz", "", "f"])(
    "of which nobody's bytes became %j stands for itself, so that it leads nowhere else",
    (digits) => {
      const text = `a/\uFFFF${digits}`;
      expect(toSystemPath(text).toString()).toBe(text);
    },
  );
});

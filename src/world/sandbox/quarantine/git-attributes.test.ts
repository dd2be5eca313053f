import { describe, expect, it } from "vitest";
import { riskyAttribute } from "./git-attributes.js";

describe("attributes that name a program", () => {
  it.each([
    ["*.txt filter=lfs", "filter=lfs"],
    ["*.txt text\n*.c diff=mine eol=lf", "diff=mine"],
    ["*.c merge=ours", "merge=ours"],
    ["*.c FILTER=x", "FILTER=x"],
    ['"a b.c" "filter=x"', '"filter=x"'],
    ["*.c filter=", "filter="],
    ["*.c diff=text", "diff=text"],
    ["*.c\tfilter=x\r\n*.d text", "filter=x"],
    ["  *.c   text   filter=x", "filter=x"],
    ["# all\n\n   \n*.c merge=custom", "merge=custom"],
  ])("%j is one", (text, risky) => expect(riskyAttribute(text)).toBe(risky));

  it.each([
    "",
    "# *.c filter=x",
    "   # *.c filter=x",
    "*.c text eol=lf -diff !merge binary",
    "*.c diff=cpp",
    "*.md diff=markdown\n*.r diff=r\n*.adb diff=ada\n*.tex diff=tex",
    "*.c merge=union\n*.d merge=text\n*.e merge=binary",
    "filter diff merge",
    "*.c myfilter=x",
    "*.c prefix-diff=x",
  ])("%j is harmless", (text) => expect(riskyAttribute(text)).toBeUndefined());
});

import { describe, expect, it } from "vitest";
import { createNames } from "./names.js";

describe("names by their beginning", () => {
  const names = createNames();
  const all = [
    "g",
    "ge",
    "get",
    "GET",
    "getO",
    "getOwner",
    "GetOwned",
    "getowl",
    "gift",
    "create",
    "createS",
  ];
  for (const name of all) names.add(name);
  const startingWith = (lower: string): string[] =>
    [...names.startingWith(lower)].map((id) => names.text(id)).sort();

  it.each(["", "g", "ge", "get", "geto", "getow", "getown", "getowne", "creates", "x", "getx", "getownx"])(
    "finds every name that begins with %j, whatever the case, and no other",
    (lower) => {
      expect(startingWith(lower)).toEqual(all.filter((name) => name.toLowerCase().startsWith(lower)).sort());
    },
  );

  it("gives a known name its number again", () => {
    const { count } = names;
    expect(names.add("getOwner")).toBe(names.find("getOwner"));
    expect(names.count).toBe(count);
  });
});

describe("names beyond ASCII", () => {
  const names = createNames();
  const all = ["étéA", "ÉTÉb", "été", "\u212Aelvin", "kelvins", "日本語", "plain"];
  for (const name of all) names.add(name);

  it.each(["é", "été", "étéa", "kelvin", "k", "日本", "p", "été日"])(
    "are found by the beginning %j, whatever the case",
    (lower) => {
      const found = [...names.startingWith(lower)].map((id) => names.text(id)).sort();
      expect(found).toEqual(all.filter((name) => name.toLowerCase().startsWith(lower)).sort());
    },
  );

  it("are counted by letters, as those of ASCII are", () => {
    for (const name of all) expect(names.length(names.find(name) ?? -1)).toBe(name.length);
  });

  it("come from lines of bytes like from strings", () => {
    const ids = names.addLines(Buffer.from("日本語\nnew\nplain"));
    expect([...ids].map((id) => names.text(id))).toEqual(["日本語", "new", "plain"]);
    expect(ids[2]).toBe(names.find("plain"));
    expect(names.addLines(new Uint8Array())).toHaveLength(0);
  });
});

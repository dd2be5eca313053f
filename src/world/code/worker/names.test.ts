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

import { describe, expect, it } from "vitest";
import { createTenon } from "./create-tenon.js";

describe("the options of createTenon", () => {
  it.each([
    ["mode", 'createTenon knows no option "mode"', /setting \(mode\).*config/],
    ["workspaceDir", 'createTenon knows no option "workspaceDir"', /setting \(workspaceDir\)/],
    ["workspac", 'createTenon knows no option "workspac"', /"workspace"/],
    ["zzzzzzzzz", 'createTenon knows no option "zzzzzzzzz"', /Options are workspace, /],
  ])("refuses %s, which nobody would read, and says where it belongs", (key, message, hint) => {
    const create = () => createTenon({ [key]: "read-only" });
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) as string }));
  });
});

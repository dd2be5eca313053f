import { describe, expect, it } from "vitest";
import { createTenon } from "./create-tenon.js";

describe("the options of createTenon", () => {
  it.each([
    ["mode", 'Unknown option "mode" for createTenon', /"mode" is a setting.*config/],
    ["workspaceDir", 'Unknown option "workspaceDir" for createTenon', /"workspaceDir" is a setting/],
    ["workspac", 'Unknown option "workspac" for createTenon', /"workspace"/],
    ["zzzzzzzzz", 'Unknown option "zzzzzzzzz" for createTenon', /The known ones are workspace, /],
  ])("refuses %s, which would have no effect, and says where it belongs", (key, message, hint) => {
    const create = () => createTenon({ [key]: "read-only" });
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) as string }));
  });
});

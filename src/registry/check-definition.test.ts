import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolDefinitionError } from "../contract/errors.js";
import { ToolRegistry } from "./tool-registry.js";

const good = {
  name: "good",
  description: "Does it.",
  category: "data",
  input: z.object({ a: z.string() }),
  execute: () => 1,
};

function refusal(over: Record<string, unknown>): ToolDefinitionError {
  const registry = new ToolRegistry();
  let thrown: unknown;
  try {
    registry.register({ ...good, ...over });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ToolDefinitionError);
  expect(registry.list()).toEqual([]);
  return thrown as ToolDefinitionError;
}

describe("a bad definition", () => {
  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ["an empty name", { name: "" }, "NAME_EMPTY", /empty name/],
    ["a name with a blank", { name: "a b" }, "NAME_INVALID", /"a b"/],
    ["no description", { description: undefined }, "DESCRIPTION_EMPTY", /"good" has no description/],
    ["a blank description", { description: " \n" }, "DESCRIPTION_EMPTY", /description/],
    ["a category that does not exist", { category: "dat" }, "DEFINITION_INVALID", /unknown category "dat"/],
    ["a category from the prototype", { category: "constructor" }, "DEFINITION_INVALID", /category/],
    ["no schema", { input: undefined }, "SCHEMA_INVALID", /no input schema/],
    ["a schema that is none", { input: 7 }, "SCHEMA_INVALID", /"good"/],
    [
      "a required property that is not defined",
      { input: { type: "object", properties: {}, required: ["x"] } },
      "REQUIRED_UNDEFINED",
      /"good".*x/,
    ],
    ["a version that is no semver", { version: "1.2" }, "NAME_INVALID", /version "1.2"/],
    ["a version with leading zeros", { version: "01.0.0" }, "NAME_INVALID", /version/],
    ["a version that is a number", { version: 1 }, "NAME_INVALID", /version/],
    ["a bad alias", { aliases: ["a@b"] }, "NAME_INVALID", /alias "a@b"/],
    ["aliases that are no list", { aliases: "x" }, "NAME_INVALID", /aliases/],
    ["an empty alias", { aliases: [""] }, "NAME_INVALID", /aliases/],
    ["no execute", { execute: undefined }, "DEFINITION_INVALID", /no execute/],
    ["an execute that is no function", { execute: "rm" }, "DEFINITION_INVALID", /execute/],
    ["an init that is no function", { init: true }, "DEFINITION_INVALID", /init/],
    ["an endless time limit", { timeoutMs: Infinity }, "DEFINITION_INVALID", /timeoutMs/],
    ["a time limit of nothing", { timeoutMs: 0 }, "DEFINITION_INVALID", /timeoutMs/],
    ["a time limit in words", { timeoutMs: "5" }, "DEFINITION_INVALID", /timeoutMs/],
    ["a priority that is no number", { priority: NaN }, "DEFINITION_INVALID", /priority/],
    ["retries without end", { retry: { attempts: Infinity } }, "DEFINITION_INVALID", /retry.attempts/],
    ["a negative delay", { retry: { delayMs: -1 } }, "DEFINITION_INVALID", /retry.delayMs/],
    ["a retry that is not an object", { retry: 3 }, "DEFINITION_INVALID", /retry that is not an object/],
    ["a retry that is null", { retry: null }, "DEFINITION_INVALID", /retry that is not an object/],
    ["a misspelt retry", { retry: { attemts: 3 } }, "DEFINITION_INVALID", /unknown retry.attemts/],
    ["an endless delay", { retry: { maxDelayMs: Infinity } }, "DEFINITION_INVALID", /retry.maxDelayMs/],
    [
      "a misspelt concurrency",
      { concurrency: { maxx: 3 } },
      "DEFINITION_INVALID",
      /unknown concurrency.maxx/,
    ],
    ["room for no call", { concurrency: { max: 0 } }, "DEFINITION_INVALID", /concurrency.max/],
    ["half a queue", { concurrency: { queue: 0.5 } }, "DEFINITION_INVALID", /concurrency.queue/],
    ["a safe in words", { concurrency: { safe: "no" } }, "DEFINITION_INVALID", /concurrency.safe/],
    ["itself as fallback", { fallback: "GOOD" }, "DEFINITION_INVALID", /falls back to itself/],
    ["its alias as fallback", { aliases: ["g"], fallback: "g@1" }, "DEFINITION_INVALID", /itself/],
    ["a dependency with a bad range", { dependsOn: ["x@!!"] }, "DEFINITION_INVALID", /x@!!/],
    ["a dependency that is no name", { dependsOn: [7] }, "DEFINITION_INVALID", /dependsOn/],
    ["a dependency with a range only", { dependsOn: ["@1"] }, "DEFINITION_INVALID", /"@1", which is neither/],
    [
      "a dependency with an empty range",
      { dependsOn: ["x@"] },
      "DEFINITION_INVALID",
      /"x@", which is neither/,
    ],
    ["a bad optional dependency", { optionalDependsOn: ["x@!"] }, "DEFINITION_INVALID", /depends on "x@!"/],
    ["a dependency that is not there", { dependsOn: ["x"] }, "DEPENDENCY_MISSING", /"x"/],
    ["itself as dependency", { dependsOn: ["good"] }, "DEPENDENCY_CYCLE", /good -> good/],
    ["an annotation in wrong letters", { annotations: { readonly: true } }, "DEFINITION_INVALID", /readonly/],
    ["an annotation in words", { annotations: { dangerous: "yes" } }, "DEFINITION_INVALID", /dangerous/],
    ["annotations that are a list", { annotations: [] }, "DEFINITION_INVALID", /annotations/],
    ["annotations that are null", { annotations: null }, "DEFINITION_INVALID", /annotations that are not/],
    ["a title that is no text", { annotations: { title: true } }, "DEFINITION_INVALID", /must be a string/],
    ["an unknown level", { securityLevel: "none" }, "DEFINITION_INVALID", /securityLevel/],
    ["examples without arguments", { examples: [{}] }, "DEFINITION_INVALID", /examples/],
    [
      "examples whose arguments are a text",
      { examples: [{ arguments: "a" }] },
      "DEFINITION_INVALID",
      /examples/,
    ],
    [
      "examples whose arguments are null",
      { examples: [{ arguments: null }] },
      "DEFINITION_INVALID",
      /examples/,
    ],
    ["a capability that is no text", { capabilities: [1] }, "DEFINITION_INVALID", /capabilities/],
  ])("with %s is refused", (_, over, code, message) => {
    const error = refusal(over);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ category: "netwrk" }, 'Did you mean "network"?'],
    [{ category: "x" }, "Use one of system, "],
    [{ category: 7 }, "Use one of system, "],
    [{ description: "" }, "Describe in a sentence what it does"],
    [{ version: "1" }, 'Write it as "1.2.3".'],
    [{ timeoutMs: 0 }, "Use null if the tool keeps its own limit."],
    [{ annotations: { destructiveHint: true } }, 'Did you mean "dangerous"?'],
    [{ annotations: { readOnlyHint: true } }, 'Did you mean "readOnly"?'],
    [{ annotations: { idempotentHint: true } }, 'Did you mean "idempotent"?'],
    [{ annotations: { openWorldHint: true } }, 'Did you mean "openWorld"?'],
    [{ retry: { attemts: 3 } }, 'Did you mean "attempts"?'],
    [{ handler: () => 1 }, 'Did you mean "execute"?'],
    [{ input_schema: {} }, 'Did you mean "input"?'],
    [{ timeout: 5 }, 'Did you mean "timeoutMs"?'],
    [{ idempotent: true }, 'Did you mean "annotations"?'],
  ])("%o is refused with a hint that helps", (over, hint) => {
    expect(refusal(over).hint).toContain(hint);
  });

  it("with a method that is none names it", () => {
    const methods = ["resources", "prepare", "shellLine", "runsOnlyLine", "meansCall", "checkPermissions"];
    methods.push("preview", "validateDependencies", "healthCheck", "init", "dispose", "render");
    for (const name of methods) {
      expect(refusal({ [name]: "no" }).message).toContain(`has a ${name} that is not a function`);
    }
  });

  it("is refused, too, where a getter throws", () => {
    const like = Object.defineProperty({ ...good }, "description", {
      get() {
        throw new Error("gotcha");
      },
    });
    expect(() => new ToolRegistry().register(like)).toThrow(ToolDefinitionError);
  });

  it("does not refuse the edge of what is allowed", () => {
    const registry = new ToolRegistry();
    registry.register({ ...good, timeoutMs: null, annotations: { title: "x" } });
    registry.register({
      ...good,
      name: "b",
      version: "1.0.0-rc.1+build.5",
      aliases: ["B2"],
      retry: {},
    });
    registry.register({
      ...good,
      name: "c",
      annotations: { readOnly: undefined, serverHints: { any: true } },
      retry: { attempts: 0, delayMs: 0, maxDelayMs: 0 },
      concurrency: { max: 1, queue: 0, safe: false },
      dependsOn: ["good@latest"],
      optionalDependsOn: ["b@>=1.0.0-0"],
      examples: [{ arguments: {} }],
      priority: -1,
    } as never);
    expect(registry.list()).toHaveLength(3);
  });
});

describe("lists of names in a definition", () => {
  it.each([["a", ""], ["a", 1], "a", [" "]].map((list) => [list]))("cannot be %j", (list) => {
    for (const member of ["aliases", "dependsOn", "optionalDependsOn", "capabilities"]) {
      expect(refusal({ [member]: list }).message).toContain(member);
    }
  });
});

describe("a fallback", () => {
  it.each([7, "", "  ", null, "good", "GOOD", "other", "good@1.0.0"])("cannot be %j", (fallback) => {
    expect(refusal({ aliases: ["other"], fallback }).message).toMatch(/fall/);
  });

  it("may be any other tool, also one that comes later", () => {
    expect(new ToolRegistry().register({ ...good, fallback: "later" }).name).toBe("good");
  });
});

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Types that no program ever names: steps of other types, and lists that a type is made of. */
const unnamed = new Set(
  (
    "Caller PartialCaller ToolAwaiter configSchema ruleSchema MovedKey AgeInMs Filled DeepReadonly artifactNames memoryKinds stages priorities taskStatuses " +
    "StandardTypes ParameterTypes ParameterValue Present FromParameters approvalChannels CallEvent promptFormats problemCodes " +
    "ruleSources policyModes optionalMethods OptionalMethod Reshaped LooseMethods RegistryEvent WaitingConsent " +
    "ConsentDesk ActiveExtension CheckedExtension llmFormats CallReport CommonStep Passed Typed roles MadeCall"
  ).split(" "),
);

/** These tests read the built package. */
describe("the types of the package", () => {
  it.each(["index.d.ts", "testing.d.ts"])("in %s lean on nothing but dependencies of the package", (file) => {
    const text = readFileSync(join(root, "dist", file), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    const imported = [...text.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, from = ""]) => from);
    expect(imported.filter((from) => !from.startsWith("./") && dependencies[from] === undefined)).toEqual([]);
    expect(text).not.toContain("/// <reference");
  });

  it.each([
    ["index.d.ts", 300],
    ["testing.d.ts", 5],
  ])("in %s have a name for every type that a public signature mentions", (file, atLeast) => {
    const text = readFileSync(join(root, "dist", file), "utf8");
    const list = text.slice(text.lastIndexOf("export {"));
    const exported = new Set([...list.matchAll(/(\w+)(?= as|,| })/g)].map(([name]) => name));
    const declared = [
      ...text.matchAll(/^(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm),
    ];
    const missing = declared.map(([, name = ""]) => name).filter((name) => !exported.has(name));
    expect(missing.filter((name) => !unnamed.has(name))).toEqual([]);
    expect(exported.size).toBeGreaterThan(atLeast);
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { ToolDefinitionError, ToolNotFoundError } from "../contract/errors.js";
import { type Tool, type ToolAnnotations, type ToolCategory, toolCategories } from "../contract/tool.js";
import { stages } from "../contract/ports/pipeline.js";
import { type ToolsetDefinition, compileToolset, intersectToolsets, narrowToolset } from "./toolsets.js";
import { ToolRegistry } from "./tool-registry.js";

const make = (
  name: string,
  category: ToolCategory,
  annotations: ToolAnnotations,
  aliases: string[] = [],
): Tool =>
  defineTool({
    name,
    description: "d",
    category,
    annotations,
    aliases,
    input: z.object({}),
    execute: () => name,
  });

/** What belongs to the pipeline rather than to the work in a stage. */
const manages: readonly ToolCategory[] = ["planning", "artifact", "control"];
const isNoShell = (category: ToolCategory): boolean => category !== "shell";

const readOnly = { readOnly: true };
const dangerous = { dangerous: true };

const tools = [
  make("read_file", "file", readOnly, ["file_read"]),
  make("write_file", "file", dangerous, ["file_write"]),
  make("shell_exec", "shell", dangerous, ["bash", "run_command"]),
  make("shell_jobs", "shell", readOnly),
  make("code_query", "code", readOnly),
  make("http_get", "network", { readOnly: true, dangerous: true }),
  make("current_time", "system", readOnly),
  make("ask_user", "interaction", {}),
  make("create_requirement", "planning", {}),
  make("update_task_status", "planning", {}),
  make("get_tasks", "planning", readOnly),
  make("save_prd_doc", "artifact", {}),
  make("save_check_report", "artifact", {}),
  make("read_artifact", "artifact", readOnly),
  make("goto_stage", "control", {}),
  make("save_insight", "memory", {}),
  make("run_tests", "custom", {}),
  make("save_prd_file", "file", dangerous),
];

function registryOf(): ToolRegistry {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  return registry;
}

const registry = registryOf();
const inSet = (toolset: string): Set<string> => new Set(registry.list({ toolset }).map(({ name }) => name));
const allNames = new Set(tools.map(({ name }) => name));

function namesIn(definition: ToolsetDefinition): string[] {
  return registry.list({ toolset: compileToolset("x", definition) }).map(({ name }) => name);
}

/** The whole error of a name that is not found by an agent that may only read. */
function missOf(own: ToolRegistry, name: string): object {
  try {
    own.resolve(name, { sessionId: "s", toolset: own.toolset("readonly") });
  } catch (error) {
    if (!(error instanceof ToolNotFoundError)) throw error;
    const { code, message, hint, details, retryable, toolName } = error;
    return { code, message, hint, details, retryable, toolName };
  }
  throw new Error(`${name} was found`);
}

describe("built-in toolsets", () => {
  it("all holds all", () => {
    expect(inSet("all")).toEqual(allNames);
  });

  it("readonly holds what changes nothing and needs no confirmation", () => {
    const expected = ["read_file", "shell_jobs", "code_query", "current_time", "get_tasks", "read_artifact"];
    expect(inSet("readonly")).toEqual(new Set(expected));
  });

  it.each(["planning", "stage:idea", "stage:prd", "stage:design", "stage:plan", "stage:delivery"])(
    "%s can neither write files nor run commands",
    (name) => {
      const held = inSet(name);
      for (const forbidden of ["write_file", "shell_exec", "shell_jobs", "save_prd_file", "run_tests"]) {
        expect(held).not.toContain(forbidden);
      }
      for (const wanted of ["read_file", "code_query", "ask_user", "goto_stage", "save_insight"]) {
        expect(held).toContain(wanted);
      }
    },
  );

  it("gives each stage its own documents and duties", () => {
    expect(inSet("stage:prd")).toContain("save_prd_doc");
    expect(inSet("stage:prd")).toContain("create_requirement");
    expect(inSet("stage:prd")).not.toContain("save_check_report");
    expect(inSet("stage:idea")).not.toContain("create_requirement");
    expect(inSet("stage:check")).toContain("save_check_report");
    expect(inSet("stage:check")).toContain("shell_exec");
    expect(inSet("stage:check")).not.toContain("write_file");
    for (const set of ["coding", "stage:coding"]) {
      for (const wanted of ["write_file", "shell_exec", "update_task_status", "run_tests"]) {
        expect(inSet(set)).toContain(wanted);
      }
    }
  });

  it.each<[string, { readonly changing: readonly string[]; readonly reading: readonly string[] }]>([
    ["all", { changing: toolCategories, reading: toolCategories }],
    ["readonly", { changing: [], reading: toolCategories }],
    [
      "coding",
      { changing: toolCategories.filter((each) => !manages.includes(each)), reading: toolCategories },
    ],
    [
      "planning",
      { changing: ["interaction", "memory", ...manages], reading: toolCategories.filter(isNoShell) },
    ],
    ["stage", { changing: ["interaction", "memory", "control"], reading: toolCategories.filter(isNoShell) }],
    ["stage:check", { changing: ["interaction", "memory", "control", "shell"], reading: toolCategories }],
  ])("%s opens the tools of its categories, those that only read apart", (set, { changing, reading }) => {
    const own = new ToolRegistry();
    for (const category of toolCategories) {
      own.register(make(`change_${category}`, category, {}));
      own.register(make(`read_${category}`, category, readOnly));
    }
    const expected = [...changing.map((each) => `change_${each}`), ...reading.map((each) => `read_${each}`)];
    expect(new Set(own.list({ toolset: set }).map(({ name }) => name))).toEqual(new Set(expected));
  });

  it("has a set for every stage", () => {
    for (const stage of stages) expect(registry.toolset(`stage:${stage}`).name).toBe(`stage:${stage}`);
  });
});

describe("a toolset", () => {
  it("takes globs and selectors; a removal wins wherever it stands", () => {
    expect(namesIn(["read_*", { category: "memory" }])).toEqual([
      "read_file",
      "read_artifact",
      "save_insight",
    ]);
    expect(namesIn(["!shell_exec", "shell_*"])).toEqual(["shell_jobs"]);
    expect(namesIn(["?hell_jobs"])).toEqual(["shell_jobs"]);
    expect(namesIn([{ category: "file", readOnly: true }])).toEqual(["read_file"]);
    expect(namesIn([])).toEqual([]);
  });

  it("starts from all where it only removes", () => {
    const others = [...allNames].filter((name) => !name.startsWith("shell_"));
    expect(namesIn(["!shell_*"])).toEqual(others);
  });

  it("takes an alias as the name, and a glob on aliases only to remove", () => {
    expect(namesIn(["file_read", "bash"])).toEqual(["read_file", "shell_exec"]);
    expect(namesIn(["run_*"])).toEqual(["run_tests"]);
    expect(namesIn(["*", "!bash"])).not.toContain("shell_exec");
    expect(namesIn(["shell_*", "!run_*"])).toEqual(["shell_jobs"]);
  });

  it("takes another host's name for a tool as that tool, until a tool has this name", () => {
    const registry = new ToolRegistry({ toolsets: { foreign: ["Read", "!view"], other: ["Read"] } });
    registry.registerMany(tools);
    const namesOf = (set: string): string[] =>
      registry
        .list()
        .map(({ name }) => name)
        .filter((name) => registry.toolset(set).has(registry.entry(name)!));
    expect(namesOf("other")).toEqual(["read_file"]);
    expect(namesOf("foreign")).toEqual([]);
    registry.register(make("Read", "custom", {}));
    expect(namesOf("other")).toEqual(["Read"]);
  });

  it("hides what is outside exactly as what does not exist", () => {
    const own = registryOf();
    const view = { sessionId: "s", toolset: own.toolset("readonly") };
    const empty = registryOf();
    for (const name of ["write_file", "shell_exec", "save_prd_file"]) void empty.unregister(name);
    const asked = ["write_file", "bash", "shell_exec@^1", "shell_exec@9", "write_file@1.0.0"];
    const hidden = asked.map((name) => missOf(own, name));
    expect(hidden).toEqual(asked.map((name) => missOf(empty, name)));
    own.disable("write_file", "secret reason");
    expect(missOf(own, "write_file")).toEqual(hidden[0]);
    expect(JSON.stringify(missOf(own, "wrte_file"))).not.toContain("write_file");
    expect(own.resolve("file_read", view).name).toBe("read_file");
  });

  it("can be narrowed and intersected", () => {
    const coding = registry.toolset("coding");
    const both = intersectToolsets(coding, registry.toolset("readonly"));
    expect(registry.list({ toolset: both }).map(({ name }) => name)).not.toContain("write_file");
    expect(both.name).toBe("coding");
    const narrowed = narrowToolset(coding, ["*_file", "bash"]);
    expect(registry.list({ toolset: narrowed as never }).map(({ name }) => name)).toEqual([
      "read_file",
      "write_file",
      "shell_exec",
      "save_prd_file",
    ]);
    expect(narrowToolset(coding, undefined)).toBe(coding);
    expect(narrowToolset(undefined, undefined)).toBeUndefined();
    expect(narrowToolset(undefined, ["bash"])?.has(registry.resolve("bash", { sessionId: "s" }))).toBe(true);
    expect(narrowToolset(coding, [])?.has(registry.resolve("bash", { sessionId: "s" }))).toBe(false);
  });

  it("is found by name, the nearest one suggested", () => {
    const own = new ToolRegistry({ toolsets: { mine: ["a"], constructor: ["b"] } });
    expect(own.toolset("mine").name).toBe("mine");
    expect(own.toolset("constructor").name).toBe("constructor");
    expect(() => own.toolset("codng")).toThrow(expect.objectContaining({ hint: 'Did you mean "coding"?' }));
    expect(() => own.toolset("toString")).toThrow(/Unknown toolset/);
    own.defineToolset("mine", ["c"]);
    expect(() => own.defineToolset("readonly", ["*"])).toThrow(ToolDefinitionError);
    expect(own.toolsetNames()).toContain("stage:delivery");
  });

  it.each([
    [["a b"]],
    [[""]],
    [["!"]],
    [["!!a"]],
    [[{}]],
    [[{ category: "fil" }]],
    [[{ readOnly: false }]],
    [[{ readonly: true }]],
    [[7]],
    [[null]],
    ["*"],
    [["*".repeat(300)]],
  ])("refuses the definition %j", (definition) => {
    expect(() => compileToolset("x", definition as never)).toThrow(ToolDefinitionError);
  });
});

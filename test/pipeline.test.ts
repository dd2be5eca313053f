import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stages } from "../src/contract/ports/pipeline.js";
import { defineTool, type Session, type Tenon } from "../src/index.js";
import { createFixture, open, type Fixture } from "./spine-fixture.js";
import * as z from "zod";

type Result = Record<string, unknown>;

async function ask(session: Pick<Session, "call">, name: string, args: object = {}): Promise<Result> {
  const envelope = await session.call({ name, arguments: args });
  if (!envelope.success) throw new Error(`${name}: ${envelope.error?.code} ${envelope.error?.message}`);
  return envelope.result as Result;
}

async function codeOf(
  session: Pick<Session, "call">,
  name: string,
  args: object = {},
): Promise<string | undefined> {
  return (await session.call({ name, arguments: args })).error?.code;
}

const writing = ["write_file", "edit_file", "apply_diff", "delete_file", "move_file", "set_env", "http_post"];

describe("the pipeline from an idea to its delivery, with tools only", () => {
  it("goes through all stages, each with its own toolset, and leaves documents, a plan and memories behind", async () => {
    const fixture = createFixture();
    const interact = { ask: () => ({ text: "yes", confirmed: true }) };
    const tenon = open({ interact, config: { mode: "auto" } }, fixture);
    const session = (stage: string) =>
      tenon.createSession({ agent: `${stage} agent`, toolset: `stage:${stage}` });

    const idea = session("idea");
    await ask(idea, "save_idea_doc", { content: "# Passkeys\n\nSign in without a password." });
    await ask(idea, "request_confirmation", { stage_name: "idea", message: "Is this the idea?" });
    expect(await ask(idea, "complete_stage", { summary: "approved" })).toMatchObject({ stage: "prd" });

    const prd = session("prd");
    expect(await ask(prd, "read_artifact", { name: "idea" })).toMatchObject({ version: 1 });
    await ask(prd, "create_requirement", {
      id: "REQ-1",
      title: "无密码登录",
      description: "d",
      priority: "high",
    });
    await ask(prd, "add_feature", {
      id: "F-1",
      title: "WebAuthn",
      description: "d",
      requirement_ids: ["REQ-1"],
    });
    expect(await ask(prd, "render_prd", { title: "Passkeys" })).toMatchObject({
      requirements: 1,
      features: 1,
    });
    await ask(prd, "complete_stage");

    const design = session("design");
    await ask(design, "save_design_doc", { content: "# Design" });
    const insight = await ask(design, "save_insight", { title: "Challenges expire", content: "After 60 s." });
    await ask(design, "promote_to_decision", { id: insight["id"], rationale: "the standard says so" });
    await ask(design, "complete_stage");

    const plan = session("plan");
    await ask(plan, "create_task", { id: "T-1", title: "Server", description: "", feature_id: "F-1" });
    await ask(plan, "create_task", { id: "T-2", title: "Page", description: "", depends_on: ["T-1"] });
    expect(await ask(plan, "get_tasks")).toMatchObject({ count: 2, ready: ["T-1"] });
    await ask(plan, "save_plan_doc", { content: "# Plan" });
    await ask(plan, "complete_stage");

    const coding = session("coding");
    expect(await ask(coding, "query_memory", { query: "expire" })).toMatchObject({
      memories: [{ kind: "decision", layer: "project" }],
    });
    await ask(coding, "write_file", { path: "server.js", content: "export const login = () => {};\n" });
    expect(await ask(coding, "update_task_status", { id: "T-1", status: "done" })).toMatchObject({
      readyNow: ["T-2"],
    });
    await ask(coding, "update_task_status", { id: "T-2", status: "done" });
    await ask(coding, "complete_stage");

    const check = session("check");
    await ask(check, "save_check_report", { content: "# All green" });
    await ask(check, "complete_stage");

    const delivery = session("delivery");
    await ask(delivery, "save_delivery_report", { content: "# Delivered" });
    expect(await ask(delivery, "complete_stage")).toMatchObject({ stage: null });

    const status = await ask(delivery, "pipeline_status");
    expect((status["stages"] as { state: string }[]).map(({ state }) => state)).toEqual(
      stages.map(() => "done"),
    );
    const dir = join(fixture.workspace, ".tenon/artifacts/iteration-1");
    expect(readFileSync(join(dir, "prd.md"), "utf8")).toContain(
      "### REQ-1: 无密码登录\n\nd\n\nFeatures: F-1",
    );
    const { artifacts } = await ask(delivery, "list_artifacts");
    expect((artifacts as { name: string }[]).map(({ name }) => name)).toEqual([
      "idea",
      "prd",
      "design",
      "plan",
      "check",
      "delivery",
    ]);
  });
});

describe("the toolset of a stage", () => {
  const tenon = () => open();

  it.each(stages.filter((stage) => stage !== "coding" && stage !== "check"))(
    "%s can neither see nor call what changes files or runs commands",
    async (stage) => {
      const session = tenon().createSession({ toolset: `stage:${stage}` });
      const seen = session.tools().map(({ name }) => name);
      for (const name of [...writing, "shell_exec"]) {
        expect(seen).not.toContain(name);
        expect(await codeOf(session, name)).toBe("TOOL_NOT_FOUND");
      }
      for (const name of [
        "query_memory",
        "save_insight",
        "ask_user",
        "pipeline_status",
        "list_artifacts",
        "get_tasks",
      ])
        expect(seen).toContain(name);
    },
  );

  it("prd has what makes requirements and its document, not the documents of others", () => {
    const seen = tenon()
      .createSession({ toolset: "stage:prd" })
      .tools()
      .map(({ name }) => name);
    expect(seen).toEqual(
      expect.arrayContaining([
        "create_requirement",
        "add_feature",
        "save_prd_doc",
        "render_prd",
        "request_input",
      ]),
    );
    for (const name of ["save_design_doc", "save_idea_doc", "snippet_save"]) expect(seen).not.toContain(name);
  });

  it("named stage follows the pipeline, in other processes too", async () => {
    const fixture = createFixture();
    const first = open({}, fixture);
    const session = first.createSession({ toolset: "stage" });
    const sees = (name: string): boolean => session.tools().some((tool) => tool.name === name);
    expect([sees("save_idea_doc"), sees("save_prd_doc")]).toEqual([true, false]);
    expect(await codeOf(session, "save_prd_doc", { content: "x" })).toBe("TOOL_NOT_FOUND");
    await ask(session, "complete_stage");
    await ask(session, "save_prd_doc", { content: "x" });
    expect([sees("save_idea_doc"), sees("save_prd_doc")]).toEqual([false, true]);
    const second = open({}, fixture);
    await ask(second, "goto_stage", { stage_name: "coding" });
    expect(await codeOf(session, "save_prd_doc", { content: "y" })).toBe("TOOL_NOT_FOUND");
    expect(sees("set_env")).toBe(true);
    await ask(second, "goto_stage", { stage_name: "prd" });
    expect(await codeOf(session, "set_env", { key: "A", value: "1" })).toBe("TOOL_NOT_FOUND");
    const named = await second.openNamedSession("worker", { toolset: "stage" });
    expect(named.tools().map(({ name }) => name)).toContain("save_prd_doc");
  });

  it("follows where the state does not outlive the process, too", async () => {
    const session = open({ config: { database: ":memory:" } }).createSession({ toolset: "stage" });
    await ask(session, "complete_stage");
    expect(await ask(session, "save_prd_doc", { content: "x" })).toMatchObject({ version: 1 });
  });

  it("is narrowed by the configuration, also while it follows", async () => {
    const session = open({ config: { tools: { enabled: ["!save_prd_*"] } } }).createSession({
      toolset: "stage",
    });
    await ask(session, "complete_stage");
    expect(await codeOf(session, "save_prd_doc", { content: "x" })).toBe("TOOL_NOT_FOUND");
    expect(
      await ask(session, "create_requirement", { id: "R", title: "t", description: "", priority: "low" }),
    ).toBeTruthy();
  });
});

describe("goto_stage", () => {
  it("says where it will resume, what is stale, and why, after a restart too", async () => {
    const fixture = createFixture();
    const first = open({}, fixture);
    for (let n = 0; n < 3; n++) await ask(first, "complete_stage");
    expect(await ask(first, "goto_stage", { stage_name: "prd", reason: "scope changed" })).toMatchObject({
      success: true,
      message: "Will resume from prd stage",
      invalidated: ["design"],
    });
    await first.close();
    const status = await ask(open({}, fixture), "pipeline_status");
    expect(status).toMatchObject({ stage: "prd", iteration: { id: "iteration-1" } });
    expect((status["history"] as Result[]).at(-1)).toMatchObject({ note: "scope changed" });
  });

  it("takes no other word for a stage", async () => {
    expect(await codeOf(open(), "goto_stage", { stage_name: "testing" })).toBe("ARGUMENTS_INVALID");
  });
});

describe("iterations", () => {
  const whereAmI = defineTool({
    name: "where_am_i",
    description: "Tell the iteration.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: (_input, { iterationId }) => ({ iterationId: iterationId ?? null }),
  });
  const where = async (session: Pick<Session, "call">) => (await ask(session, "where_am_i"))["iterationId"];

  it("are one to a session: the one it named, began or found, else the newest", async () => {
    const fixture = createFixture();
    const tenon = open({ tools: [whereAmI] }, fixture);
    const [one, two] = [tenon.createSession(), tenon.createSession()];
    expect(await where(one)).toBeNull();
    await ask(one, "save_insight", { title: "t", content: "c" });
    expect(await where(one)).toBe("iteration-1");
    await ask(two, "start_iteration", { name: "next" });
    expect([await where(one), await where(two)]).toEqual(["iteration-1", "iteration-2"]);
    expect(await where(tenon.createSession())).toBe("iteration-2");
    const named = tenon.createSession({ iterationId: "sprint-9" });
    expect(await ask(named, "save_insight", { title: "t", content: "c" })).toMatchObject({
      iterationId: "sprint-9",
    });
    await tenon.close();
    expect(await where(open({ tools: [whereAmI] }, fixture))).toBe("sprint-9");
  });

  it("are remembered by a named session that began one itself", async () => {
    const fixture = createFixture();
    const tenon = open({ tools: [whereAmI] }, fixture);
    await ask(await tenon.openNamedSession("mine"), "start_iteration");
    await ask(tenon, "start_iteration");
    await tenon.close();
    const later = open({ tools: [whereAmI] }, fixture);
    expect(await where(await later.openNamedSession("mine"))).toBe("iteration-1");
    expect(await where(await later.openNamedSession("yours"))).toBe("iteration-2");
  });

  it("whose id is no folder's name are refused", async () => {
    const session = open().createSession({ iterationId: "../../etc" });
    expect(await codeOf(session, "save_idea_doc", { content: "x" })).toBe("VALUE_INVALID");
  });
});

describe("artifacts", () => {
  const save = (tenon: Tenon, content: string) => ask(tenon, "save_idea_doc", { content });
  const file = ({ workspace }: Fixture) => join(workspace, ".tenon/artifacts/iteration-1/idea.md");

  it("are written without being asked, though the folder is closed to file tools", async () => {
    const fixture = createFixture();
    const tenon = open({ config: { mode: "ask" } }, fixture);
    expect(await save(tenon, "one")).toMatchObject({
      success: true,
      path: ".tenon/artifacts/iteration-1/idea.md",
      version: 1,
    });
    expect(readFileSync(file(fixture), "utf8")).toBe("one");
    expect(tenon.paths.check(".tenon/artifacts/iteration-1/idea.md", "write").allowed).toBe(false);
    expect(tenon.paths.check(".tenon/config", "write").allowed).toBe(false);
    expect(tenon.paths.check(".tenon/artifacts/iteration-1/idea.md", "read").allowed).toBe(true);
  });

  it("are not written in read-only mode", async () => {
    const fixture = createFixture();
    expect(
      await codeOf(open({ config: { mode: "read-only" } }, fixture), "save_idea_doc", { content: "x" }),
    ).toBe("ACCESS_DENIED");
    expect(existsSync(join(fixture.workspace, ".tenon"))).toBe(false);
  });

  it("lie where the configuration says, but never outside the workspace", async () => {
    const fixture = createFixture();
    expect(await save(open({ config: { artifacts: { dir: "docs/stages" } } }, fixture), "x")).toMatchObject({
      path: "docs/stages/iteration-1/idea.md",
    });
    expect(readFileSync(join(fixture.workspace, "docs/stages/iteration-1/idea.md"), "utf8")).toBe("x");
    const outside = open({ config: { artifacts: { dir: "../elsewhere" } } }, createFixture());
    expect(await codeOf(outside, "save_idea_doc", { content: "x" })).toBe("PATH_TRAVERSAL");
    expect(await ask(outside, "list_artifacts")).toMatchObject({ count: 0 });
    const forbidden = open({ config: { files: { forbiddenPaths: [".tenon"] } } }, createFixture());
    expect(await codeOf(forbidden, "save_idea_doc", { content: "x" })).toBe("PATH_FORBIDDEN");
  });

  it.each([".tenon", ".tenon/artifacts", ".tenon/artifacts/iteration-1"])(
    "are not led astray by a link at %s",
    async (place) => {
      const fixture = createFixture();
      const target = join(fixture.workspace, "src");
      mkdirSync(target);
      mkdirSync(join(fixture.workspace, place, ".."), { recursive: true });
      symlinkSync(target, join(fixture.workspace, place));
      expect(await codeOf(open({}, fixture), "save_idea_doc", { content: "x" })).toBe("PATH_SYMLINK");
    },
  );

  it("keep what a person wrote into the file", async () => {
    const fixture = createFixture();
    const tenon = open({}, fixture);
    await save(tenon, "mine");
    writeFileSync(file(fixture), "by hand\n");
    expect(await ask(tenon, "read_artifact", { name: "idea" })).toMatchObject({
      content: "by hand\n",
      changedOutside: true,
    });
    expect(await save(tenon, "mine again")).toMatchObject({ version: 3 });
    expect(await ask(tenon, "read_artifact", { name: "idea", version: 2 })).toMatchObject({
      content: "by hand\n",
    });
    expect(await codeOf(tenon, "read_artifact", { name: "idea", version: 9 })).toBe("RESOURCE_NOT_FOUND");
    expect(await codeOf(tenon, "read_artifact", { name: "prd" })).toBe("RESOURCE_NOT_FOUND");
  });

  it("are recorded in the journal: a person can take a change of the file back", async () => {
    const fixture = createFixture();
    const tenon = open({}, fixture);
    await save(tenon, "one");
    const { callId } = await tenon.call({ name: "save_idea_doc", arguments: { content: "two" } });
    await tenon.undo({ callId });
    expect(readFileSync(file(fixture), "utf8")).toBe("one");
    expect(await ask(tenon, "read_artifact", { name: "idea" })).toMatchObject({ content: "one" });
  });
});

// The calls of the demo: what agents did, what runs, and what waits for a person.
import { setTimeout as pause } from "node:timers/promises";

/** Everything that happened; returns what the pictures select. */
export async function fillDemo(demo) {
  const ids = {};
  const call = async (name, args, taskId) => {
    const envelope = await demo.call(name, args, taskId);
    return envelope.callId;
  };
  await workOnFiles(call, ids);
  await runCommands(demo, call, ids);
  ids.chain = await call("survey", { folder: "." }, "spring-survey");
  await call("http_get", { url: `${demo.webUrl}/harvest.json` }, "spring-survey");
  await call("http_get", { url: `${demo.webUrl}/missing` }, "spring-survey");
  ids.image = await call("everything:get-tiny-image", {}, "pictures");
  await call("everything:get-sum", { a: 2, b: 3 }, "pictures");
  await call("find_todos", { path: "src/season.ts" }, "pictures");
  for (let at = 0; at < 40; at++) await call("base64_encode", { text: `row ${at}` }, "export");
  ids.large = await call("base64_encode", { text: "x".repeat(700_000) }, "export");
  for (const path of ["/etc/shadow", "../../outside", "/root/.ssh/id_rsa", "secrets/api.key", "../up"])
    await call("read_file", { path }, "probe");
  await planWork(call);
  await buildTeam(demo, ids);
  await startWork(demo, ids);
  return ids;
}

async function workOnFiles(call, ids) {
  await call("list_files", { path: "." }, "sum-by-year");
  await call("read_file", { path: "src/harvest.ts" }, "sum-by-year");
  ids.edit = await call(
    "edit_file",
    {
      path: "src/harvest.ts",
      old_text:
        "  let sum = 0;\n  for (const tree of trees) if (tree.kind === kind) sum += tree.kilos;\n  return sum;\n",
      new_text:
        "  return trees.filter((tree) => tree.kind === kind).reduce((sum, { kilos }) => sum + kilos, 0);\n",
    },
    "sum-by-year",
  );
  await call("write_file", { path: "src/year.ts", content: "export const year = 2026;\n" }, "sum-by-year");
  ids.failed = await call(
    "edit_file",
    { path: "src/season.ts", old_text: "monsoon", new_text: "rain" },
    "sum-by-year",
  );
  await call("read_file", { path: "README.md" }, "words");
  await call(
    "edit_file",
    { path: "README.md", old_text: "says when to pick", new_text: "tells when to pick" },
    "words",
  );
  await call("grep", { pattern: "pear" }, "words");
}

async function runCommands(demo, call, ids) {
  ids.command = await call(
    "shell_exec",
    {
      command:
        "sed -i 's/spring/Spring/' src/season.ts && mkdir -p build && echo done >build/out.txt && printf '\\033[32mok\\033[0m built\\n'",
    },
    "build",
  );
  ids.heldBack = await call("shell_exec", { command: "python3 install.py" }, "build");
  ids.dryRun = await call(
    "shell_exec",
    { command: "rm -r data; echo '# Orchard' >README.md; seq 1 5 >numbers.txt", dry_run: true },
    "build",
  );
  ids.denied = await call("shell_exec", { command: "git push --force origin main" }, "build");
  await call("shell_exec", { command: "exit 3" }, "build");
  await call("shell_exec", { command: "cat data/2026.csv" }, "build");
  // Asks for consent, since it reaches a host.
  const fetching = call(
    "shell_exec",
    { command: "curl -s --max-time 3 https://example.org/", network: ["example.org"] },
    "build",
  );
  const [{ id }] = await waiting(demo, 1);
  await demo.api("POST", `/api/approvals/${id}`, { verdict: "once" });
  await fetching;
}

async function planWork(call) {
  await call("start_iteration", { name: "Autumn" });
  await call("create_requirement", {
    id: "R-1",
    title: "Say when to pick",
    description: "By kind and by weather.",
    priority: "high",
  });
  await call("create_requirement", {
    id: "R-2",
    title: "Compare the years",
    description: "At least five of them.",
    priority: "medium",
  });
  await call("add_feature", {
    id: "F-1",
    title: "Forecast",
    description: "From the last ten years.",
    requirement_ids: ["R-1"],
  });
  await call("add_feature", {
    id: "F-2",
    title: "Table of years",
    description: "One row a year.",
    requirement_ids: ["R-2"],
  });
  const tasks = [
    { id: "T-1", title: "Read the files of all years", status: "done", depends_on: [] },
    { id: "T-2", title: "Add up by kind", status: "done", depends_on: ["T-1"] },
    { id: "T-3", title: "Draw the table", status: "in_progress", depends_on: ["T-2"] },
    { id: "T-4", title: "Ask for the weather", status: "blocked", depends_on: [] },
    { id: "T-5", title: "Write the forecast", status: "pending", depends_on: ["T-2", "T-4"] },
    { id: "T-6", title: "Send a letter in October", status: "pending", depends_on: ["T-5"] },
  ];
  for (const { id, title, status, depends_on } of tasks) {
    await call("create_task", { id, title, description: `${title}.`, feature_id: "F-1", depends_on });
    if (status !== "pending") await call("update_task_status", { id, status });
  }
  await call("save_idea_doc", { content: "# Idea\n\nPick when it is time.\n" });
  await call("save_prd_doc", { content: "# Requirements\n\n1. Say when to pick.\n" });
  await call("save_prd_doc", { content: "# Requirements\n\n1. Say when to pick.\n2. Compare the years.\n" });
  await call("save_insight", {
    title: "Pears follow apples by two weeks",
    content: "Seen in 2024, 2025 and 2026.",
    tags: ["harvest"],
  });
  await call("save_issue", {
    title: "2023 has no October",
    content: "The file ends in September.",
    tags: ["data"],
  });
  await call("save_learning", {
    title: "Files are CSV with a header",
    content: "The first line names the columns.",
  });
}

async function buildTeam(demo, ids) {
  for (const [name, role] of [
    ["ada", "admin"],
    ["grace", "approver"],
    ["linus", "operator"],
    ["night-build", "viewer"],
  ])
    await demo.api("POST", "/api/users", { name, role });
  await demo.api("PUT", "/api/users/linus", { disabled: true });
  const create = (body) => demo.api("POST", "/api/tokens", body);
  const review = await create({
    name: "ci",
    endpoint: "review",
    role: "operator",
    expiresAt: Date.now() + 2_592_000_000,
  });
  await create({ name: "grace-laptop", user: "grace" });
  ids.reviewToken = review.secret;
  await demo.api("PUT", "/api/secrets/GITHUB_TOKEN", { value: "demo-value-1", user: "grace" });
  await demo.api("PUT", "/api/secrets/WEATHER_KEY", { value: "demo-value-2" });
}

/** What is not finished when the pictures are taken. */
async function startWork(demo, ids) {
  const claude = await demo.connect("claude-code", "2.1.0");
  const cursor = await demo.connect("cursor", "1.9.2");
  await claude.callTool({ name: "read_file", arguments: { path: "README.md" } });
  await claude.callTool({ name: "read_file", arguments: { path: "data/2025.csv" } });
  await cursor.callTool({ name: "current_time", arguments: {} });
  if (ids.reviewToken !== undefined) {
    const ci = await demo.connect("night-build", "3.0", { secret: ids.reviewToken, path: "/mcp/review" });
    await ci.callTool({ name: "list_files", arguments: { path: "." } });
  }
  await demo.call("shell_exec", { command: "sh watch.sh", background: true }, "watch");
  await demo.call("shell_exec", { command: "echo finished; exit 1", background: true }, "watch");
  const swallow = (promise) => void promise.catch(() => undefined);
  const patient = { timeout: 3_600_000 };
  await claude.callTool({ name: "read_file", arguments: { path: "docs/plan.md" } });
  const edit = { path: "docs/plan.md", old_text: "September", new_text: "early September, apples first" };
  swallow(claude.callTool({ name: "edit_file", arguments: edit }, patient));
  swallow(
    cursor.callTool(
      { name: "http_post", arguments: { url: `${demo.webUrl}/harvest`, body: '{"apples":412}' } },
      patient,
    ),
  );
  swallow(
    claude.callTool(
      {
        name: "ask_user",
        arguments: { question: "Which year is the table for?", options: ["2025", "2026"] },
      },
      patient,
    ),
  );
  swallow(demo.call("sleep", { duration: 300 }, "watch"));
  await waiting(demo, 2);
}

/** Requests for consent, once there are so many. */
async function waiting(demo, count) {
  for (let tries = 0; tries < 300; tries++) {
    const requests = await demo.api("GET", "/api/approvals");
    if (requests.length >= count) return requests;
    await pause(100);
  }
  throw new Error("The calls that ask for consent did not wait.");
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { CallMetadata } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import { defineTool } from "../contract/define-tool.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Log } from "../contract/ports/log.js";
import type { SessionOptions } from "../contract/tenon.js";
import type { ToolProgress } from "../contract/tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import type { Session } from "../runtime/sessions/session.js";
import type { TenonOptions } from "../runtime/tenon-options.js";
import type { Tenon } from "../runtime/tenon.js";
import { checkKeys, type KeysOf } from "../schema/check-keys.js";
import { makeFolder } from "../contract/make-folder.js";

/** What a test context is made of. Everything is optional. */
export interface TestContextOptions extends Pick<
  TenonOptions,
  "builtIns" | "clock" | "config" | "env" | "extensions" | "interact" | "random" | "tools"
> {
  /** Files to write into the workspace first, by their relative paths. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  /** A folder of your own to work in; it is not removed. @default a new temporary folder */
  readonly workspace?: string | undefined;
  /** The session that the context belongs to. It sees every tool. */
  readonly session?: Omit<SessionOptions, "sees" | "toolset"> | undefined;
  /**
   * Ports and values in the place of the real ones, such as an `http` that reaches no network. They count for tools that
   * are run with the context, not for calls.
   */
  readonly overrides?: Partial<ToolContext> | undefined;
}

/** A context that tools run with, and what they did with it. */
export interface TestContext extends ToolContext {
  /** The absolute path of the folder that the tools work in. */
  readonly workspace: string;
  readonly tenon: Tenon;
  readonly session: Session;
  /** What was reported with `ctx.emit`, in order. */
  readonly progress: readonly (ToolProgress | string)[];
  /** What was added with `ctx.note`. */
  readonly notes: Readonly<Partial<CallMetadata>>;
  /** What was written to `ctx.log`, in order. */
  readonly logged: readonly LoggedLine[];
  /** Stop everything that still runs and remove the temporary folder. */
  close(): Promise<void>;
}

/** One line that a tool wrote to its log. */
export interface LoggedLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Make a context to test tools with. Its ports are real and guarded: files in a temporary workspace, processes, the
 * network, and a store in memory. What needs consent gets it, unless `interact` is given.
 *
 * @example
 * const ctx = await createTestContext({ files: { "a.txt": "hello" } });
 * const { content } = await builtInTools.read_file.execute({ path: "a.txt" }, ctx);
 * const answer = await ctx.session.call("read_file", { path: "a.txt" });
 * await ctx.close();
 */
export async function createTestContext(options: TestContextOptions = {}): Promise<TestContext> {
  checkKeys(options, optionNames, "createTestContext");
  const { files = {}, workspace: ownFolder, session: sessionOptions, overrides, ...tenonOptions } = options;
  const folder = await mkdtemp(join(tmpdir(), "tenon-test-"));
  const workspace = resolve(ownFolder ?? join(folder, "workspace"));
  makeFolder(workspace);
  await writeFiles(workspace, files);
  const holder = createHolder();
  const tenon = createTenon({
    interact: { approve: () => true },
    ...tenonOptions,
    workspace,
    config: {
      stateDir: join(folder, "state"),
      database: ":memory:",
      audit: { enabled: false },
      ...tenonOptions.config,
    },
    tools: [...(tenonOptions.tools ?? []), holder.tool],
  });
  const session = tenon.createSession(sessionOptions);
  const held = session.call(holder.tool, {});
  let unlisted: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    holder.release();
    await Promise.all([held, unlisted]);
    await session.close();
    await tenon.close();
    await rm(folder, { recursive: true, force: true });
  };
  const first = await Promise.race([holder.context, held]);
  if ("success" in first) {
    await close();
    throw new ToolUnavailableError(
      `The context could not be made: ${first.error?.message ?? "it has ended"}`,
    );
  }
  unlisted = tenon.registry.unregister(holder.tool.name);
  return recordReports({ ...portsOf(first), ...overrides }, { workspace, tenon, session, close });
}

const optionNames: KeysOf<TestContextOptions> = {
  builtIns: true,
  clock: true,
  config: true,
  env: true,
  extensions: true,
  files: true,
  interact: true,
  overrides: true,
  random: true,
  session: true,
  tools: true,
  workspace: true,
};

async function writeFiles(workspace: string, files: NonNullable<TestContextOptions["files"]>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(workspace, path);
    makeFolder(dirname(file));
    await writeFile(file, content);
  }
}

/** A tool whose call lasts as long as the test: its context is the one that the test gets. */
function createHolder() {
  let lend!: (context: ToolContext) => void;
  let release!: () => void;
  const context = new Promise<ToolContext>((resolve) => (lend = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const tool = defineTool({
    name: "test_context",
    description: "Lends its context to a test.",
    category: "custom",
    annotations: { readOnly: true },
    timeoutMs: null,
    input: { type: "object", properties: {} },
    execute: (_input, ctx) => {
      lend(ctx);
      return released;
    },
  });
  return { tool, context, release };
}

/** The members of a context as plain values: those of a call are getters of a class. */
function portsOf(context: ToolContext): ToolContext {
  const names = Object.keys(members) as readonly (keyof ToolContext)[];
  return Object.fromEntries(names.map((name) => [name, context[name]])) as unknown as ToolContext;
}

/** All members; one that is missing here does not compile. */
const members: KeysOf<ToolContext> = {
  callId: true,
  sessionId: true,
  taskId: true,
  iterationId: true,
  agent: true,
  userId: true,
  endpoint: true,
  allowedPaths: true,
  maxTextChars: true,
  maxTextTokens: true,
  signal: true,
  onStop: true,
  settings: true,
  files: true,
  seen: true,
  shell: true,
  processes: true,
  code: true,
  outputs: true,
  http: true,
  store: true,
  interact: true,
  client: true,
  tools: true,
  clock: true,
  env: true,
  log: true,
  emit: true,
  note: true,
  call: true,
};

type Owned = Pick<TestContext, "workspace" | "tenon" | "session" | "close">;

/** The context with a record of what tools report through it. */
function recordReports(context: ToolContext, owned: Owned): TestContext {
  const progress: (ToolProgress | string)[] = [];
  const logged: LoggedLine[] = [];
  const notes: Partial<CallMetadata> = {};
  const write =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) => {
      logged.push({ level, message, ...(fields !== undefined && { fields }) });
      context.log[level](message, fields);
    };
  return {
    ...context,
    ...owned,
    progress,
    logged,
    notes,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    emit(report) {
      progress.push(report);
      context.emit(report);
    },
    note(facts) {
      Object.assign(notes, facts);
      context.note?.(facts);
    },
  };
}

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { WorkspaceError, type OpenTenon } from "./open-tenon.js";
import { toFileProblem } from "../contract/file-problem.js";
import { makeFolder } from "../contract/make-folder.js";
import { messageOf } from "../contract/message-of.js";
import { ConfigError, describeProblem } from "../config/config-error.js";
import { findRipgrep } from "../world/code/ripgrep.js";
import { packageRoot } from "./package-root.js";
import { installPackage } from "./install-package.js";
import { shellQuote } from "../command/shell-quote.js";
import { plural } from "../text/plural.js";
import { pasteQuote } from "./paste-quote.js";

/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  /** A command to paste that fixes it. */
  readonly fix?: string | undefined;
  /** Does that; returns what was done. */
  readonly repair?: (() => string) | undefined;
}

/** What the checks look at. */
export type Examined = Pick<OpenTenon, "tenon" | "loaded" | "terminal">;

type Check = (open: Examined) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** Check everything that must work; a check that throws is reported as failed. */
export async function examine(open: Examined): Promise<Finding[]> {
  const checks: readonly [string, Check][] = [
    ["node", checkNode],
    ["workspace", checkWorkspace],
    ["configuration", checkConfiguration],
    ["state", checkState],
    ["log", checkLog],
    ["file guard", checkGuard],
    ["sandbox", checkSandbox],
    ["search", checkSearch],
    ["plugins", checkPlugins],
    ["programs", checkPrograms],
    ["person", checkPerson],
    ["tools", checkTools],
  ];
  const findings = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return await check(open);
      } catch (cause) {
        return { name, status: "fail" as const, ...explainFailure(name, cause) };
      }
    }),
  );
  return findings.flat();
}

/** Why a check failed. Folders that cannot be made are all in the state directory, whatever the check. */
function explainFailure(name: string, cause: unknown): Pick<Finding, "message" | "fix"> {
  const { path } = Object(cause) as { path?: unknown };
  const message = typeof path === "string" ? `${path}: ${toFileProblem(cause)}` : messageOf(cause);
  if (name === "workspace") return { message, fix: `chmod u+rx ${shellQuote(String(path))}` };
  const isAboutState = name === "state" || name === "log" || typeof path === "string";
  return { message, ...(isAboutState && { fix: otherState() }) };
}

/** A place for the state that works: the home folder itself may be what does not. */
function otherState(): string {
  const place = isWritable(homedir()) ? '"$HOME/tenon-state"' : '"$(mktemp -d)"';
  return `TENON_STATE_DIR=${place} tenon doctor`;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function editConfig(file: string | undefined): string | undefined {
  return file === undefined ? undefined : `"\${EDITOR:-vi}" ${shellQuote(file)}`;
}

/** What can be said when Tenon cannot start: the machine, and why. */
export function examineBroken(cause: unknown): Finding[] {
  if (cause instanceof ConfigError)
    return [
      checkNode(),
      ...cause.problems.map((problem): Finding => {
        const { file, line } = problem;
        const fix = editConfig(line === undefined ? undefined : file);
        return { name: "configuration", status: "fail", message: describeProblem(problem), fix };
      }),
    ];
  if (cause instanceof WorkspaceError)
    return [
      checkNode(),
      { name: "workspace", status: "fail", message: cause.message, fix: fixWorkspace(cause.folder) },
    ];
  const hint = Object(cause) as { hint?: unknown };
  const message = [messageOf(cause), ...(typeof hint.hint === "string" ? [hint.hint] : [])].join(" ");
  return [checkNode(), { name: "state", status: "fail", message, fix: otherState() }];
}

function fixWorkspace(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return `mkdir -p ${shellQuote(folder)}`;
  if (stats.isDirectory()) return `chmod u+rx ${shellQuote(folder)}`;
  return `tenon doctor --workspace ${shellQuote(dirname(folder))}`;
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  const message = `Node ${process.versions.node}${fine ? "" : "; Tenon requires 20.19 or later"}`;
  return { name: "node", status: fine ? "ok" : "fail", message };
}

function checkWorkspace({ tenon, terminal }: Examined): Finding {
  const workspace = tenon.config.workspaceDir ?? terminal.cwd;
  accessSync(workspace, constants.R_OK);
  if (isWritable(workspace)) return { name: "workspace", status: "ok", message: workspace };
  const fix = `chmod u+w ${shellQuote(workspace)}`;
  return { name: "workspace", status: "warn", message: `${workspace} is not writable`, fix };
}

function checkConfiguration({ loaded }: Examined): Finding {
  const files = loaded.sources.map(({ kind, file }) => file ?? sourceWords[kind] ?? kind).join(", ");
  if (loaded.untrusted === undefined) return { name: "configuration", status: "ok", message: files };
  const message = `${loaded.untrusted.file} is not trusted, so it can only restrict`;
  return { name: "configuration", status: "warn", message, fix: "tenon trust" };
}

/** The file whose settings count most. */
function configFile({ sources }: Examined["loaded"]): string | undefined {
  return sources.find(({ file }) => file !== undefined)?.file;
}

const sourceWords: Readonly<Record<string, string>> = {
  flags: "the command line",
  env: "environment variables",
  default: "built-in defaults",
};

async function checkState({ tenon, loaded }: Examined): Promise<readonly Finding[]> {
  const { ok, problems, dir, damaged, lost } = await tenon.checkState();
  const name = "state";
  if (tenon.config.database === ":memory:")
    return [
      {
        name,
        status: "warn",
        message: "in memory (database is :memory:): rules, memories, plans and undo end with each process",
        fix: editConfig(configFile(loaded)),
      },
    ];
  return [
    {
      name,
      status: ok ? "ok" : "fail",
      message: ok ? dir : `${dir}: ${problems.join("; ")}`,
      ...(!ok && { fix: "tenon state restore BACKUP" }),
    },
    ...damaged.map((file): Finding => {
      const message = `a damaged database was moved to ${file}: restore a backup (tenon state restore) or recover data with "sqlite3 FILE .recover", then move or delete it`;
      return { name, status: "warn", message };
    }),
    ...(await Promise.all(lost.map(({ from, until }) => describeLost(tenon, { since: from, until })))),
  ];
}

/** A database that was restored from a backup knows nothing of the calls since; the log does. */
async function describeLost(
  { audit }: Examined["tenon"],
  time: { readonly since: number; readonly until: number },
): Promise<Finding> {
  const calls = (await audit.search({ ...time, limit: 100_000 })).length;
  const [since, until] = [time.since, time.until].map((at) => new Date(at).toISOString());
  const message = `the database was restored from a backup: it knows nothing of ${calls} calls in the log between ${since} and ${until}; their changes cannot be undone, their idempotency keys are forgotten, and memories, plans and approvals of that time are gone`;
  return { name: "state", status: "warn", message, fix: `tenon log --since ${since} --until ${until}` };
}

async function checkLog({ tenon, loaded }: Examined): Promise<Finding> {
  if (!tenon.config.audit.enabled) {
    const message = "calls are not recorded: audit.enabled is false";
    return { name: "log", status: "warn", message, fix: editConfig(configFile(loaded)) };
  }
  await tenon.audit.head();
  const fault = tenon.audit.fault();
  if (fault !== undefined) return { name: "log", status: "fail", message: fault, fix: otherState() };
  const alerts = (await tenon.audit.pastAlerts?.({ since: Date.now() - 86_400_000 })) ?? [];
  const dir = await tenon.audit.dir();
  makeFolder(dir, 0o700); // the first call would make it
  accessSync(dir, constants.W_OK);
  if (alerts[0] === undefined) return { name: "log", status: "ok", message: dir };
  return {
    name: "log",
    status: "warn",
    message: `${dir}; ${plural(alerts.length, "alert")} in the last day, most recent: ${alerts[0].message}`,
    fix: "tenon log --since 1d --outcome denied",
  };
}

function checkGuard({ tenon }: Examined): Finding {
  if (tenon.guardKind === "descriptor")
    return { name: "file guard", status: "ok", message: "by file descriptor, without races" };
  return {
    name: "file guard",
    status: "warn",
    message: "by path: on this system there is a small race between check and use",
  };
}

async function checkSandbox({ tenon, terminal }: Examined): Promise<readonly Finding[]> {
  const facts = await tenon.sandboxFacts();
  return facts.map((fact) => {
    const fix = fact.status === "ok" ? undefined : commandIn(fact.message);
    if (fix === undefined) return fact;
    const canInstall = /\bbubblewrap$/.test(fix) && process.getuid?.() === 0;
    return { ...fact, fix, ...(canInstall && { repair: () => installPackage(fix, terminal.env) }) };
  });
}

/** The command that a message names: one that installs something, or starts Tenon with what it needs. */
function commandIn(message: string): string | undefined {
  const [, install, start] = /: (sudo [^,;]+|nix-env [^,;]+)|`(systemd-run .* tenon) …`/.exec(message) ?? [];
  return install ?? (start === undefined ? undefined : `${start} doctor`);
}

/** Searching works without it, file by file; git is no check, because only commands use it. */
function checkSearch(): Finding {
  if (findRipgrep() !== undefined) return { name: "search", status: "ok", message: "ripgrep" };
  const message = "ripgrep cannot be run: searches read file by file, which is slower";
  return {
    name: "search",
    status: "warn",
    message,
    fix: `npm install --prefix ${shellQuote(packageRoot())}`,
  };
}

/** Plugins that could not be loaded. */
async function checkPlugins({ tenon }: Examined): Promise<readonly Finding[]> {
  await tenon.ready();
  return tenon
    .plugins()
    .flatMap(({ fault }) =>
      fault === undefined
        ? []
        : [{ name: "plugins", status: "fail" as const, message: fault, fix: "tenon plugins list" }],
    );
}

/** MCP servers and plugins that run with all rights of the user. */
function checkPrograms({ tenon }: Examined): readonly Finding[] {
  const { mcpServers, plugins } = tenon.config;
  const servers = Object.entries(mcpServers).flatMap(([name, server]) =>
    "command" in server && server.enabled !== false && server.sandbox === undefined
      ? [{ name, command: "mcp-servers sandbox" }]
      : [],
  );
  const others = plugins.flatMap((plugin) => {
    const entry = typeof plugin === "string" ? { path: plugin } : plugin;
    const isInside = "sandbox" in entry && entry.sandbox !== undefined;
    return isInside || ("enabled" in entry && entry.enabled === false)
      ? []
      : [{ name: entry.path, command: "plugins sandbox" }];
  });
  return [...servers, ...others].map(({ name, command }) => ({
    name: "programs",
    status: "warn",
    message: `${name} runs outside the sandbox, with all your permissions`,
    fix: `tenon ${command} ${pasteQuote(name)}`,
  }));
}

function checkPerson({ terminal }: Examined): Finding {
  if (terminal.stdin.isTTY === true)
    return { name: "person", status: "ok", message: "approvals can be answered at this terminal" };
  const message = "no terminal: calls that need approval are denied unless a console is open";
  return { name: "person", status: "warn", message, fix: "tenon serve" };
}

async function checkTools({ tenon }: Examined): Promise<Finding> {
  const { status, message } = await tenon.health();
  return {
    name: "tools",
    status: status === "healthy" ? "ok" : "warn",
    message,
    ...(status !== "healthy" && { fix: "tenon tools stats" }),
  };
}

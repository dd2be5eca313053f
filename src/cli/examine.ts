import { accessSync, constants } from "node:fs";
import type { OpenTenon } from "./open-tenon.js";
import { messageOf } from "../contract/message-of.js";

/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
}

type Check = (open: OpenTenon) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** Check everything that must work; a check that throws is reported as failed. */
export async function examine(open: OpenTenon): Promise<Finding[]> {
  const checks: readonly [string, Check][] = [
    ["node", checkNode],
    ["workspace", checkWorkspace],
    ["configuration", checkConfiguration],
    ["state", checkState],
    ["log", checkLog],
    ["file guard", checkGuard],
    ["sandbox", checkSandbox],
    ["programs", checkPrograms],
    ["person", checkPerson],
    ["tools", checkTools],
  ];
  const findings = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return await check(open);
      } catch (cause) {
        return {
          name,
          status: "fail" as const,
          message: messageOf(cause),
        };
      }
    }),
  );
  return findings.flat();
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  const message = `Node ${process.versions.node}${fine ? "" : "; Tenon requires 20.19 or later"}`;
  return { name: "node", status: fine ? "ok" : "fail", message };
}

function checkWorkspace({ tenon, terminal }: OpenTenon): Finding {
  const workspace = tenon.config.workspaceDir ?? terminal.cwd;
  accessSync(workspace, constants.R_OK);
  try {
    accessSync(workspace, constants.W_OK);
  } catch {
    return { name: "workspace", status: "warn", message: `${workspace} is not writable` };
  }
  return { name: "workspace", status: "ok", message: workspace };
}

function checkConfiguration({ loaded }: OpenTenon): Finding {
  const files = loaded.sources.map(({ kind, file }) => file ?? kind).join(", ");
  if (loaded.untrusted === undefined) return { name: "configuration", status: "ok", message: files };
  const message = `${loaded.untrusted.file} is not trusted, so it can only restrict; run "tenon trust" to trust it`;
  return { name: "configuration", status: "warn", message };
}

async function checkState({ tenon }: OpenTenon): Promise<readonly Finding[]> {
  const { ok, problems, dir, damaged } = await tenon.checkState();
  const name = "state";
  return [
    { name, status: ok ? "ok" : "fail", message: ok ? dir : `${dir}: ${problems.join("; ")}` },
    ...damaged.map((file): Finding => {
      const message = `a damaged database was moved to ${file}: restore a backup (tenon state restore) or recover data with "sqlite3 FILE .recover", then move or delete it`;
      return { name, status: "warn", message };
    }),
  ];
}

async function checkLog({ tenon }: OpenTenon): Promise<Finding> {
  if (!tenon.config.audit.enabled)
    return { name: "log", status: "warn", message: "calls are not recorded: audit.enabled is false" };
  await tenon.audit.head();
  const fault = tenon.audit.fault();
  if (fault !== undefined) return { name: "log", status: "fail", message: fault };
  const alerts = (await tenon.audit.pastAlerts?.({ since: Date.now() - 86_400_000 })) ?? [];
  const dir = await tenon.audit.dir();
  if (alerts[0] === undefined) return { name: "log", status: "ok", message: dir };
  return {
    name: "log",
    status: "warn",
    message: `${dir}; ${alerts.length} alerts, most recent: ${alerts[0].message}`,
  };
}

function checkGuard({ tenon }: OpenTenon): Finding {
  if (tenon.guardKind === "descriptor")
    return { name: "file guard", status: "ok", message: "by file descriptor, free of races" };
  return {
    name: "file guard",
    status: "warn",
    message: "by path: on this system there is a small race between check and use",
  };
}

function checkSandbox({ tenon }: OpenTenon): Promise<readonly Finding[]> {
  return tenon.sandboxFacts();
}

/** MCP servers and plugins that run with all rights of the user. */
function checkPrograms({ tenon }: OpenTenon): readonly Finding[] {
  const { mcpServers, plugins } = tenon.config;
  const servers = Object.entries(mcpServers).flatMap(([name, server]) =>
    "command" in server && server.enabled !== false && server.sandbox === undefined
      ? [`mcp-servers sandbox ${name}`]
      : [],
  );
  const others = plugins.flatMap((plugin) => {
    const entry = typeof plugin === "string" ? { path: plugin } : plugin;
    const isInside = "sandbox" in entry && entry.sandbox !== undefined;
    return isInside || ("enabled" in entry && entry.enabled === false)
      ? []
      : [`plugins sandbox ${entry.path}`];
  });
  return [...servers, ...others].map((command) => ({
    name: "programs",
    status: "warn",
    message: `${command.split(" ").at(-1)} runs outside the sandbox, with all your rights; to move it in: tenon ${command}`,
  }));
}

function checkPerson({ terminal }: OpenTenon): Finding {
  if (terminal.stdin.isTTY === true)
    return { name: "person", status: "ok", message: "approvals can be answered at this terminal" };
  return { name: "person", status: "warn", message: "no terminal: calls that need approval are denied" };
}

async function checkTools({ tenon, session }: OpenTenon): Promise<Finding> {
  const { status, message } = await tenon.health();
  return {
    name: "tools",
    status: status === "healthy" ? "ok" : "warn",
    message: `${session.tools().length} tools; ${message}`,
  };
}

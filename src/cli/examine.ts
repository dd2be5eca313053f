import { accessSync, constants } from "node:fs";
import type { OpenTenon } from "./open-tenon.js";

/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
}

/** Look at everything that must work; each look ends with a finding, also where it fails. */
export async function examine(open: OpenTenon): Promise<Finding[]> {
  const looks: readonly [string, (open: OpenTenon) => Finding | Promise<Finding | readonly Finding[]>][] = [
    ["node", lookAtNode],
    ["workspace", lookAtWorkspace],
    ["configuration", lookAtConfiguration],
    ["state", lookAtState],
    ["log", lookAtLog],
    ["file guard", lookAtGuard],
    ["sandbox", lookAtSandbox],
    ["person", lookAtPerson],
    ["tools", lookAtTools],
  ];
  const findings = await Promise.all(
    looks.map(async ([name, look]) => {
      try {
        return await look(open);
      } catch (cause) {
        return {
          name,
          status: "fail" as const,
          message: cause instanceof Error ? cause.message : String(cause),
        };
      }
    }),
  );
  return findings.flat();
}

function lookAtNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  const message = `Node ${process.versions.node}${fine ? "" : "; Tenon needs 20.19 or later"}`;
  return { name: "node", status: fine ? "ok" : "fail", message };
}

function lookAtWorkspace({ tenon, terminal }: OpenTenon): Finding {
  const workspace = tenon.config.workspaceDir ?? terminal.cwd;
  accessSync(workspace, constants.R_OK);
  try {
    accessSync(workspace, constants.W_OK);
  } catch {
    return { name: "workspace", status: "warn", message: `${workspace} can be read but not written` };
  }
  return { name: "workspace", status: "ok", message: workspace };
}

function lookAtConfiguration({ loaded }: OpenTenon): Finding {
  const files = loaded.sources.map(({ kind, file }) => file ?? kind).join(", ");
  if (loaded.untrusted === undefined) return { name: "configuration", status: "ok", message: files };
  const message = `${loaded.untrusted.file} is not trusted, so it can only tighten; tenon trust changes that`;
  return { name: "configuration", status: "warn", message };
}

async function lookAtState({ tenon }: OpenTenon): Promise<readonly Finding[]> {
  const { ok, problems, dir, damaged } = await tenon.checkState();
  const name = "state";
  return [
    { name, status: ok ? "ok" : "fail", message: ok ? dir : `${dir}: ${problems.join("; ")}` },
    ...damaged.map((file): Finding => {
      const message = `a damaged database was set aside as ${file}: restore a backup (tenon state restore) or read what is left with "sqlite3 FILE .recover", then move or delete it`;
      return { name, status: "warn", message };
    }),
  ];
}

async function lookAtLog({ tenon }: OpenTenon): Promise<Finding> {
  if (!tenon.config.audit.enabled)
    return { name: "log", status: "warn", message: "calls leave no record: audit.enabled is false" };
  await tenon.audit.head();
  const fault = tenon.audit.fault();
  if (fault !== undefined) return { name: "log", status: "fail", message: fault };
  const alerts = (await tenon.audit.pastAlerts?.({ since: Date.now() - 86_400_000 })) ?? [];
  const dir = await tenon.audit.dir();
  if (alerts[0] === undefined) return { name: "log", status: "ok", message: dir };
  return {
    name: "log",
    status: "warn",
    message: `${dir}; ${alerts.length} alerts, the last: ${alerts[0].message}`,
  };
}

function lookAtGuard({ tenon }: OpenTenon): Finding {
  if (tenon.guardKind === "descriptor")
    return { name: "file guard", status: "ok", message: "by descriptor, without a race" };
  return {
    name: "file guard",
    status: "warn",
    message: "by name: this system leaves a small race between check and use",
  };
}

function lookAtSandbox({ tenon }: OpenTenon): Promise<readonly Finding[]> {
  return tenon.sandboxFacts();
}

function lookAtPerson({ terminal }: OpenTenon): Finding {
  if (terminal.stdin.isTTY === true)
    return { name: "person", status: "ok", message: "can be asked at this terminal" };
  return { name: "person", status: "warn", message: "nobody can be asked here: what asks is denied" };
}

async function lookAtTools({ tenon, session }: OpenTenon): Promise<Finding> {
  const { status, message } = await tenon.health();
  return {
    name: "tools",
    status: status === "healthy" ? "ok" : "warn",
    message: `${session.tools().length} tools; ${message}`,
  };
}

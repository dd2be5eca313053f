import { homedir } from "node:os";
import { loadConfig, type LoadedConfig } from "../config/load-config.js";
import { createTenon } from "../runtime/create-tenon.js";
import { openTrustStore } from "../runtime/state/open-trust.js";
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import { localActor, tellAuditFaults } from "./audit-faults.js";
import type { CommonFlags, Terminal } from "./command-line.js";
import { createTerminalBackend } from "./terminal-backend.js";
import { toVisibleText } from "../text/visible-text.js";

/** A Tenon opened for one command. */
export interface OpenTenon {
  readonly tenon: Tenon;
  readonly session: Session;
  readonly loaded: LoadedConfig;
  readonly terminal: Terminal;
  readonly flags: CommonFlags;
}

/** Load the configuration, run something with a Tenon, and close it whatever happens. */
export async function withTenon(
  terminal: Terminal,
  flags: CommonFlags,
  run: (open: OpenTenon) => Promise<void>,
): Promise<void> {
  const loaded = await loadFor(terminal, flags);
  if (flags.json !== true)
    for (const warning of loaded.warnings) terminal.stderr.write(`tenon: ${toVisibleText(warning)}\n`);
  const tenon = createTenon({
    loaded,
    env: terminal.env,
    home: homedir(),
    interact: createTerminalBackend(terminal),
    actor: localActor("cli"),
    jobs: false, // this process ends with its command
    log: (record) => terminal.stderr.write(`${JSON.stringify(record)}\n`),
  });
  tellAuditFaults(tenon, terminal);
  try {
    const session = await tenon.openNamedSession(flags.session ?? "cli");
    await run({ tenon, session, loaded, terminal, flags });
  } finally {
    await tenon.close();
  }
}

/** The configuration that the flags, the environment and the files make together. */
export async function loadFor(terminal: Terminal, flags: CommonFlags): Promise<LoadedConfig> {
  const { env, cwd } = terminal;
  const home = homedir();
  const trust = openTrustStore({ env, home });
  const known = new Set((await trust.list()).map(({ workspace, digest }) => `${digest} ${workspace}`));
  return loadConfig({
    workspace: flags.workspace ?? cwd,
    ...(flags.config !== undefined && { configFile: flags.config }),
    env,
    home,
    cwd,
    flags: {
      ...(flags.workspace !== undefined && { workspaceDir: flags.workspace }),
      ...(flags.mode !== undefined && { mode: flags.mode }),
      ...(flags.toolset !== undefined && { toolset: flags.toolset }),
    },
    trusted: (workspace, digest) => known.has(`${digest} ${workspace}`),
  });
}

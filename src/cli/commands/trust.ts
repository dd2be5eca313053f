import { homedir } from "node:os";
import { openTrustStore } from "../../runtime/state/open-trust.js";
import { withCommonFlags, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { loadFor } from "../open-tenon.js";
import { table, writeJson } from "../output.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

interface TrustFlags extends CommonFlags {
  readonly list?: boolean;
  readonly revoke?: boolean;
}

/** `tenon trust`: let a workspace's own configuration count. */
export const addTrust: AddCommand = (program, terminal) => {
  withCommonFlags(
    program.command("trust").description("Trust the workspace's own configuration, as it is now"),
  )
    .option("--list", "list the trusted workspaces")
    .option("--revoke", "trust it no longer")
    .action((flags: TrustFlags) => trust(terminal, flags));
};

async function trust(terminal: Terminal, flags: TrustFlags): Promise<void> {
  const store = openTrustStore({ env: terminal.env, home: homedir() });
  if (flags.list === true) {
    const trusted = await store.list();
    const rows = trusted.map(({ workspace, trustedAt }) => [
      toVisibleLine(workspace),
      new Date(trustedAt).toISOString(),
    ]);
    if (flags.json === true) writeJson(terminal, trusted);
    else terminal.stdout.write(rows.length === 0 ? "No workspace is trusted.\n" : `${table(rows)}\n`);
    return;
  }
  const { config, untrusted } = await loadFor(terminal, flags);
  const workspace = config.workspaceDir ?? terminal.cwd;
  if (flags.revoke === true) {
    const revoked = await store.distrust(workspace);
    report(
      terminal,
      flags,
      { workspace, revoked },
      revoked ? `${workspace} is trusted no longer.` : `${workspace} was not trusted.`,
    );
    return;
  }
  if (untrusted === undefined) {
    report(
      terminal,
      flags,
      { workspace, trusted: false },
      "There is nothing to trust: no configuration of its own, or it is trusted already.",
    );
    return;
  }
  await store.trust(workspace, untrusted.digest);
  report(
    terminal,
    flags,
    { workspace, trusted: true, file: untrusted.file, digest: untrusted.digest },
    `Trusted ${untrusted.file} as it is now; a change must be trusted anew.`,
  );
}

function report(terminal: Terminal, flags: TrustFlags, data: unknown, text: string): void {
  if (flags.json === true) writeJson(terminal, data);
  else terminal.stdout.write(`${toVisibleText(text)}\n`);
}

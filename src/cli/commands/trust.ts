import { homedir } from "node:os";
import { openTrustStore } from "../../runtime/state/open-trust.js";
import { type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { loadFor } from "../open-tenon.js";
import { writeResult, writeRows } from "../output.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

interface TrustFlags extends CommonFlags {
  readonly list?: boolean;
  readonly revoke?: boolean;
}

/** `tenon trust`: apply a workspace's own configuration in full. */
export const addTrust: AddCommand = (program, terminal) => {
  addCommand(program, "trust", "Trust the current configuration of this workspace")
    .option("--list", "list the trusted workspaces")
    .option("--revoke", "stop trusting it")
    .action((flags: TrustFlags) => trust(terminal, flags));
};

async function trust(terminal: Terminal, flags: TrustFlags): Promise<void> {
  const output = { terminal, flags };
  const store = openTrustStore({ env: terminal.env, home: homedir() });
  if (flags.list === true) {
    const trusted = await store.list();
    const rows = trusted.map(({ workspace, trustedAt }) => [
      toVisibleLine(workspace),
      new Date(trustedAt).toISOString(),
    ]);
    return writeRows(output, trusted, { rows, none: "No trusted workspaces." });
  }
  const { config, untrusted } = await loadFor(terminal, flags);
  const workspace = config.workspaceDir ?? terminal.cwd;
  if (flags.revoke === true) {
    const revoked = await store.distrust(workspace);
    const text = revoked ? `${workspace} is no longer trusted.` : `${workspace} was not trusted.`;
    return writeResult(output, { workspace, revoked }, () => toVisibleText(text));
  }
  if (untrusted === undefined) {
    const text = "Nothing to trust: the workspace has no configuration, or it is already trusted.";
    return writeResult(output, { workspace, trusted: false }, () => text);
  }
  await store.trust(workspace, untrusted.digest);
  const { file, digest } = untrusted;
  const text = `Trusted ${file} as it is now. Run this command again after each change.`;
  writeResult(output, { workspace, trusted: true, file, digest }, () => toVisibleText(text));
}

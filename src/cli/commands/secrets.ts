import type { SecretRef } from "../../contract/ports/secrets.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { ago } from "../ago.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { table, writeResult } from "../output.js";
import { readSecret } from "../read-secret.js";
import { plural } from "../../text/plural.js";

interface SecretFlags extends CommonFlags {
  readonly user?: string;
  readonly endpoint?: string;
}

/** `tenon secrets`: what MCP servers are given on behalf of users. */
export const addSecrets: AddCommand = (program, terminal) => {
  const secrets = program
    .command("secrets")
    .description("Manage the encrypted secrets that MCP servers are given as ${secret:NAME}");
  addCommand(secrets, "list", "List the secrets, without their values").action((flags: SecretFlags) =>
    withTenon(terminal, flags, list),
  );
  addCommand(secrets, "set <name>", "Store a secret; its value is read from standard input")
    .option("--user <name>", "only for this user (default: everybody)")
    .option("--endpoint <name>", "only at this MCP endpoint (default: all)")
    .action((name: string, flags: SecretFlags) =>
      withTenon(terminal, flags, async (open) => {
        const value = await readSecret(terminal, name);
        const stored = await open.tenon.secrets.set({ ...refOf(name, flags), value });
        writeResult(open, stored, () => `Stored ${describe(stored)}. Its value is not shown again.`);
      }),
    );
  addCommand(secrets, "remove <name>", "Remove a secret")
    .option("--user <name>", "the one of this user (default: the one for everybody)")
    .option("--endpoint <name>", "the one of this MCP endpoint (default: the one for all)")
    .action((name: string, flags: SecretFlags) =>
      withTenon(terminal, flags, async (open) => {
        const secret = refOf(name, flags);
        if (!(await open.tenon.secrets.remove(secret)))
          throw new ToolResourceNotFoundError(`The secret ${describe(secret)} was not found.`, {
            hint: "List the secrets with: tenon secrets list",
          });
        writeResult(open, { removed: secret }, () => `Removed ${describe(secret)}.`);
      }),
    );
  addCommand(secrets, "key", "Create the key that secrets are encrypted with, in a file of your own").action(
    (flags: SecretFlags) =>
      withTenon(terminal, flags, async (open) => {
        const created = await open.tenon.secrets.createKey();
        const note = "Keep a copy in a safe place: without it, stored secrets cannot be read.";
        writeResult(open, created, () => `Created the key ${created.keyId} in ${created.file}.\n${note}`);
      }),
  );
  addCommand(secrets, "rotate", "Replace the key and encrypt all secrets again").action(
    (flags: SecretFlags) =>
      withTenon(terminal, flags, async (open) => {
        const rotated = await open.tenon.secrets.rotateKey();
        const count = plural(rotated.changed, "secret");
        writeResult(open, rotated, () => `Encrypted ${count} with the key ${rotated.keyId}.`);
      }),
  );
};

async function list(open: OpenTenon): Promise<void> {
  const found = await open.tenon.secrets.list();
  const rows = found.map(({ name, user, endpoint, changedAt, keyId }) => [
    name,
    user ?? "everybody",
    endpoint === undefined ? "everywhere" : `/mcp/${endpoint}`,
    `changed ${ago(changedAt, Date.now())}`,
    `key ${keyId}`,
  ]);
  const none = "No secrets. Store one with: tenon secrets set NAME";
  writeResult(open, found, () =>
    rows.length === 0 ? none : table(rows, { width: open.terminal.stdout.columns }),
  );
}

function refOf(name: string, { user, endpoint }: SecretFlags): SecretRef {
  return { name, ...(user !== undefined && { user }), ...(endpoint !== undefined && { endpoint }) };
}

function describe({ name, user, endpoint }: SecretRef): string {
  return `${name} for ${user ?? "everybody"}${endpoint === undefined ? "" : ` at /mcp/${endpoint}`}`;
}

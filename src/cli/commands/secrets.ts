import type { SecretInfo, SecretRef, SecretStore } from "../../contract/ports/secrets.js";
import { ToolError, ToolResourceNotFoundError } from "../../contract/errors.js";
import { ago } from "../ago.js";
import { addCommand, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { aloneOrInFleet, askEach, oneWorkspace, withFleetOptions, type OpenFleet } from "../open-fleet.js";
import { withTenon } from "../open-tenon.js";
import { writeResult, writeRows } from "../output.js";
import { readSecret } from "../read-secret.js";
import { plural } from "../../text/plural.js";

interface SecretFlags extends CommonFlags {
  readonly user?: string;
  readonly endpoint?: string;
}

/** Where secrets are kept: with the workspace here, or with those of a fleet. */
interface KeptSecrets extends Pick<SecretStore, "set" | "remove"> {
  list(): Promise<readonly (SecretInfo & { readonly workspace?: string })[]>;
}

/** `tenon secrets`: what MCP servers are given on behalf of users. */
export const addSecrets: AddCommand = (program, terminal) => {
  const secrets = program
    .command("secrets")
    .description("Manage the encrypted secrets that MCP servers are given as ${secret:NAME}");
  const run = (flags: SecretFlags, use: (store: KeptSecrets) => Promise<void>): Promise<void> =>
    aloneOrInFleet(terminal, flags, {
      alone: ({ tenon }) => use(tenon.secrets),
      inFleet: (open) => use(secretsOfFleet(open)),
    });
  withFleetOptions(addCommand(secrets, "list", "List the secrets, without their values")).action(
    (flags: SecretFlags) => run(flags, (store) => list(store, terminal, flags)),
  );
  withFleetOptions(addCommand(secrets, "set <name>", "Store a secret; its value is read from standard input"))
    .option("--user <name>", "only for this user (default: everybody)")
    .option("--endpoint <name>", "only at this MCP endpoint (default: all)")
    .action((name: string, flags: SecretFlags) =>
      run(flags, async (store) => {
        const value = await readSecret(terminal, name);
        const stored = await store.set({ ...refOf(name, flags), value });
        const text = `Stored ${describe(stored)}. Its value is not shown again.`;
        writeResult({ terminal, flags }, stored, () => text);
      }),
    );
  withFleetOptions(addCommand(secrets, "remove <name>", "Remove a secret"))
    .option("--user <name>", "the one of this user (default: the one for everybody)")
    .option("--endpoint <name>", "the one of this MCP endpoint (default: the one for all)")
    .action((name: string, flags: SecretFlags) =>
      run(flags, async (store) => {
        const secret = refOf(name, flags);
        if (!(await store.remove(secret)))
          throw new ToolResourceNotFoundError(`Secret ${describe(secret)} not found.`, {
            hint: "List the secrets with: tenon secrets list",
          });
        writeResult({ terminal, flags }, { removed: secret }, () => `Removed ${describe(secret)}.`);
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

async function list(store: KeptSecrets, terminal: Terminal, flags: SecretFlags): Promise<void> {
  const found = await store.list();
  const rows = found.map(({ workspace, name, user, endpoint, changedAt, keyId }) => [
    ...(workspace === undefined ? [] : [workspace]),
    name,
    user ?? "everybody",
    endpoint === undefined ? "everywhere" : `/mcp/${endpoint}`,
    `changed ${ago(changedAt, Date.now())}`,
    `key ${keyId}`,
  ]);
  const none = "No secrets. Store one with: tenon secrets set NAME";
  writeRows({ terminal, flags }, found, { rows, none });
}

/** Workers encrypt them; a secret belongs to one workspace. */
function secretsOfFleet(open: OpenFleet): KeptSecrets {
  const path = ({ name, user, endpoint }: SecretRef): string => {
    const query = new URLSearchParams({ ...(user && { user }), ...(endpoint && { endpoint }) });
    return `/api/secrets/${encodeURIComponent(name)}?${query.toString()}`;
  };
  return {
    async list() {
      const lists = await askEach(open, async (workspace) => {
        const answer = await open.ask({ path: "/api/secrets", workspace });
        return (await answer.json()) as SecretInfo[];
      });
      return lists.flatMap(({ workspace, answer }) => answer.map((secret) => ({ workspace, ...secret })));
    },
    async set({ name, ...body }) {
      const workspace = oneWorkspace(open);
      const answer = await open.ask({ path: path({ name }), workspace, method: "PUT", body });
      return (await answer.json()) as SecretInfo;
    },
    async remove(secret) {
      const workspace = oneWorkspace(open);
      try {
        await open.ask({ path: path(secret), workspace, method: "DELETE" });
        return true;
      } catch (error) {
        if (error instanceof ToolError && error.code === "NOT_FOUND") return false;
        throw error;
      }
    },
  };
}

function refOf(name: string, { user, endpoint }: SecretFlags): SecretRef {
  return { name, ...(user !== undefined && { user }), ...(endpoint !== undefined && { endpoint }) };
}

function describe({ name, user, endpoint }: SecretRef): string {
  return `${name} for ${user ?? "everybody"}${endpoint === undefined ? "" : ` at /mcp/${endpoint}`}`;
}

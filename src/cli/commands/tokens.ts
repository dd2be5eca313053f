import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { pasteQuote } from "../paste-quote.js";
import { roles, type NamedToken, type Role } from "../../contract/ports/access.js";
import { ago } from "../ago.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTeam, type OpenTenon } from "../open-tenon.js";
import { noteMore, writeResult, writeRows } from "../output.js";
import { parseExpiry } from "../parse-time.js";
import { oneOf, wholeNumber } from "../whole-number.js";

interface TokenFlags extends CommonFlags {
  readonly user?: string;
  readonly role?: string;
  readonly endpoint?: string;
  readonly expires: string;
  readonly all?: boolean;
  readonly search?: string;
  readonly limit: string;
  readonly after?: string;
}

/** `tenon tokens`: how users come in over HTTP. */
export const addTokens: AddCommand = (program, terminal) => {
  const tokens = program
    .command("tokens")
    .description("Manage the tokens that give users access to `tenon serve`");
  addCommand(tokens, "list", "List the tokens, without their secrets")
    .option("--all", "include expired and revoked tokens")
    .option("--user <name>", "only tokens of this user")
    .option("--search <text>", "only tokens whose name or user contains this")
    .option("--limit <n>", "how many to list", "200")
    .option("--after <id>", "list those after this token")
    .action((flags: TokenFlags) => withTeam(terminal, flags, (open) => list(open, flags)));
  addCommand(tokens, "create <name>", "Create a token and print its secret once")
    .option("--user <name>", "whose token it is (default: a program with the name of the token)")
    .option("--role <role>", `what the token may do at most: ${roles.join(", ")} (default: the user's role)`)
    .option("--endpoint <name>", "MCP endpoint that the token is limited to")
    .option("--expires <when>", 'how long it is valid, such as "30d", a date, or "never"', "90d")
    .action((name: string, flags: TokenFlags) =>
      withTeam(terminal, flags, (open) => create(open, name, flags)),
    );
  addCommand(tokens, "revoke <token>", "Revoke a token by its name or id, effective immediately").action(
    (idOrName: string, flags: TokenFlags) =>
      withTeam(terminal, flags, async (open) => {
        const token = await open.tenon.access.revokeToken(idOrName);
        writeResult(open, token, () => `Revoked ${token.name}.`);
      }),
  );
};

async function list(open: OpenTenon, flags: TokenFlags): Promise<void> {
  const now = Date.now();
  const limit = wholeNumber("--limit", flags.limit);
  const { search: text, user: principal, after } = flags;
  const shown = await open.tenon.access.tokens({ text, principal, after, limit, valid: flags.all !== true });
  const rows = shown.map((token) => [
    token.name,
    token.principal,
    token.role,
    token.endpoint === undefined ? "" : `/mcp/${token.endpoint}`,
    stateOf(token, now),
    token.expiresAt === undefined
      ? "never expires"
      : `until ${new Date(token.expiresAt).toISOString().slice(0, 10)}`,
    token.lastUsedAt === undefined ? "never used" : `used ${ago(token.lastUsedAt, now)}`,
    token.id,
  ]);
  const none = "No tokens. Create one with: tenon tokens create NAME";
  writeRows(open, shown, { rows, none });
  const last = shown.at(-1);
  if (last !== undefined && shown.length === limit) noteMore(open, `--after ${last.id}`);
}

function stateOf({ revokedAt, expiresAt }: NamedToken, now: number): string {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt <= now ? "expired" : "valid";
}

async function create(open: OpenTenon, name: string, flags: TokenFlags): Promise<void> {
  const { access } = open.tenon;
  const role = flags.role === undefined ? undefined : oneOf("--role", flags.role, roles);
  const expiresAt = parseExpiry(flags.expires, Date.now(), "--expires");
  const principal = flags.user ?? name;
  const owner = await access.principal(principal);
  if (owner === undefined && flags.user !== undefined)
    throw new ToolResourceNotFoundError(`User "${principal}" not found.`, {
      hint: `Add it with: tenon users add ${pasteQuote(principal)}`,
    });
  const ownerRole: Role =
    owner?.role ?? (await access.addPrincipal({ name, kind: "program", role: role ?? "operator" })).role;
  const { endpoint } = flags;
  const created = await access.createToken({ name, principal, role: role ?? ownerRole, endpoint, expiresAt });
  const { token, secret } = created;
  const note = `Token ${token.name} of ${principal} (${token.role}). It is not shown again.`;
  if (flags.json !== true) open.terminal.stderr.write(`${note}\n`);
  writeResult(open, { ...token, secret }, () => secret);
}

import { roles, type Principal } from "../../contract/ports/access.js";
import { ago } from "../ago.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTeam, type OpenTenon } from "../open-tenon.js";
import { noteMore, writeResult, writeRows } from "../output.js";
import { oneOf, wholeNumber } from "../whole-number.js";
import { toVisibleText } from "../../text/visible-text.js";

interface UserFlags extends CommonFlags {
  readonly role: string;
  readonly program?: boolean;
  readonly search?: string;
  readonly limit: string;
  readonly after?: string;
}

/** `tenon users`: the people and programs that may come in over HTTP. */
export const addUsers: AddCommand = (program, terminal) => {
  const users = program
    .command("users")
    .description("Manage the people and programs that may use `tenon serve`, and their roles");
  addCommand(users, "list", "List the users, by name")
    .option("--search <text>", "only names that contain this")
    .option("--limit <n>", "how many to list", "200")
    .option("--after <name>", "list those after this user")
    .action((flags: UserFlags) => withTeam(terminal, flags, (open) => list(open, flags)));
  addCommand(users, "add <name>", "Add a user")
    .option("--role <role>", `what the user may do: ${roles.join(", ")}`, "operator")
    .option("--program", "the user is a program, not a person")
    .action((name: string, flags: UserFlags) =>
      withTeam(terminal, flags, async (open) => {
        const role = oneOf("--role", flags.role, roles);
        const kind = flags.program === true ? "program" : "person";
        const user = await open.tenon.access.addPrincipal({ name, kind, role });
        const next = `Create a token with: tenon tokens create ${name} --user ${name}`;
        writeResult(open, user, () => `Added ${name} (${role}).\n${next}`);
      }),
    );
  addCommand(users, "role <name> <role>", "Change the role of a user").action(
    (name: string, text: string, flags: UserFlags) =>
      withTeam(terminal, flags, async (open) => {
        const role = oneOf("role", text, roles);
        const user = await open.tenon.access.changePrincipal(name, { role });
        writeResult(open, user, () => `${name} now has the role ${role}.`);
      }),
  );
  addCommand(
    users,
    "link <name> <issuer> <subject>",
    "Let the person whom an identity provider knows by a subject sign in as a user",
  ).action((name: string, issuer: string, subject: string, flags: UserFlags) =>
    withTeam(terminal, flags, async (open) => {
      const user = await open.tenon.access.linkLogin(name, { issuer, subject });
      writeResult(open, user, () => toVisibleText(`${subject} of ${issuer} signs in as ${name}.`));
    }),
  );
  addCommand(users, "remove <name>", "Remove a user for good, with its tokens and secrets").action(
    (name: string, flags: UserFlags) =>
      withTeam(terminal, flags, async (open) => {
        await open.tenon.access.removePrincipal(name);
        writeResult(open, { removed: name }, () => `Removed ${name}. The name cannot be used again.`);
      }),
  );
  addCommand(users, "disable <name>", "Keep a user out and revoke all of its tokens").action(
    (name: string, flags: UserFlags) => withTeam(terminal, flags, (open) => setDisabled(open, name, true)),
  );
  addCommand(users, "enable <name>", "Let a disabled user in again, with new tokens").action(
    (name: string, flags: UserFlags) => withTeam(terminal, flags, (open) => setDisabled(open, name, false)),
  );
};

async function list(open: OpenTenon, { search: text, after, limit }: UserFlags): Promise<void> {
  const maxListed = wholeNumber("--limit", limit);
  const found = await open.tenon.access.principals({ text, after, limit: maxListed });
  const rows = found.map(({ name, kind, role, roleFromLogin, createdAt, disabledAt }) => [
    name,
    roleFromLogin === true ? `${role} (by login)` : role,
    kind,
    disabledAt === undefined ? "" : "disabled",
    `added ${ago(createdAt, Date.now())}`,
  ]);
  const none = "No users. You alone use this workspace; add others with: tenon users add NAME";
  writeRows(open, found, { rows, none });
  const last = found.at(-1);
  if (last !== undefined && found.length === maxListed) noteMore(open, `--after ${last.name}`);
}

async function setDisabled(open: OpenTenon, name: string, disabled: boolean): Promise<void> {
  const user: Principal = await open.tenon.access.changePrincipal(name, { disabled });
  const text = disabled
    ? `${name} is disabled. All of its tokens are revoked.`
    : `${name} is enabled. Create a token with: tenon tokens create ${name} --user ${name}`;
  writeResult(open, user, () => text);
}

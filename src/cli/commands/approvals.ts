import { userInfo } from "node:os";
import type { Command } from "commander";
import { ToolError, ToolResourceNotFoundError } from "../../contract/errors.js";
import type { ApprovalAnswer, ApprovalRequest } from "../../contract/ports/interact.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { ago } from "../ago.js";
import { addCommand, UsageError, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { aloneOrInFleet, withFleetOptions, type OpenFleet } from "../open-fleet.js";
import type { OpenTenon } from "../open-tenon.js";
import { writeResult, writeRows } from "../output.js";
import { withSharedOptions } from "../shared-options.js";
import { createTerminalBackend } from "../terminal-backend.js";

/** Calls that wait for consent, on this machine or in a fleet. */
interface ApprovalQueue {
  /** How its answers are given; a front of a fleet knows by itself. */
  readonly channel?: "terminal";
  list(): Promise<readonly (ApprovalRequest & { readonly workspace?: string })[]>;
  answer(id: string, answer: ApprovalAnswer): Promise<void>;
}

/** `tenon approvals`: see and answer what waits for consent in other processes. */
export const addApprovals: AddCommand = (program, terminal) => {
  const approvals = program.command("approvals").description("See and answer calls that wait for consent");
  const run = (flags: CommonFlags, use: (queue: ApprovalQueue) => Promise<void>): Promise<void> =>
    aloneOrInFleet(terminal, flags, {
      alone: (open) => use(localQueue(open)),
      inFleet: (open) => use(fleetQueue(open)),
    });
  withFleetOptions(withSharedOptions(approvals)).action((flags: CommonFlags) =>
    run(flags, (queue) => list(queue, terminal, flags)),
  );
  withFleetOptions(addCommand(approvals, "answer", "Answer a call at this terminal"))
    .argument("<id>", "id of the request, or of its call")
    .action((id: string, _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      return run(flags, (queue) => answer(queue, terminal, { flags, id }));
    });
  withFleetOptions(addCommand(approvals, "refuse", "Refuse a call"))
    .argument("<id>", "id of the request, or of its call")
    .option("--reason <text>", "what the agent is told")
    .action((id: string, _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { reason?: string }>();
      return run(flags, async (queue) => {
        const request = await find(queue, id);
        const { reason } = flags;
        await queue.answer(request.id, { verdict: "no", ...(reason !== undefined && { reason }) });
        writeResult({ terminal, flags }, { refused: request.id }, () => `Refused ${request.toolName}.`);
      });
    });
};

async function list(queue: ApprovalQueue, terminal: Terminal, flags: CommonFlags): Promise<void> {
  const waiting = await queue.list();
  const now = Date.now();
  const rows = waiting.map(({ id, workspace, toolName, agent, requestedAt, reason }) =>
    [id, ...(workspace === undefined ? [] : [workspace]), toolName, agent, ago(requestedAt, now), reason].map(
      (cell) => toVisibleLine(cell),
    ),
  );
  writeRows({ terminal, flags }, waiting, { rows, none: "Nothing waits for consent.", cut: true });
}

/** Only a person consents: the whole question is put at the terminal, as if the call had been made here. */
async function answer(
  queue: ApprovalQueue,
  terminal: Terminal,
  { flags, id }: { readonly flags: CommonFlags; readonly id: string },
): Promise<void> {
  const backend = createTerminalBackend(terminal);
  if (flags.json === true || !backend.available() || backend.approve === undefined)
    throw new UsageError("Consent needs a person at a terminal. To refuse: tenon approvals refuse ID");
  const request = await find(queue, id);
  if (queue.channel !== undefined && !request.channels.includes(queue.channel)) throw notCounted("closed");
  const given = await backend.approve(request, terminal.interrupted);
  await queue.answer(request.id, given);
  terminal.stdout.write(given.verdict === "no" ? "Refused.\n" : `Allowed: ${given.verdict}.\n`);
}

async function find(queue: ApprovalQueue, id: string): Promise<ApprovalRequest> {
  const found = (await queue.list()).find((one) => one.id === id || one.callId === id);
  if (found === undefined)
    throw new ToolResourceNotFoundError(`Call "${id}" not found: it does not wait for consent.`, {
      hint: "Run: tenon approvals",
    });
  return found;
}

function localQueue({ tenon }: OpenTenon): ApprovalQueue {
  const channel = "terminal" as const;
  return {
    channel,
    list: () => tenon.approvals.elsewhere(),
    async answer(id, given) {
      const by = { channel, person: userInfo().username };
      const outcome = await tenon.approvals.answer(id, { ...given, by });
      if (outcome.status !== "accepted" && outcome.status !== "counted") throw notCounted(outcome.status);
    },
  };
}

const outcomes = {
  own: "the call was made in your own name",
  late: "somebody else has answered already",
  invalid: "the changed arguments cannot be used",
  closed: "it is asked in the console only (tenon serve link), unless approvals.channels names the terminal",
  unknown: "it does not wait any more",
} as const;

function notCounted(status: keyof typeof outcomes): ToolError {
  return new ToolError(`The answer does not count: ${outcomes[status]}.`, { code: "APPROVAL_UNAVAILABLE" });
}

function fleetQueue({ ask, workspaces }: OpenFleet): ApprovalQueue {
  return {
    async list() {
      const all = (await (await ask({ path: "/api/approvals" })).json()) as (ApprovalRequest & {
        workspace: string;
      })[];
      return all.filter(({ workspace }) => workspaces.includes(workspace));
    },
    async answer(id, given) {
      await ask({ path: `/api/approvals/${encodeURIComponent(id)}`, body: given });
    },
  };
}

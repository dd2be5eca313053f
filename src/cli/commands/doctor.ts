import {
  exitCodes,
  UsageError,
  type AddCommand,
  type CommonFlags,
  type Terminal,
  addCommand,
} from "../command-line.js";
import { examineFleet } from "../fleet-doctor.js";
import { fleetOf, withFleetOptions } from "../open-fleet.js";
import { withTenon, WorkspaceError } from "../open-tenon.js";
import { createSpinner, whileWorking } from "../spinner.js";
import { colorsFor, table, writeResult } from "../output.js";
import { examine, examineBroken, type Finding } from "../examine.js";
import { toVisibleLine } from "../../text/visible-text.js";

interface DoctorFlags extends CommonFlags {
  readonly fix?: boolean;
}

/** `tenon doctor`: what works, what does not, and how to fix it. */
export const addDoctor: AddCommand = (program, terminal) => {
  const about = "Check that Tenon works on this machine, and show how to fix what does not";
  withFleetOptions(addCommand(program, "doctor", about))
    .option("--fix", "install what is missing, where that is safe, and check again")
    .action(async (flags: DoctorFlags) => {
      const first = await whileWorking(createSpinner(terminal, flags), "Checking,", findAll(terminal, flags));
      const done = flags.fix === true ? first.flatMap(({ repair }) => repair?.() ?? []) : [];
      for (const line of done) terminal.stderr.write(`${toVisibleLine(line)}\n`);
      const findings = done.length === 0 ? first : await findAll(terminal, flags);
      const data = findings.map(({ name, status, message, fix }) => ({ name, status, message, fix }));
      writeResult({ terminal, flags }, data, () => findingTable(terminal, findings));
      if (findings.some(({ status }) => status === "fail")) terminal.exitCode = exitCodes.failure;
    });
};

/** The findings, also where Tenon does not start. */
async function findAll(terminal: Terminal, flags: DoctorFlags): Promise<readonly Finding[]> {
  let findings: readonly Finding[] | undefined;
  try {
    const fleet = await fleetOf(terminal, flags);
    if (fleet !== undefined) return await examineFleet(terminal, flags, fleet);
    await withTenon(terminal, flags, async (open) => void (findings = await examine(open)));
  } catch (cause) {
    if (cause instanceof UsageError && !(cause instanceof WorkspaceError)) throw cause;
    return findings ?? examineBroken(cause);
  }
  return findings ?? [];
}

function findingTable(terminal: Terminal, findings: readonly Finding[]): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = { ok: colors.green, warn: colors.yellow, fail: colors.red };
  const rows = findings.map(({ status, name, message }) => [
    paint[status](status),
    name,
    toVisibleLine(message),
  ]);
  // One cause may fail several checks; its fix stands once, after the first of them.
  const fixes = new Map(
    findings
      .toReversed()
      .flatMap(({ name, fix }) => (fix === undefined ? [] : [[toVisibleLine(fix), `  ${name}`]])),
  );
  const width = { width: terminal.stdout.columns };
  const found = table(rows, width);
  if (fixes.size === 0) return found;
  const lines = [...fixes].toReversed().map(([fix, name]) => [name, fix]);
  return `${found}\n\nTo fix or investigate:\n${table(lines, width)}`;
}

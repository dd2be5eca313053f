import { exitCodes, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, table, writeResult } from "../output.js";
import { examine, type Finding } from "../examine.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon doctor`: what works, what does not, and how to fix it. */
export const addDoctor: AddCommand = (program, terminal) => {
  addCommand(program, "doctor", "Check that Tenon works on this machine").action((flags: CommonFlags) =>
    withTenon(terminal, flags, async (open) => {
      const findings = await examine(open);
      writeResult(open, findings, () => findingTable(terminal, findings));
      if (findings.some(({ status }) => status === "fail")) terminal.exitCode = exitCodes.failure;
    }),
  );
};

function findingTable(terminal: Terminal, findings: readonly Finding[]): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = { ok: colors.green, warn: colors.yellow, fail: colors.red };
  const rows = findings.map(({ status, name, message }) => [
    paint[status](status),
    name,
    toVisibleLine(message),
  ]);
  return table(rows);
}

import {
  exitCodes,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, table, writeJson } from "../output.js";
import { examine, type Finding } from "../examine.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon doctor`: what works here, what does not, and the way out. */
export const addDoctor: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("doctor").description("Check that everything works here")).action(
    (flags: CommonFlags) =>
      withTenon(terminal, flags, async (open) => {
        const findings = await examine(open);
        show(terminal, flags, findings);
        if (findings.some(({ status }) => status === "fail")) terminal.exitCode = exitCodes.failure;
      }),
  );
};

function show(terminal: Terminal, flags: CommonFlags, findings: readonly Finding[]): void {
  if (flags.json === true) {
    writeJson(terminal, findings);
    return;
  }
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = { ok: colors.green, warn: colors.yellow, fail: colors.red };
  const rows = findings.map(({ status, name, message }) => [
    paint[status](status),
    name,
    toVisibleLine(message),
  ]);
  terminal.stdout.write(`${table(rows)}\n`);
}

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ReplayReport, ReplayStep } from "../../runtime/replay/replay-task.js";
import { exitCodes, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { toJunit } from "../junit.js";
import { withTenon } from "../open-tenon.js";
import { createSpinner, whileWorking } from "../spinner.js";
import { colorsFor, writeJson } from "../output.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon replay`: run a recorded task again on a copy and compare the results. */
export const addReplay: AddCommand = (program, terminal) => {
  addCommand(program, "replay", "Run a recorded task again on a copy and compare the results")
    .argument("<task>", "task id of the recorded calls")
    .option("--junit <file>", "also write the results as JUnit XML")
    .option("--keep", "keep the copy")
    .option("--live", "also repeat calls that access the network")
    .option("--exclude <name...>", "names or paths not to copy")
    .action((task: string, flags: ReplayFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        const spinner = createSpinner(terminal, flags);
        const onStep = (step: ReplayStep): void => {
          if (flags.json === true) return;
          spinner.stop();
          showStep(terminal, step);
          spinner.start(replaying);
        };
        const { keep, live, exclude } = flags;
        const options = { keep, live, exclude, onStep, signal: terminal.interrupted };
        const report = await whileWorking(spinner, replaying, tenon.replay(task, options));
        if (flags.junit !== undefined) await writeFile(resolve(terminal.cwd, flags.junit), toJunit(report));
        if (flags.json === true) writeJson(terminal, report);
        else showEnd(terminal, report);
        if (!report.same) terminal.exitCode = exitCodes.failure;
      }),
    );
};

const replaying = "Replaying,";

interface ReplayFlags extends CommonFlags {
  readonly junit?: string;
  readonly keep?: boolean;
  readonly live?: boolean;
  readonly exclude?: string[];
}

function showStep(terminal: Terminal, { verdict, tool, callId, reason, difference }: ReplayStep): void {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = { same: colors.green, different: colors.red, skipped: colors.yellow };
  const why = reason === undefined ? "" : `  ${toVisibleLine(reason)}`;
  terminal.stdout.write(
    `${paint[verdict](verdict.padEnd(9))}  ${toVisibleLine(tool)}  ${toVisibleLine(callId)}${why}\n`,
  );
  if (difference !== undefined) terminal.stdout.write(`${toVisibleText(difference)}\n`);
}

function showEnd(terminal: Terminal, { steps, notes, same, copy }: ReplayReport): void {
  const count = (word: ReplayStep["verdict"]): number =>
    steps.filter(({ verdict }) => verdict === word).length;
  const counts = (["same", "different", "skipped"] as const).map((word) => `${count(word)} ${word}`);
  for (const note of notes) terminal.stderr.write(`${toVisibleText(note)}\n`);
  terminal.stdout.write(`${same ? "As recorded" : "Not as recorded"}: ${counts.join(", ")}.\n`);
  if (copy !== undefined) terminal.stdout.write(`Copy: ${copy}\n`);
}

import type { Running } from "./launch.js";
import type { PreparedCommand } from "./prepare-command.js";

/** Warnings about limits that are missing, and those at which the kernel refused or killed processes of the command. */
export function limitWarnings({ group }: Running, { processLimit }: PreparedCommand): string[] {
  const refused = group?.refusals() ?? 0;
  const killed = group?.memoryKills() ?? 0;
  return [
    ...(group?.missing ?? []),
    ...(refused === 0 || processLimit === undefined
      ? []
      : [
          `The command reached its limit of ${processLimit} processes; ${refused === 1 ? "one attempt to start another one was" : `${refused} attempts to start another one were`} refused. The setting sandbox.limits.processes raises it.`,
        ]),
    ...(killed === 0
      ? []
      : [
          `The memory limit of commands was reached, and the system killed ${killed === 1 ? "a process" : `${killed} processes`} (SIGKILL). The setting sandbox.limits.memory raises it.`,
        ]),
  ];
}

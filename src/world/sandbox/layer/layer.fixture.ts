import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { throughGroup } from "../command-group.js";
import { type ProgramResult, runProgram } from "../run-program.js";
import type { Fixture } from "../sandbox.fixture.js";
import type { SandboxCommand } from "../sandbox-types.js";
import type { CommandLayer, LayerChange } from "./layer-types.js";

/** A command that ran on a layer. */
export interface LayerTrial extends ProgramResult {
  readonly layer: CommandLayer;
  /** `kind path`, sorted. */
  readonly changes: readonly string[];
}

/** Run a script on a layer of the fixture's workspace; fails if it had to run directly. */
export async function runOnLayer(
  fixture: Fixture,
  script: string,
  command: Partial<SandboxCommand> = {},
): Promise<LayerTrial> {
  const { layer, ...result } = await tryOnLayer(fixture, script, command);
  if (layer === undefined) throw new Error(`The command ran directly: ${result.direct}`);
  const changes = (await readAll(layer)).map(({ kind, path }) => `${kind} ${path}`);
  return { ...result, layer, changes: changes.toSorted() };
}

/** Run a script on a layer, and kill it when it has created the file `ready` at its end. */
export async function stopOnLayer(fixture: Fixture, script: string): Promise<CommandLayer> {
  await fixture.sandbox.ready();
  const command = `${script}; touch ready; sleep 100`;
  const wrapped = await fixture.wrap({
    argv: ["/bin/sh", "-c", command],
    layer: { callId: "call", sessionId: "session", command, startedAt: Date.now() },
  });
  const { layer } = wrapped;
  if (layer === undefined) throw new Error(`The command ran directly: ${wrapped.direct}`);
  let pid = 0;
  const ended = runProgram({ ...wrapped, timeoutMs: 60_000 }, (started) => (pid = started));
  await expect.poll(() => existsSync(join(layer.upper, "ready")), { timeout: 30_000 }).toBe(true);
  process.kill(pid, "SIGKILL");
  await ended;
  await wrapped.finish();
  return layer;
}

/** Run a script on a layer where that is possible. */
export async function tryOnLayer(
  fixture: Fixture,
  script: string,
  command: Partial<SandboxCommand> = {},
): Promise<
  ProgramResult & { readonly layer: CommandLayer | undefined; readonly direct: string | undefined }
> {
  await fixture.sandbox.ready();
  const wrapped = await fixture.wrap({
    argv: ["/bin/sh", "-c", script],
    layer: { callId: "call", sessionId: "session", command: script, startedAt: Date.now() },
    ...command,
  });
  const group = fixture.sandbox.openGroup();
  const result = await runProgram({ ...wrapped, ...throughGroup(wrapped, group), timeoutMs: 60_000 });
  await wrapped.finish();
  group?.remove();
  return { ...result, layer: wrapped.layer, direct: wrapped.direct };
}

/** All changes of a layer. */
export async function readAll(layer: CommandLayer): Promise<LayerChange[]> {
  const changes: LayerChange[] = [];
  for await (const change of layer.changes()) changes.push(change);
  return changes;
}

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

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolContext } from "../../../contract/context.js";
import type { Files } from "../../../contract/ports/files.js";
import type { SeenFiles, Sighting } from "../../../contract/ports/seen.js";
import type { Tool } from "../../../contract/tool.js";
import { createGuard } from "../../../world/files/guard.js";
import { createPathRules } from "../../../world/files/path-rules.js";
import { createTestContext } from "../../testing/context.js";

/** A real directory, and a context whose files are those in it. */
export interface ReadFixture {
  readonly root: string;
  readonly ctx: ToolContext;
  /** What tools noted as seen, in order. */
  readonly sightings: (Sighting & { readonly path: string })[];
  path(name: string): string;
  run(tool: Tool, input: unknown, overrides?: Partial<ToolContext>): Promise<Record<string, unknown>>;
  close(): void;
}

/** Open a fresh directory; `Files` that only look, straight from the guard. */
export function openReadFixture(): ReadFixture {
  const root = mkdtempSync(join(tmpdir(), "tenon-read-"));
  const guard = createGuard({ rules: createPathRules({ workspace: root }), maxFileSize: 100 * 1024 * 1024 });
  const sightings: ReadFixture["sightings"] = [];
  const files: Partial<Files> = {
    root: guard.root,
    check: (path, access) => guard.check(path, access),
    stat: async (path) => guard.stat(path),
    read: (path, range) => guard.read(path, range),
    open: async (path) => guard.openRead(path),
    list: (path) => guard.list(path),
    walk: (path, options) => guard.walk(path, options),
  };
  const seen: Partial<SeenFiles> = {
    note: (path, sighting) => void sightings.push({ path, ...sighting }),
  };
  const ctx = createTestContext({ overrides: { files: files as Files, seen: seen as SeenFiles } });
  return {
    root,
    ctx,
    sightings,
    path: (name) => join(root, name),
    run: (tool, input, overrides = {}) => runTool(tool, input, { ...ctx, ...overrides }),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Check the input as the runtime does, run the tool, and go through what it yields. */
async function runTool(tool: Tool, input: unknown, ctx: ToolContext): Promise<Record<string, unknown>> {
  const schema = tool.input as { parse(value: unknown): unknown };
  const running = tool.execute(schema.parse(input), ctx);
  if (typeof running === "object" && running !== null && Symbol.asyncIterator in running) {
    for (;;) {
      const step = await (running as AsyncGenerator<unknown, unknown>).next();
      if (step.done === true) return step.value as Record<string, unknown>;
    }
  }
  return (await running) as Record<string, unknown>;
}

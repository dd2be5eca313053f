import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import * as z from "zod";
import {
  createTenon,
  defineTool,
  type StreamItem,
  type Tenon,
  type TenonConfig,
  type TenonEvent,
  type TenonOptions,
} from "../src/index.js";

/** A workspace with its state beside it, both in one temp folder. */
export interface Fixture {
  readonly workspace: string;
  readonly stateDir: string;
}

const fixtures: string[] = [];
const opened: Tenon[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((tenon) => tenon.close({ graceMs: 0 })));
  for (const root of fixtures.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** Make a fresh workspace; it is removed after the test. */
export function createFixture(): Fixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-spine-")));
  fixtures.push(root);
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  return { workspace, stateDir: join(root, "state") };
}

/** Open a Tenon on a fixture of its own, or on a given one; it is closed after the test. */
export function open(options: TenonOptions = {}, fixture: Fixture = createFixture()): Tenon {
  const config: TenonConfig = { stateDir: fixture.stateDir, ...options.config };
  const tenon = createTenon({ workspace: fixture.workspace, ...options, config });
  opened.push(tenon);
  return tenon;
}

type Definition = Parameters<typeof defineTool>[0];

/** A tool that takes anything and changes nothing; every member can be another. */
export function tool(name: string, members: Partial<Definition> & Pick<Definition, "execute">) {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    category: "custom",
    annotations: { readOnly: true },
    input: z.looseObject({}),
    ...members,
  });
}

/** Gives its text back. */
export const echo = defineTool({
  name: "echo",
  description: "Give the text back.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ text }),
});

/** A tool that needs consent, and the inputs it ran with. */
export const dangerous = (members: object = {}) => {
  const ran: unknown[] = [];
  const wipe = tool("wipe", {
    annotations: { dangerous: true },
    input: z.object({ what: z.string() }),
    execute: (input) => {
      ran.push(input);
      return "wiped";
    },
    ...members,
  });
  return { ran, wipe };
};

/** A call of it. */
export const wipeAll = { name: "wipe", arguments: { what: "all" } };

/** A promise and its handles. */
export function gate<T = void>() {
  let open!: (value: T) => void;
  let fail!: (reason: unknown) => void;
  const passed = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { open, fail, passed };
}

/** Every event from now on. */
export function watch(tenon: Tenon): TenonEvent[] {
  const events: TenonEvent[] = [];
  tenon.onAny((event) => void events.push(event));
  return events;
}

/** Wait until something holds; each look comes after a turn of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    if (turns > 5000) throw new Error("It never came true.");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** All items of a stream. */
export async function collect(stream: AsyncIterable<StreamItem>): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createTenon, defineTool, type Tenon, type TenonOptions } from "../src/index.js";

const echo = defineTool({
  name: "echo",
  description: "Give the text back.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ text }),
});

let root: string;
let tenon: Tenon;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-spine-"));
});

afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

function open(options: TenonOptions = {}): Tenon {
  tenon = createTenon({
    workspace: root,
    config: { stateDir: join(root, "..", `${root}-state`) },
    ...options,
  });
  return tenon;
}

describe("a call", () => {
  it("answers with the envelope", async () => {
    open({ tools: [echo] });
    const answer = await tenon.call({ id: "c1", name: "echo", arguments: { text: "hi" }, taskId: "t1" });
    expect(answer).toMatchObject({ callId: "c1", toolName: "echo", success: true, result: { text: "hi" } });
    expect(answer.metadata).toMatchObject({ version: "1.0.0", taskId: "t1" });
    expect(answer.content).toEqual([{ type: "text", text: '{"text":"hi"}' }]);
    expect(tenon.task("t1")?.actionsDone).toEqual([answer]);
  });
});

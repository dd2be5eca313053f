import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { newDir, readLog } from "./testing/fixture.js";
import { buildProgram } from "../../../test/setup/program-dir.js";

let program: string;

beforeAll(async () => {
  const input = join(import.meta.dirname, "testing/child.ts");
  program = await buildProgram(input, (id) => id.startsWith("node:"));
});

interface Answers {
  readonly ids: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

function answersOf(child: ChildProcess, onText: (ids: number) => void = () => {}): Promise<Answers> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    onText(text.length);
  });
  return new Promise((done) => {
    // What the last line lacks its end of was not said.
    child.on("close", (_code, signal) => done({ ids: text.split("\n").slice(0, -1), signal }));
  });
}

const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });

describe("several processes on one log", () => {
  it("has every answered call after SIGKILL under load, and the chain verifies", async () => {
    for (const mode of ["default", "strict"]) {
      const dir = newDir();
      const children = ["one", "two"].map((name) => start(dir, name, "1000000", mode));
      const answers = await Promise.all(
        children.map((child) =>
          answersOf(child, (length) => {
            if (length > 20_000) child.kill("SIGKILL");
          }),
        ),
      );
      expect(answers.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGKILL"]);
      const log = readLog(dir);
      expect(await log.verify()).toMatchObject({ ok: true });
      const kept = new Set((await log.search({ limit: 100_000 })).map(({ callId }) => callId));
      const lost = answers.flatMap(({ ids }) => ids).filter((id) => !kept.has(id));
      expect(lost).toEqual([]);
      expect(kept.size).toBeGreaterThan(1000);
    }
  });

  it("loses nothing that it vouched for where a file may grow no further, and says what it could not keep", async () => {
    const dir = newDir();
    const line = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
    const child = spawn("bash", ["-c", line, process.execPath, program, dir, "full", "800"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { ids } = await answersOf(child);
    expect(ids).toContain("fault");
    const answered = ids.filter((id) => id !== "fault");
    expect(answered.length).toBeGreaterThan(100);
    const log = readLog(dir);
    expect(await log.verify()).toMatchObject({ ok: true });
    const kept = new Set((await log.search({ limit: 100_000 })).map(({ callId }) => callId));
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
  });
});

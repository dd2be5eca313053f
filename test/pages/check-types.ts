import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { placeOf, root, type Block } from "./blocks.js";

/** What pages take as given: a runtime, a session, the tools that other blocks define, and what `tenon` exports. */
const given = `
import type { Tenon, Session, AnyTool } from "tenon";
import type { TestContext } from "tenon/testing";
declare global {
  const tenon: Tenon;
  const session: Session;
  const ctx: TestContext;
  const model: import("tenon").AgentModel;
  const greet: AnyTool;
  const countWords: ReturnType<typeof import("tenon").defineTool<any, any>>;
  const handle: string;
  const answer: string;
  const isNight: () => boolean;
  const messages: unknown[];
  const client: any;
  const expect: typeof import("vitest").expect;
}
`;

/** Check all blocks in one run of the compiler; returns its messages, with the places of the blocks. */
export async function checkTypes(blocks: readonly Block[], exported: readonly string[]): Promise<string[]> {
  // Inside the package, so that its own name and its dependencies are found.
  const dir = mkdtempSync(join(root, "test/pages/types-"));
  try {
    const globals = exported.map((name) => `  const ${name}: typeof import("tenon").${name};`);
    writeFileSync(
      join(dir, "given.d.ts"),
      `${given}declare global {\n${globals.join("\n")}\n}\nexport {};\n`,
    );
    blocks.forEach(({ text }, at) => writeFileSync(join(dir, `block-${at}.ts`), `${text}\nexport {};\n`));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2023",
      module: "nodenext",
      types: ["node"],
      skipLibCheck: true,
    };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = await promisify(execFile)(tsc, ["-p", dir, "--pretty", "false"]).catch(
      (error: Error & { stdout?: string }) => {
        // The compiler tells what is wrong on its standard output; anything else is not about the blocks.
        if (!error.stdout?.includes("error TS")) throw error;
        return { stdout: error.stdout };
      },
    );
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) =>
        line.replace(/^.*block-(\d+)\.ts\((\d+),\d+\)/, (_, at: string, row: string) => {
          const block = blocks[Number(at)];
          return block === undefined ? "" : `${placeOf(block)} line ${row}`;
        }),
      );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

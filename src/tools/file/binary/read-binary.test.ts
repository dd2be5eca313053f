import { writeFileSync } from "node:fs";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../../../contract/tool.js";
import { createLineReader } from "../lines/line-reader.js";
import { createReadFile } from "../read-file.js";
import type { ReadResult } from "../read-result.js";
import { openReadFixture, type ReadFixture } from "../testing/read-fixture.js";

let fixture: ReadFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openReadFixture();
  tool = createReadFile(createLineReader());
});
afterEach(() => fixture.close());

const read = async (path: string): Promise<ReadResult> => (await fixture.run(tool, { path })) as ReadResult;

/** A document of one line of text a page. */
function makePdf(pages: readonly string[]): Buffer {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>"];
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [at, text] of pages.entries()) {
    const stream = `BT /F1 24 Tf 50 700 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

describe("files that are no text", () => {
  it("show a small image as it is, and count nothing as seen", async () => {
    const bytes = await sharp({ create: { width: 8, height: 4, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    writeFileSync(fixture.path("a.png"), bytes);
    const result = await read("a.png");
    expect(result).toMatchObject({ mimeType: "image/png", totalLines: null, isDirectory: false });
    expect(result.image).toEqual({
      data: bytes.toString("base64"),
      mimeType: "image/png",
      width: 8,
      height: 4,
    });
    expect(tool.render?.(result, {})).toEqual([
      { type: "text", text: expect.stringContaining("image/png") as string },
      { type: "image", data: bytes.toString("base64"), mimeType: "image/png" },
    ]);
    expect(fixture.sightings).toEqual([]);
  });

  it("show a large image made smaller", async () => {
    const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
    const bytes = await sharp({
      create: { width: 3000, height: 1500, channels: 3, background: "red", noise },
    })
      .png()
      .toBuffer();
    writeFileSync(fixture.path("a.png"), bytes);
    const { image } = await read("a.png");
    expect(Math.max(image?.width ?? 0, image?.height ?? 0)).toBeLessThanOrEqual(1568);
    expect(image?.data.length).toBeLessThan(1_500_000);
  });

  it("say so of an image that is broken", async () => {
    const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
    writeFileSync(fixture.path("a.png"), Buffer.from([...head, 0, 0, 0, 1, 0, 0]));
    const result = await read("a.png");
    expect(result.image).toBeUndefined();
    expect(result.note).toMatch(/could not be decoded/);
  });

  it("give the text of a PDF, page by page", async () => {
    writeFileSync(fixture.path("a.pdf"), makePdf(["Hello first page", "And the second"]));
    const result = await read("a.pdf");
    expect(result).toMatchObject({ mimeType: "application/pdf", truncated: false });
    expect(result.content).toBe("--- Page 1 ---\nHello first page\n--- Page 2 ---\nAnd the second\n");
  });

  it("cut the text of a long PDF", async () => {
    writeFileSync(fixture.path("a.pdf"), makePdf(Array.from({ length: 30 }, () => "word ".repeat(20))));
    const result = (await fixture.run(
      tool,
      { path: "a.pdf" },
      { settings: { maxChars: 500 } },
    )) as ReadResult;
    expect(result.truncated).toBe(true);
    expect(result.content.length).toBeLessThanOrEqual(500);
    expect(result.note).toMatch(/30 pages/);
  });

  it("say so of a PDF that is broken", async () => {
    writeFileSync(fixture.path("a.pdf"), `%PDF-1.4\n${"\0garbage".repeat(50)}`);
    const result = await read("a.pdf");
    expect(result.note).toMatch(/could not be read/);
  });
});

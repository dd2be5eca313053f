import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en } from "../../console/src/i18n/en.js";
import { zh } from "../../console/src/i18n/zh.js";
import { pages } from "../../console/src/pages.js";
import { hrefOf, parseRoute } from "../../console/src/parse-route.js";

interface Texts {
  readonly en: Readonly<Record<string, string>>;
  readonly zh: Readonly<Record<string, string>>;
}

const source = join(import.meta.dirname, "../../console/src");
const filesEnding = (ending: string) =>
  readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));

describe("addresses of the console", () => {
  it("name a page, what is chosen on it and its filters, whatever these contain", () => {
    const id = "a/b?c#d%\u202e 中";
    const {
      page,
      id: read,
      query,
    } = parseRoute(hrefOf("log", id, { q: "tool:grep a&b=c", none: undefined }));
    expect([page, read]).toEqual(["log", id]);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({ q: "tool:grep a&b=c" });
    expect(parseRoute("#/log/100%?q=%E4")).toMatchObject({ page: "log", id: "100%" });
  });

  it("are known or unknown, never another page", () => {
    expect(parseRoute("").page).toBe("live");
    expect(parseRoute("#/").page).toBe("live");
    expect(parseRoute("#/nonsense/7").page).toBeUndefined();
    expect(parseRoute("#/constructor").page).toBeUndefined();
  });

  it("have a file, a title in both languages and a key of their own", () => {
    for (const { name, zh: chinese } of pages) {
      expect(existsSync(join(source, `pages/${name}/${name}-page.tsx`)), name).toBe(true);
      expect(chinese, name).toMatch(/\p{Script=Han}/u);
    }
    expect(new Set(pages.map(({ key }) => key)).size).toBe(pages.length);
  });
});

describe("texts of the console", () => {
  // The same in both languages: abbreviations and the name of the other language.
  const same = /^(?:id|counted|jobs\.interrupt|choice\.language|approvals\.count|tools\.json|diffOf)$/;

  it("are all in Chinese, with the same values filled in", async () => {
    const ofPages = await Promise.all(
      filesEnding("/text.ts").map((file) => import(join(source, file)) as Promise<Record<string, Texts>>),
    );
    const texts: Texts[] = [{ en, zh }, ...ofPages.flatMap((module) => Object.values(module))];
    for (const dictionary of texts) {
      expect(Object.keys(dictionary.zh).sort()).toEqual(Object.keys(dictionary.en).sort());
      for (const [key, text] of Object.entries(dictionary.en)) {
        const chinese = dictionary.zh[key] ?? "";
        const values = (of: string) => [...of.matchAll(/\{\w+\}/g)].map(String).sort();
        expect(values(chinese), key).toEqual(values(text));
        if (!same.test(key)) expect(chinese, key).toMatch(/\p{Script=Han}/u);
      }
    }
  });

  it("stand in the dictionaries, not in the pages", () => {
    const files = filesEnding(".tsx");
    const plain = files.flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)\s*</g)].map(
        ([, text]) => `${file}: ${text}`,
      ),
    );
    expect(plain).toEqual([]);
  });
});

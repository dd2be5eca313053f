import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const docs = join(root, "docs");
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sources = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main`;

/** The pages of a folder by their headings, in the order of their names. */
function pagesOf(folder) {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "ten-minutes.md")
    .map((name) => {
      const [, title = name] = /^# (.*)$/m.exec(readFileSync(join(docs, folder, name), "utf8")) ?? [];
      return { text: title.replaceAll("`", ""), link: `/${folder}/${name.replace(/\.md$/, "")}` };
    });
}

const sidebar = [
  {
    text: "Start",
    items: [
      { text: "Tenon in ten minutes", link: "/guide/ten-minutes" },
      { text: "All guides", link: "/guide/README" },
    ],
  },
  { text: "Guides", items: pagesOf("guide") },
  { text: "Reference", collapsed: true, items: pagesOf("reference") },
  {
    text: "How it is built",
    collapsed: true,
    items: [
      { text: "Architecture", link: "/architecture" },
      { text: "Performance", link: "/performance" },
      ...pagesOf("decisions"),
    ],
  },
];

const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, "console/public/icon.svg"), "utf8"))}`;

/**
 * The pages are outside this folder, where Vite finds no Vue: when it renders them, their imports stay as they are, and
 * Node resolves them from the rendered files in here.
 */
const vueOfSite = {
  name: "vue-of-site",
  enforce: "pre",
  resolveId: (id, _importer, { ssr }) =>
    ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : undefined,
};

/** Examples, the schema and other files that are not pages are in the repository, so that is where their links lead. */
function linkSources(md) {
  md.core.ruler.push("link-sources", ({ tokens, env }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? [])) {
      const target = link.type === "link_open" ? link.attrGet("href") : null;
      if (target === null || !/^\.\.?\//.test(target)) continue;
      const file = relative(root, resolve(dirname(env.path), target));
      if (!file.startsWith("docs/")) link.attrSet("href", `${sources}/${file}`);
    }
  });
}

/** `{{ … }}` in a page is text, not an expression of Vue; in blocks of code VitePress sees to that itself. */
function keepBraces({ renderer: { rules } }) {
  for (const name of ["text", "code_inline"]) {
    const render = rules[name];
    rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** Chinese has no blanks between words, so the search needs to be told where they are. It runs in the browser. */
function wordsOf(text) {
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  return text
    .split(/[\p{Z}\p{P}\s]+/u)
    .flatMap((part) =>
      /\p{Script=Han}/u.test(part) ? Array.from(segmenter.segment(part), ({ segment }) => segment) : [part],
    );
}

/** `npm run docs` builds the site from the pages in docs/; there is no second set of them. */
export default {
  srcDir: "../docs",
  title: "Tenon",
  description: "Tools for AI agents: judged, sandboxed, recorded and undoable.",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: icon }]],
  // The index of the search is larger than Vite's limit for a warning; it is loaded when somebody searches.
  vite: { plugins: [vueOfSite], build: { chunkSizeWarningLimit: 2000 } },
  markdown: {
    languageAlias: { jsonl: "json", console: "sh" },
    config(md) {
      linkSources(md);
      keepBraces(md);
    },
  },
  themeConfig: {
    // Only the start pages are in both languages, so the menu of languages leads to these.
    i18nRouting: false,
    outline: [2, 3],
    sidebar,
    search: {
      provider: "local",
      options: {
        miniSearch: { options: { tokenize: wordsOf } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
              modal: {
                displayDetails: "显示详细列表",
                resetButtonTitle: "清空",
                backButtonTitle: "返回",
                noResultsText: "没有找到：",
                footer: { selectText: "选择", navigateText: "切换", closeText: "关闭" },
              },
            },
          },
        },
      },
    },
  },
  locales: {
    root: { label: "English", lang: "en" },
    zh: {
      label: "简体中文",
      lang: "zh-CN",
      description: "面向 AI 智能体的工具运行时",
      themeConfig: {
        outline: { level: [2, 3], label: "本页目录" },
        docFooter: { prev: "上一页", next: "下一页" },
        sidebar: [
          {
            text: "开始",
            items: [
              { text: "十分钟上手", link: "/zh/guide/ten-minutes" },
              { text: "全部指南（英文）", link: "/guide/README" },
            ],
          },
        ],
      },
    },
  },
};

import { createTenon } from "../src/index.js";

/** A process that works on the shared state, in one of several ways. */
const [task = "", base = "", mark = "", count = "0"] = process.argv.slice(2);
const tenon = createTenon({ workspace: `${base}/workspace`, config: { stateDir: `${base}/state` } });

async function call(name: string, args: object): Promise<void> {
  const { error } = await tenon.call({ name, arguments: args });
  if (error !== undefined) throw new Error(`${name}: ${error.code} ${error.message}`);
}

/** Save the same name, the same document and memories of one's own, over and over. */
async function work(): Promise<void> {
  for (let n = 0; n < Number(count); n++) {
    await call("snippet_save", { name: "shared", code: `${mark} ${n}` });
    await call("save_insight", { title: `${mark} ${n}`, content: `word${mark}${n} common` });
    await call("save_idea_doc", { content: `${mark} ${n}` });
    if (n % 5 === 0) await call("query_memory", { query: "common" });
  }
}

/** Save until killed; each acknowledged save is told to the parent. */
async function saveForever(): Promise<void> {
  for (let n = 0; ; n++) {
    await call("save_insight", { title: `note ${n}`, content: `word${n}` });
    await call("snippet_save", { name: `snippet ${n}`, code: String(n) });
    process.stdout.write(`${n}\n`);
  }
}

if (task === "work") await work();
else await saveForever();
await tenon.close();

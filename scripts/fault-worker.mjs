// One process of mixed work for fault-run.mjs: node fault-worker.mjs WORKSPACE STATE_DIR NAME.
// Before each call it tells what it is about to do, and after it what came out, one line of JSON each.
import { createHash } from "node:crypto";
import { createTenon } from "../dist/index.js";

const [workspace, stateDir, name] = process.argv.slice(2);
const tenon = createTenon({ workspace, config: { stateDir, mode: "auto" } });
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

async function work(session, at) {
  const path = `${name}/${at % 7}.txt`;
  const content = `${name} ${process.pid} ${at}\n`.repeat(1 + (at % 50));
  const makers = [
    () => ({ name: "write_file", arguments: { path, content }, file: { path, sha256: sha256(content) } }),
    () => ({
      name: "write_file",
      arguments: { path: "shared.log", content: `${name} ${at}\n`, mode: "append" },
    }),
    () => ({ name: "save_insight", arguments: { title: `${name} ${at}`, content: "kept" } }),
    () => ({ name: "snippet_save", arguments: { name: `${name}-${at % 5}`, code: String(at) } }),
    () => ({ name: "delete_file", arguments: { path }, file: { path, absent: true } }),
    () => ({ name: "shell_exec", arguments: { command: `echo ${at} >> ${name}.out` } }),
  ];
  const { file, ...request } = makers[Math.floor(Math.random() * makers.length)]();
  if (request.name === "write_file" && file !== undefined)
    await session.call({ name: "read_file", arguments: { path } });
  if (file !== undefined) tell({ doing: file.path });
  const { callId, success, result } = await session.call(request);
  tell({
    session: session.id,
    callId,
    success,
    ...(success && file !== undefined && { file }),
    ...(success && request.name === "save_insight" && { memory: result.id }),
  });
}

const session = tenon.createSession({ id: `${name}-${process.pid}` });
for (let at = 0; ; at += 1) await work(session, at);

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Everything below a directory: kinds, modes, contents and link targets, by path. */
export function snapshot(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const todo = [""];
  for (let inner = todo.pop(); inner !== undefined; inner = todo.pop()) {
    const directory = Buffer.from(`${Buffer.from(root).toString("latin1")}/${inner}`, "latin1");
    for (const name of readdirSync(directory, { encoding: "buffer" })) {
      const key = (inner === "" ? "" : `${inner}/`) + name.toString("latin1");
      const path = Buffer.concat([directory, Buffer.from("/"), name]);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        found[key] = `directory ${mode}`;
        todo.push(key);
      } else if (stat.isSymbolicLink()) found[key] = `link ${readlinkSync(path)}`;
      else found[key] = `file ${mode} ${readFileSync(path, "base64")}`;
    }
  }
  return found;
}

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Takes another user's rights where the tests run as root and that user can read what was built. */
function asPlainUser(): readonly string[] {
  const command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  if (process.getuid?.() !== 0) return [];
  const look = spawnSync(command[0]!, [...command.slice(1), "test", "-r", library]);
  return look.status === 0 ? command : [];
}

const script = `
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
const { createTenon } = await import(process.argv[1]);
const root = mkdtempSync(join(tmpdir(), "tenon-plain-"));
const workspace = join(root, "workspace");
const put = (path, text) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};
put("config/secrets/key", "SECRET");
put("vault/deep/key", "SECRET");
put("keep/a", "KEPT");
put("app/sub/.vscode/tasks.json", "KEPT");
put("move.sh", "mv config c; mv vault v; mv keep k; mv app a; mv app/sub app/s; rm -rf keep app; echo x > keep/a; echo x > app/sub/.vscode/tasks.json; touch made");
const tenon = createTenon({
  workspace,
  home: root,
  config: {
    mode: "auto",
    stateDir: join(root, "state"),
    sandbox: { enabled: "required" },
    files: { forbiddenPaths: ["config/secrets/**"] },
    policy: { rules: [{ decision: "deny", path: "vault/**" }, { decision: "deny", path: "keep/**", access: "write" }] },
  },
});
const run = async (command) => {
  const { success, result, error } = await tenon.call({ name: "shell_exec", arguments: { command } });
  if (!success) throw new Error(error.message);
  return result.stdout;
};
await run("sh move.sh");
console.log(JSON.stringify({
  found: await run("grep -rhos 'SECRET\\\\|KEPT' . ; true"),
  names: await run("ls"),
}));
await tenon.close();
rmSync(root, { recursive: true, force: true });
`;

it("holds a plain user's commands as it holds root's", () => {
  const node = [process.execPath, "--input-type=module", "-e", script, library];
  const [file = "", ...args] = [...asPlainUser(), ...node];
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };
  const { found, names } = JSON.parse(execFileSync(file, args, { encoding: "utf8", env })) as Record<
    string,
    string
  >;
  expect(found?.split("\n").filter(Boolean)).toEqual(["KEPT", "KEPT"]);
  expect(names?.split("\n").filter(Boolean)).toEqual(["app", "config", "keep", "made", "move.sh", "vault"]);
});

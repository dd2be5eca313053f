import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../contract/errno.js";
import type { LoginRecord, LoginStore } from "../../mcp/client/oauth-provider.js";
import { privateDirectory } from "../../store/state-dir.js";

/**
 * Logins at MCP servers, one file each that only its owner can read. They belong to the user, not to a
 * workspace; every secret in them is passed to `onSecret` before it is used.
 */
export function createLoginStore(stateDir: string, onSecret: (value: string) => void): LoginStore {
  const dir = join(stateDir, "mcp-logins");
  const fileOf = (server: string): string => join(dir, `${encodeURIComponent(server)}.json`);
  const reportSecrets = (record: LoginRecord): LoginRecord => {
    const { tokens, client } = record;
    for (const secret of [tokens?.access_token, tokens?.refresh_token, tokens?.id_token, secretOf(client)]) {
      if (typeof secret === "string" && secret !== "") onSecret(secret);
    }
    return record;
  };
  return {
    async load(server) {
      try {
        const kept = JSON.parse(readFileSync(fileOf(server), "utf8")) as Partial<LoginRecord>;
        return typeof kept.url === "string" ? reportSecrets(kept as LoginRecord) : undefined;
      } catch (error) {
        if (errnoOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    async save(server, record) {
      reportSecrets(record);
      privateDirectory(stateDir);
      privateDirectory(dir);
      const file = fileOf(server);
      const draft = `${file}.${randomUUID()}`;
      writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(draft, file);
    },
    async remove(server) {
      const there = (await this.load(server)) !== undefined;
      rmSync(fileOf(server), { force: true });
      return there;
    },
  };
}

function secretOf(client: LoginRecord["client"]): unknown {
  return client !== undefined && "client_secret" in client ? client.client_secret : undefined;
}

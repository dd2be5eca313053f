import { afterAll, beforeAll } from "vitest";
import { testPostgres } from "../../../test/postgres.js";
import { testNats } from "./nats-server.js";

/** The addresses of a NATS server and a database for all tests of a file. */
export function useServers(): { readonly nats: string; readonly database: string } {
  const servers = { nats: "", database: "" };
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const [nats, database] = await Promise.all([testNats(), testPostgres()]);
    close = () => nats.close();
    Object.assign(servers, { nats: nats.url, database });
  });
  afterAll(() => close?.());
  return servers;
}

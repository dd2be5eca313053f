import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveConfig } from "../config/resolve-config.js";
import { openBus, type Bus } from "./bus/open-bus.js";
import { startNats, type TestNats } from "./testing/nats-server.js";

/** As in the guide: an account for each tenant. */
const accounts = `accounts {
  a { jetstream: enabled, users: [{ user: a, password: secret-a }] }
  b { jetstream: enabled, users: [{ user: b, password: secret-b }] }
}`;

let nats: TestNats;
const buses: Bus[] = [];

beforeAll(async () => {
  nats = await startNats(accounts);
});
afterAll(async () => {
  for (const bus of buses) await bus.close();
  await nats.close();
});

async function busOf(tenant: string, user = tenant): Promise<Bus> {
  const address = nats.url.replace("//", `//${user}:secret-${user}@`);
  const bus = await openBus(resolveConfig({ fleet: { nats: address, tenant } }).fleet, () => {});
  buses.push(bus);
  return bus;
}

describe("tenants with accounts of their own", () => {
  it("hear nothing of each other, even under the other's name", async () => {
    const [a, b] = [await busOf("a"), await busOf("b")];
    const spy = await busOf("a", "b"); // who knows how the subjects of the other are called
    const heard: string[] = [];
    for (const subject of [">", a.names.allCalls, a.names.front("f1")])
      spy.connection.subscribe(subject, { callback: (_error, { subject: of }) => void heard.push(of) });
    await spy.connection.flush();
    await a.jetstream.publish(a.names.call("main", "s1"), "a call", { msgID: "call_1" });
    a.connection.publish(a.names.toFront("f1", "progress", "call_1"), "progress");
    await a.connection.flush();
    await spy.connection.flush();
    expect(heard.filter((subject) => subject.startsWith("tenon."))).toEqual([]);
    const messages = async (bus: Bus): Promise<number> =>
      (await bus.manager.streams.info(a.names.calls)).state.messages;
    expect([await messages(a), await messages(spy)]).toEqual([1, 0]);
    expect(b.names.calls).not.toBe(a.names.calls);
  });

  it("are refused without the right password", async () => {
    const address = nats.url.replace("//", "//a:wrong-secret@");
    const config = resolveConfig({ fleet: { nats: address, tenant: "a" } }).fleet;
    const opening = openBus(config, () => {});
    await expect(opening).rejects.toThrow(/Cannot reach NATS/);
    await opening.catch((error: Error) => expect(error.message).not.toContain("wrong-secret"));
  });
});

describe("a NATS server that wants TLS and credentials", () => {
  it("lets in who has a certificate of the authority and a signed token, and nobody else", async () => {
    const dir = mkdtempSync(join(tmpdir(), "tenon-nats-tls-"));
    const files = makeCertificates(dir);
    const { operator, account, resolver, system, creds } = await makeCredentials(dir);
    const tls = await startNats(`
      tls { cert_file: "${files.serverCert}", key_file: "${files.serverKey}", ca_file: "${files.ca}", verify: true }
      operator: "${operator}"
      resolver: MEMORY
      system_account: ${system.name}
      resolver_preload: { ${account}: "${resolver}", ${system.name}: "${system.token}" }
    `);
    buses.push({ close: () => tls.close() } as Bus);
    const client = { ca: files.ca, cert: files.clientCert, key: files.clientKey };
    const open = (fleet: object): Promise<Bus> =>
      openBus(
        resolveConfig({ fleet: { nats: tls.url.replace("127.0.0.1", "localhost"), tenant: "a", ...fleet } })
          .fleet,
        () => {},
      );
    const bus = await open({ tls: client, credentials: creds });
    await bus.jetstream.publish(bus.names.call("main", "s1"), "a call", { msgID: "call_1" });
    await bus.close();
    await expect(open({ credentials: creds })).rejects.toThrow(/Cannot reach NATS/);
    await expect(open({ tls: { ca: files.ca }, credentials: creds })).rejects.toThrow(/Cannot reach NATS/);
    await expect(open({ tls: client })).rejects.toThrow(/Cannot reach NATS/);
    rmSync(dir, { recursive: true, force: true });
  });
});

/** An authority, and a certificate each for the server and a client. */
function makeCertificates(dir: string) {
  const at = (name: string): string => join(dir, name);
  const openssl = (...args: string[]): void =>
    void execFileSync("openssl", args, { cwd: dir, stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...newKey, "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem");
  writeFileSync(at("ext"), "subjectAltName=DNS:localhost");
  for (const name of ["server", "client"]) {
    openssl("req", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext", "-days", "2"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signing, "-out", `${name}.pem`);
  }
  const [serverCert, serverKey] = [at("server.pem"), at("server.key")];
  return {
    ca: at("ca.pem"),
    serverCert,
    serverKey,
    clientCert: at("client.pem"),
    clientKey: at("client.key"),
  };
}

/** Signed tokens as `nsc` makes them: an operator, an account with JetStream, a user and its file. */
async function makeCredentials(dir: string) {
  const { createAccount, createOperator, createUser } = await import("@nats-io/nkeys");
  const [operator, account, user] = [createOperator(), createAccount(), createUser()];
  const system = createAccount();
  const token = (signer: typeof operator, claims: object): string => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const issued = { jti: "1", iat: 1_700_000_000, iss: signer.getPublicKey(), ...claims };
    const body = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(issued)}`;
    return `${body}.${Buffer.from(signer.sign(new TextEncoder().encode(body))).toString("base64url")}`;
  };
  const all = { subs: -1, data: -1, payload: -1 };
  const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const limits = { ...all, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1, ...jetstream };
  const operatorToken = token(operator, {
    name: "o",
    sub: operator.getPublicKey(),
    nats: { type: "operator", version: 2 },
  });
  const accountToken = token(operator, {
    name: "a",
    sub: account.getPublicKey(),
    nats: { type: "account", version: 2, limits },
  });
  const systemToken = token(operator, {
    name: "sys",
    sub: system.getPublicKey(),
    nats: { type: "account", version: 2, limits: { ...all, imports: -1, exports: -1, conn: -1, leaf: -1 } },
  });
  const userToken = token(account, {
    name: "u",
    sub: user.getPublicKey(),
    nats: { type: "user", version: 2, pub: {}, sub: {}, ...all },
  });
  const creds = join(dir, "user.creds");
  const seed = new TextDecoder().decode(user.getSeed());
  const part = (name: string, text: string): string =>
    `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
  writeFileSync(creds, part("NATS USER JWT", userToken) + part("USER NKEY SEED", seed), { mode: 0o600 });
  return {
    operator: operatorToken,
    account: account.getPublicKey(),
    resolver: accountToken,
    system: { name: system.getPublicKey(), token: systemToken },
    creds,
  };
}

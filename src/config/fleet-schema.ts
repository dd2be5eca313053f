import * as z from "zod";
import { once } from "../contract/once.js";
import { section, setting } from "./setting.js";
import { text } from "./shared-schemas.js";

/** Names that become parts of NATS subjects. */
const fleetName = (max = 64) =>
  z
    .string()
    .regex(
      new RegExp(`^[a-z0-9](?:[a-z0-9_-]{0,${max - 1}})$`),
      `expected 1 to ${max} lower-case letters, digits, _ or -`,
    );

const labels = once(() =>
  z
    .array(z.string().regex(/^[a-z0-9][a-z0-9_.=-]{0,63}$/, "expected a label such as gpu or volume=a"))
    .max(32),
);

/** Where the folder of a workspace comes from, and what becomes of it. */
export const workspaceSourceSchema = once(() =>
  z.strictObject({
    name: z
      .string()
      .regex(/^(?:[a-z0-9_-]|\{user\}|\{session\}){1,64}$/, "expected a name, {user} or {session}")
      .describe("Name of the workspace; {user} and {session} stand for the user's name and the session."),
    template: text().optional().describe("Folder below fleet.templates that a new workspace is copied from."),
    git: text()
      .optional()
      .describe("Repository that a new workspace is cloned from; see fleet.repositories."),
    ref: text().optional().describe("Branch or tag to clone. @default the repository's"),
    atEnd: z
      .enum(["keep", "remove"])
      .optional()
      .describe("What happens to the folder when the session ends. @default keep"),
    labels: labels().optional().describe("Labels that the worker must have. @default none"),
  }),
);

/** Many machines: fronts and workers that find each other over NATS. */
export const fleetSection = once(() =>
  section("Fronts and workers on several machines, connected by NATS. Needs a PostgreSQL database.", {
    nats: setting(
      z.union([z.string().regex(natsUrl, natsFault), z.array(z.string().regex(natsUrl, natsFault)).min(1)]),
      "Address of the NATS server, or of several servers of one cluster. It must have JetStream.",
      { defaultText: "no fleet" },
    ),
    tenant: setting(fleetName(32), "Tenant that the calls belong to. Tenants cannot see each other.", {
      default: "main",
    }),
    workspace: setting(fleetName(), "Workspace of hosts whose endpoint names none.", { default: "main" }),
    labels: setting(labels(), "Labels of this worker, such as gpu; volume=NAME for a shared volume.", {
      default: [],
    }),
    slots: setting(z.int().min(1).max(10_000), "Calls that this worker runs at the same time.", {
      default: 64,
    }),
    credentials: setting(text(), "File with the credentials for NATS (.creds).", { defaultText: "none" }),
    tls: setting(
      z.strictObject({
        ca: text().optional().describe("File with the certificates of the authority (PEM)."),
        cert: text().optional().describe("File with the certificate of this client (PEM)."),
        key: text().optional().describe("File with the key of that certificate (PEM)."),
      }),
      "Encrypt the connection to NATS.",
      { defaultText: "as the address says (tls://)", merge: "whole" },
    ),
    replicas: setting(z.int().min(1).max(5), "Copies of each stream in a NATS cluster.", { default: 1 }),
    maxQueueBytes: setting(z.int().min(1_048_576), "Bytes of calls that may wait; more are refused.", {
      default: 2 ** 30,
    }),
    quotas: setting(
      z.strictObject({
        calls: z.int().min(1).optional().describe("Calls of the tenant that run or wait. @default no limit"),
        callsByPrincipal: z
          .int()
          .min(1)
          .optional()
          .describe("Calls of one user or program that run or wait at a worker. @default no limit"),
        workspaces: z
          .int()
          .min(1)
          .optional()
          .describe("Workspaces of the tenant that are open at once. @default no limit"),
      }),
      "What the tenant may use at most; more is refused.",
      { default: {}, merge: "whole" },
    ),
    templates: setting(text(), "Folder of the worker whose folders new workspaces can be copied from.", {
      defaultText: "none",
    }),
    repositories: setting(
      z.array(text()).max(1000),
      "Repositories that workspaces can be cloned from (globs over their addresses).",
      { default: [] },
    ),
  }),
);

const natsUrl = /^(?:nats|tls|wss?):\/\/\S+$/;
const natsFault = "expected an address such as nats://host:4222";

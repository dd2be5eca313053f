import type { HostPrompt, HostResource, HostResourceTemplate } from "../contract/host.js";
import type { PolicyRule } from "../policy/policy-rule.js";

/* What the server says about the machine that it runs on, and what pages may change; part of `api.ts`. */

/** `GET /api/doctor`: the checks of `tenon doctor`. */
export interface DoctorFinding {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
}

/** `GET /api/configuration`: what is in force and where it comes from; secrets are hidden. */
export interface ConfigurationView {
  /** The strongest first. */
  readonly sources: readonly {
    readonly kind: string;
    readonly file?: string | undefined;
    /** The settings that it has, such as `sandbox.layers.enabled`; the first source with a setting decides. */
    readonly settings?: readonly string[] | undefined;
  }[];
  readonly warnings: readonly string[];
  /** The file that pages add MCP servers to; absent where a program has them. */
  readonly serversFile?: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * `GET /api/mcp-servers/:name/offers`: what a server offers besides tools. `POST …/resource` with `{ uri }` reads a
 * resource, `POST …/prompt` with `{ name, arguments }` fills in a prompt.
 */
export interface McpOffersView {
  readonly resources: readonly HostResource[];
  readonly templates: readonly HostResourceTemplate[];
  /** Named `server__prompt`. */
  readonly prompts: readonly HostPrompt[];
}

/** `POST /api/policy/rules` saves a rule, `PUT /api/policy/rules/:id` replaces a saved one; both answer with its id. */
export type RuleBody = Omit<PolicyRule, "id" | "match" | "notMatch" | "given" | "exact">;

/** `POST /api/plan/tasks/:id/status`. */
export interface TaskStatusBody {
  readonly status: string;
  readonly note?: string | undefined;
}

/** What only the program that started the server knows; absent if the server was started by a library call. */
export interface ServerMachine {
  /** The folder of the user's configuration. */
  readonly configFolder: string;
  doctor(): Promise<readonly DoctorFinding[]>;
  configuration(): Pick<ConfigurationView, "sources" | "warnings">;
}

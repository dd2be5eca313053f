import { attempt } from "../../contract/errno.js";
import type { RuntimeBase } from "../state/runtime-base.js";
import type { WorldPorts } from "../../call/parts.js";
import { visibleSessions } from "../../contract/ownership.js";
import type { Files, PathVerdict } from "../../contract/ports/files.js";
import type { InteractBackend } from "../../contract/ports/interact.js";
import type { WaitingLayers } from "../../contract/ports/layers.js";
import type { Quarantine } from "../../contract/ports/quarantine.js";
import type { CallScope, CallSession } from "../../contract/session.js";
import type { Policy } from "../../policy/create-policy.js";
import type { DocumentFiles } from "../../store/work-scope.js";
import { createWhitelist } from "../../world/files/whitelist.js";
import { createFiles } from "../../world/files-port.js";
import type { Guard } from "../../world/files/guard-types.js";
import { createInteract, type AskOptions } from "../../world/interact/ask-person.js";
import { createCallbackBackend, type InteractCallbacks } from "../../world/interact/callback-backend.js";
import type { SandboxFact } from "../../world/sandbox/sandbox-types.js";
import type { Journal } from "../../world/journal/journal.js";
import type { TenonOptions } from "../tenon-options.js";
import { createGuards, openedByPerson, type Guards } from "./guards.js";
import { createLazyJournal } from "../journal/lazy-journal.js";
import { createLog } from "../log/create-log.js";
import { createNetwork } from "./network.js";
import { createJobRecord } from "../audit/record-job-end.js";
import type { Recorder } from "../../contract/ports/recorder.js";
import { createCommandWorld, type CommandWorld } from "./command-world.js";
import type { LayerDecider } from "./transactions.js";
import { createProgramSandboxes, type ProgramSandboxes } from "./program-sandboxes.js";
import { createRuntimeSandbox } from "./sandbox.js";
import { ToolStore } from "../state/tool-store.js";
import { createWorkAccess, type DocumentOrigin, type WorkAccess } from "../state/work-access.js";
import { randomBytes } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { join, posix } from "node:path";
import { createProgramLauncher } from "../../world/processes/program-launcher.js";
import { createPresetResolver } from "../../world/presets/resolve-presets.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { openStateDir } from "../../store/state-dir.js";
import { type CodeWorld, createCodeWorld } from "../../world/code/code-world.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import type { ChangeOrigin } from "../../contract/ports/journal.js";

export interface WorldOptions extends RuntimeBase {
  readonly options: TenonOptions;
  readonly policy: Policy;
  readonly newId: () => string;
  /** Stored secrets, which no request of a tool may contain. */
  readonly vault: Pick<SecretVault, "handedOut">;
  readonly audit: { readonly recorders: readonly Recorder[] };
}

/** The implementations of the ports, and what the runtime itself uses of them. */
export interface World extends Pick<
  CommandWorld,
  "allJobs" | "connections" | "runningJobs" | "endSession" | "close"
> {
  readonly ports: WorldPorts;
  readonly journal: Journal;
  /** The stores that agents share. */
  readonly work: WorkAccess;
  readonly guardKind: () => Guard["kind"];
  /** What confines commands now. */
  readonly sandboxFacts: () => Promise<readonly SandboxFact[]>;
  /** Changes of commands that were held back. */
  readonly quarantine: Quarantine;
  /** Runs MCP servers and plugins in the sandbox. */
  readonly programs: ProgramSandboxes;
  /** Changes of commands that wait for a decision. */
  readonly layers: (decider: () => LayerDecider) => WaitingLayers;
  readonly checkPath: (path: string, access?: "read" | "write") => PathVerdict;
  /** The same by the text of the path alone. */
  readonly checkText: (path: string, access?: "read" | "write") => PathVerdict;
  readonly backendFor: (session: CallSession) => InteractBackend | undefined;
  /** How the runtime itself asks a person. */
  readonly backend: InteractBackend | undefined;
}

/** Create the ports; each part is created on first use. */
export function createWorld(parts: WorldOptions): World {
  const { options, config, state, clock } = parts;
  const backend = toBackend(options.interact);
  // A session's own backend comes first; the runtime's is used if nobody is available there.
  const backendFor = ({ interact }: CallSession): InteractBackend | undefined =>
    interact?.available() === true ? interact : backend;
  const guards = createGuards(parts);
  const journal = createLazyJournal(parts, () => guards.undo());
  const documentsOf = (origin: DocumentOrigin): DocumentFiles =>
    createDocumentFiles({ dir: config.artifacts.dir, guards, journal, ...origin });
  const work = createWorkAccess({ state, clock, documentsOf });
  const network = createNetwork(config, parts.policy, parts.vault.handedOut);
  const sandbox = createRuntimeSandbox({
    ...parts,
    home: options.home,
    opened: openedByPerson(parts.rules),
    namesOf: guards.names.of,
  });
  const noJobs = options.jobs === false ? "this process ends with its call, and its jobs with it" : undefined;
  const commands = createCommandWorld({
    ...parts,
    guards,
    sandbox,
    judgeHost: network.judgeHost,
    home: options.home,
    onJobEnded: createJobRecord({ ...parts, recorders: parts.audit.recorders }),
    noJobs,
    journal,
    onCommitted(paths) {
      guards.names.renew();
      sandbox.accept(() => paths);
    },
  });
  const code = createRuntimeCode({ ...parts, guards, keepsIndex: options.jobs !== false });
  const checkPath = (path: string, access: "read" | "write" = "read"): PathVerdict =>
    guards.common().check(path, access);
  const checkText = (path: string, access: "read" | "write" = "read"): PathVerdict =>
    guards.common().checkText(path, access);
  const filesFor = (scope: CallScope): Files => {
    const { toolName, callId, taskId, session } = scope;
    return createFiles({
      guard: guards.forCall(toolName, session),
      journal,
      origin: { callId, sessionId: session.id, tool: toolName, ...(taskId !== undefined && { taskId }) },
      sees: visibleSessions(session),
      readable: scope.readable(),
      changeable: (path) => scope.changeable?.(path) ?? true,
      // A command that runs at the same time must not be reported as their author.
      onChanged: (paths) => sandbox.accept(paths),
      signal: () => scope.signal,
      isAborted: () => scope.isAborted,
    });
  };
  const guardOf = (scope: CallScope): Guard => {
    const guard = guards.forCall(scope.toolName, scope.session);
    const readable = scope.readable();
    return readable === undefined ? guard : guard.screen(readable);
  };
  return {
    ports: {
      files: filesFor,
      look: (scope, path) => guardOf(scope).stat(path),
      glance: (scope, path) => guardOf(scope).glance(path),
      processes: (scope) => commands.processes(scope),
      code: (scope) => code.forCall({ files: filesFor(scope), signal: scope.signal }),
      outputs: (scope) => commands.outputs(scope),
      sandbox: () => commands.sandbox(),
      lookForSandbox: () => commands.lookForSandbox(),
      http: (scope) => network.forCall(scope),
      store: (scope) => new ToolStore(state, work, scope),
      interact: (scope) =>
        createInteract({
          backend: backendFor(scope.session),
          timeoutMs: config.approvals.timeoutMs,
          clock,
          pauseClock: () => scope.pauseClock(),
          ...askerOf(scope, parts),
        }),
      log: ({ callId, toolName }) =>
        createLog({
          level: config.tools.perTool[toolName]?.monitoring?.logLevel ?? config.logLevel,
          sink: options.log ?? (() => {}),
          now: clock.now,
          redact: parts.redact,
          fields: { callId, toolName },
        }),
      root: () => guards.common().root,
      namesOf: guards.names.of,
      canonicalPath: (path, isReal) => guards.common().canonical(path, isReal),
      checkPath,
      whitelist: (toolName, session) => createWhitelist(guards.forCall(toolName, session).rules),
      checkHost: (host, isNamed) => network.checkHost(host, isNamed),
    },
    journal,
    work,
    guardKind: () => guards.common().kind,
    sandboxFacts: () => sandbox.facts(),
    quarantine: sandbox.quarantine,
    programs: createProgramSandboxes({
      ...parts,
      sandbox,
      judgeHost: network.judgeHost,
      presets: createPresetResolver({
        home: options.home ?? homedir(),
        workspace: parts.workspace,
        env: parts.env,
      }),
    }),
    layers: (decider) => commands.layers(decider),
    checkPath,
    checkText,
    backendFor,
    backend,
    allJobs: () => commands.allJobs(),
    connections: () => commands.connections(),
    runningJobs: (sessionId) => commands.runningJobs(sessionId),
    endSession: (sessionId) => commands.endSession(sessionId),
    close: async () => {
      await code.close();
      await commands.close();
      await network.close();
    },
  };
}

/** The call that asks, and how its questions are reported. */
function askerOf(
  { callId, rootCallId = callId, toolName, taskId, session }: CallScope,
  { newId, events, redact }: WorldOptions,
): Pick<AskOptions, "asker" | "emit" | "redact"> {
  const root = rootCallId === callId ? {} : { rootCallId };
  return {
    asker: () => ({
      id: newId(),
      callId,
      ...root,
      toolName,
      sessionId: session.id,
      agent: session.agent,
      ...(taskId !== undefined && { taskId }),
      ...(session.clientInfo !== undefined && { client: session.clientInfo }),
    }),
    emit: (name, payload) => events.emit(name, payload),
    redact,
  };
}

function toBackend(interact: InteractBackend | InteractCallbacks | undefined): InteractBackend | undefined {
  if (interact === undefined) return undefined;
  return "available" in interact ? interact : createCallbackBackend(interact);
}

/** Code search over the workspace; its index is stored next to the state, which is not opened for it. */
function createRuntimeCode(options: {
  readonly config: ResolvedConfig;
  readonly guards: Guards;
  readonly stateDir: string;
  /** Whether the process continues after its call. */
  readonly keepsIndex: boolean;
  readonly env: RuntimeBase["env"];
}): CodeWorld {
  const { config, guards, stateDir, keepsIndex, env } = options;
  return createCodeWorld({
    rules: () => guards.commonRules(),
    maxFileSize: config.files.maxFileSize,
    // Without a state directory the index is in memory only.
    indexFile: () => attempt(() => join(openStateDir(stateDir, guards.common().root).dir, "code-index.bin")),
    keepsIndex,
    // For a single search a fork is faster than starting the helper. On other systems neither was measured.
    ...(keepsIndex &&
      process.platform === "linux" && {
        launcher: createProgramLauncher({
          shell: { platform: process.platform, env },
          tempDir: tmpdir(),
          newTagValue: () => randomBytes(9).toString("hex"),
        }),
      }),
  });
}

interface DocumentFilesOptions {
  /** Their folder, as configured. */
  readonly dir: string;
  readonly guards: Guards;
  readonly journal: Journal;
  readonly callId: string;
  readonly tool: string;
  readonly signal?: AbortSignal;
}

/** The session of documents in the journal: an agent's undo covers what its tools edited, not these. */
const documentSession = "documents";

/** The files of documents: the only access of a call to their folder, and to nothing else. */
function createDocumentFiles(options: DocumentFilesOptions): DocumentFiles {
  const { dir, guards, journal, callId, tool, signal } = options;
  const origin: ChangeOrigin = { callId, sessionId: documentSession, tool };
  return {
    pathOf: (iterationId, name) => posix.join(dir, iterationId, `${name}.md`),
    async read(path) {
      const { files } = guards.documents();
      if (files.stat(path) === null) return undefined;
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await files.read(path));
    },
    async write(path, content) {
      const { files, folder } = guards.documents();
      // Not in the journal: an empty folder that is left is not a change.
      await folder.makeDirectory(posix.dirname(path));
      const data = new TextEncoder().encode(content);
      await journal.apply([{ op: "write", path, data }], origin, { guard: files, signal });
    },
  };
}

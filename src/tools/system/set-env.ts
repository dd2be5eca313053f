import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { envKey } from "./env-key.js";

/** Sets an environment variable of the session. */
export const setEnv = defineTool({
  name: "set_env",
  description:
    "Set an environment variable for later commands of this session. Nothing outside the session changes.",
  category: "system",
  annotations: { title: "Set environment variable", idempotent: true },
  examples: [{ arguments: { key: "NODE_ENV", value: "test" } }],
  input: z.object({
    key: envKey.describe("Name of the variable."),
    // The system limits a variable to 128 kB; this many characters always fit.
    value: z.string().max(32_768).describe("The new value."),
  }),
  output: z.object({
    previous: z.string().nullable().describe("The previous value, or null if it was not set."),
  }),
  resources: ({ key }) => ({ writes: [{ env: key }] }),
  checkPermissions: ({ key }) =>
    steersPrograms(key)
      ? { behavior: "ask", message: `${key} can change which code later commands run.` }
      : { behavior: "allow" },
  preview: ({ key, value }) => ({ summary: `Set ${key} to ${JSON.stringify(value)} for this session.` }),
  execute: async ({ key, value }, { env }) => {
    if (value.includes("\0")) throw nulInValue(key);
    const previous = env.set(key, value);
    await env.kept?.();
    return { previous };
  },
  render: ({ previous }, { key }) =>
    previous === null
      ? `Set ${key}; it was not set before.`
      : `Set ${key}; the previous value was ${JSON.stringify(previous)}.`,
});

function nulInValue(key: string): ToolValidationError {
  return new ToolValidationError(`The value for ${key} contains a NUL character.`, {
    code: "VALUE_INVALID",
    hint: "An environment variable cannot contain NUL: remove it or encode the value, for example as Base64.",
    details: { argument: "value" },
  });
}

/**
 * Whether a variable can make other commands load or start different code. With such a variable set, `ls` or `git log`
 * may no longer be harmless, so a person is asked first. This list is only advisory: the sandbox is the protection.
 */
function steersPrograms(key: string): boolean {
  const name = key.toUpperCase();
  return (
    names.has(name) ||
    prefixes.some((prefix) => name.startsWith(prefix)) ||
    suffixes.some((suffix) => name.endsWith(suffix))
  );
}

const whereProgramsAndSettingsAre = "PATH PATHEXT CDPATH HOME COMSPEC ZDOTDIR CLASSPATH GCONV_PATH";
const howShellsStart = "ENV IFS SHELL SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND";
const whatRuntimesLoad =
  "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONBREAKPOINT PYTHONWARNINGS PERL5LIB PERL5OPT PERL5DB PERLLIB " +
  "NODE_OPTIONS NODE_PATH RUBYLIB RUBYOPT GEM_HOME GEM_PATH GOFLAGS GOPATH GOROOT";
const whatProgramsStart = "VISUAL BROWSER LESSOPEN LESSCLOSE MAKEFLAGS RIPGREP_CONFIG_PATH CC CXX";

const names: ReadonlySet<string> = new Set(
  [whereProgramsAndSettingsAre, howShellsStart, whatRuntimesLoad, whatProgramsStart].join(" ").split(" "),
);

const prefixes = "LD_ DYLD_ BASH_ GIT_ SSH_ XDG_ NPM_CONFIG_ YARN_ PIP_ CARGO_ RUSTC MAVEN_ GRADLE_".split(
  " ",
);

const suffixes = ["EDITOR", "PAGER", "ASKPASS", "JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_WRAPPER"];

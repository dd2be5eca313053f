/**
 * Every stable error code, the class that carries it, what happened and what to do about it.
 * `docs/reference/errors.md` is generated from this table and a test keeps the two equal.
 */
export const errorCodes = {
  TOOL_NOT_FOUND: {
    type: "ToolNotFoundError",
    meaning: "No tool of that name, alias or version is visible to the caller.",
    hint: "Use the suggested name, or list the tools that the agent's toolset offers.",
  },
  RESOURCE_NOT_FOUND: {
    type: "ToolResourceNotFoundError",
    meaning: "A file, snippet, memory or other thing that the call names does not exist.",
    hint: "Check the name or path; list what exists.",
  },
  ARGUMENTS_INVALID: {
    type: "ToolValidationError",
    meaning: "The arguments do not match the tool's input schema.",
    hint: "Correct every argument that the message names and call again.",
  },
  ARGUMENTS_UNSAFE: {
    type: "ToolValidationError",
    meaning:
      "The arguments are not plain, bounded JSON: too deep, too large, a forbidden key, a malformed string.",
    hint: "Send plain JSON data within the limits that the message names.",
  },
  REQUEST_INVALID: {
    type: "ToolValidationError",
    meaning: "The request itself is malformed, before any tool was chosen.",
    hint: "Send { name, arguments } with the types of the reference.",
  },
  VALUE_INVALID: {
    type: "ToolValidationError",
    meaning: "An argument has the right type, but a value the tool cannot use.",
    hint: "Change the value as the message says.",
  },
  PLAN_CYCLE: {
    type: "ToolValidationError",
    meaning: "The dependencies would make tasks of the plan wait for each other in a cycle.",
    hint: "First remove one of the dependencies that the message lists.",
  },
  FILE_TOO_LARGE: {
    type: "ToolValidationError",
    meaning: "The file is larger than the configured limit.",
    hint: "Read a range of it, or raise maxFileSize.",
  },
  EDIT_NO_CHANGE: {
    type: "ToolValidationError",
    meaning: "The change would change nothing: the old and the new text are the same (layer 1).",
    hint: "Send a new text that differs from the old one.",
  },
  EDIT_CREATE_EXISTS: {
    type: "ToolValidationError",
    meaning: "The file to create already exists and has content (layer 3).",
    hint: "Read it and edit it, or choose another path.",
  },
  EDIT_NOT_TEXT: {
    type: "ToolValidationError",
    meaning: "The file cannot be edited as text (layer 6).",
    hint: "Use another tool; write_file with encoding base64 writes bytes.",
  },
  EDIT_NOT_EXACT: {
    type: "ToolValidationError",
    meaning:
      "The edit cannot be made without touching other bytes, or a character does not exist in the file's encoding (layer 6).",
    hint: "Change the text as the message says; the file is unchanged.",
  },
  EDIT_OLD_STR_MISSING: {
    type: "ToolValidationError",
    meaning: "The text to replace, or the lines of a hunk, are not in the file (layer 9).",
    hint: "The message shows the nearest text and how it differs; correct the text and call again.",
  },
  EDIT_OLD_STR_AMBIGUOUS: {
    type: "ToolValidationError",
    meaning: "The text to replace, or the lines of a hunk, occur in the file more than once (layer 9).",
    hint: "Add lines around it until it is unique, or set replace_all.",
  },
  ACCESS_DENIED: {
    type: "ToolPermissionError",
    meaning: "A rule of the policy, or the tool's own check, refused the call.",
    hint: "Use another approach, or ask a person to change the rule that the message names.",
  },
  APPROVAL_DENIED: {
    type: "ToolPermissionError",
    meaning: "A person was asked and declined.",
    hint: "Follow the reason in the message; do not repeat the call unchanged.",
  },
  APPROVAL_UNAVAILABLE: {
    type: "ToolPermissionError",
    meaning: "The call needs a person's consent and nobody can be asked.",
    hint: "Run where a person can answer, or add the rule that the hint names.",
  },
  APPROVAL_EXPIRED: {
    type: "ToolPermissionError",
    meaning: "Nobody answered the request for consent in time.",
    hint: "Call again when somebody can answer.",
  },
  CAPABILITY_MISSING: {
    type: "ToolPermissionError",
    meaning: "The tool requires a capability that the agent was not granted.",
    hint: "Grant the capability to the agent, or use another tool.",
  },
  SECURITY_LEVEL: {
    type: "ToolPermissionError",
    meaning: "The tool's security level is above what is allowed to run.",
    hint: "Raise securityLevel in the configuration if this tool should run.",
  },
  NETWORK_REFUSED: {
    type: "ToolPermissionError",
    meaning: "The egress guard refused the address, scheme or redirect.",
    hint: "Use a public http(s) address, or allow the host in the configuration.",
  },
  SECRET_REFUSED: {
    type: "ToolPermissionError",
    meaning: "The name looks like the name of a secret, or a request contains a stored secret.",
    hint: "Allow the name in the configuration if the agent may see it; leave stored secrets to MCP servers.",
  },
  PATH_TRAVERSAL: {
    type: "ToolSecurityError",
    meaning: "The path leaves the folder with '..', or '..' is forbidden here.",
    hint: "Name the file by a path inside the workspace.",
  },
  PATH_OUTSIDE: {
    type: "ToolSecurityError",
    meaning: "The path is outside the workspace and the allowed paths.",
    hint: "Use a path inside the workspace, or add it to allowedPaths.",
  },
  PATH_FORBIDDEN: {
    type: "ToolSecurityError",
    meaning: "The path is forbidden or protected by a rule.",
    hint: "Do not use it, or ask a person to change the rule that the message names.",
  },
  PATH_SYMLINK: {
    type: "ToolSecurityError",
    meaning: "A symbolic link leads outside or to itself, or links are forbidden here.",
    hint: "Use the real path of a file inside the workspace.",
  },
  PATH_INVALID: {
    type: "ToolSecurityError",
    meaning: "The path is malformed (NUL, control characters, too long) or not a regular file or directory.",
    hint: "Use a plain path to a regular file or directory.",
  },
  TIMED_OUT: {
    type: "ToolTimeoutError",
    meaning: "The call exceeded its time limit and was stopped.",
    hint: "Do less in one call, or pass a larger timeoutMs.",
  },
  CANCELLED: {
    type: "ToolCancelledError",
    meaning: "The caller cancelled the call.",
    hint: "Call again if the result is still wanted.",
  },
  EXECUTION_FAILED: {
    type: "ToolExecutionError",
    meaning: "The tool ran and failed.",
    hint: "Read the message; it is the tool's own.",
  },
  SANDBOX_UNAVAILABLE: {
    type: "ToolExecutionError",
    meaning: "The command could not be started in the sandbox.",
    hint: "Run tenon doctor: it says what is missing and how to get it.",
  },
  RESULT_INVALID: {
    type: "ToolExecutionError",
    meaning: "The tool returned something that does not match its output schema, or that is not JSON data.",
    hint: "Report it to the tool's author.",
  },
  FILE_IO: {
    type: "ToolExecutionError",
    meaning: "The operating system refused a file operation.",
    hint: "The message names the system's reason (permissions, space, read-only).",
  },
  FILE_CONFLICT: {
    type: "ToolExecutionError",
    meaning: "The target already exists, is not empty, or was changed by someone else since.",
    hint: "Check the current state (the details may contain a diff) and decide again.",
  },
  EDIT_NOT_READ: {
    type: "ToolExecutionError",
    meaning: "Lines that the change needs have not been read yet in this session (layer 7).",
    hint: "Read the lines that the message names, then call again.",
  },
  EDIT_STALE: {
    type: "ToolExecutionError",
    meaning: "Lines that the change needs have been modified since they were read (layer 8).",
    hint: "Check the difference that the message shows, read the lines again and decide again.",
  },
  NETWORK_FAILED: {
    type: "ToolExecutionError",
    meaning: "The request could not be completed.",
    hint: "Check the address; try again later if it is retryable.",
  },
  INTERACTION_FAILED: {
    type: "ToolExecutionError",
    meaning: "The person could not be asked, or the answer never came.",
    hint: "Continue without the answer, or run where a person can be asked.",
  },
  TOOL_DISABLED: {
    type: "ToolUnavailableError",
    meaning: "The tool, or one that it depends on, is disabled.",
    hint: "Enable it, or use another tool.",
  },
  TOOL_UNHEALTHY: {
    type: "ToolUnavailableError",
    meaning: "The tool failed to start or was disabled after repeated critical errors.",
    hint: "Wait until it is tried again, or use another tool.",
  },
  EXTENSION_REFUSED: {
    type: "ToolPermissionError",
    meaning: "An extension refused the call.",
    hint: "Do what the message asks for, or remove the extension.",
  },
  EXTENSION_FAILED: {
    type: "ToolUnavailableError",
    meaning: "An extension that is required for the call failed or took too long.",
    hint: "Fix or remove the extension that the message names.",
  },
  EXTENSION_INVALID: {
    type: "ToolDefinitionError",
    meaning: "An extension is malformed, or its name is taken.",
    hint: "Correct it as the message says.",
  },
  LOOP_DETECTED: {
    type: "ToolUnavailableError",
    meaning: "The same call failed the same way again and again, and nothing has changed since.",
    hint: "Change the arguments, or what the call reads; details.repeated says what was tried.",
  },
  QUEUE_FULL: {
    type: "ToolUnavailableError",
    meaning: "Too many calls are waiting.",
    hint: "Wait for running calls to end and call again.",
  },
  QUOTA_SPENT: {
    type: "ToolUnavailableError",
    meaning: "The quota of calls is used up.",
    hint: "Wait until the time that the message names, or continue without the tool.",
  },
  RUNTIME_CLOSED: {
    type: "ToolUnavailableError",
    meaning: "Tenon is closed or closing and accepts no new calls.",
    hint: "Create a new Tenon instance.",
  },
  SERVICE_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning: "A service that the tool needs is not configured or was retired.",
    hint: "Configure it as the message says.",
  },
  STATE_CORRUPT: {
    type: "ToolInternalError",
    meaning: "Tenon's state on disk is damaged.",
    hint: "Start Tenon again: the damaged file is set aside under another name; restore a backup if necessary.",
  },
  SECRET_MISSING: {
    type: "ToolUnavailableError",
    meaning: "An MCP server needs a secret that is not stored for this caller.",
    hint: "Store it: tenon secrets set NAME, with --user and --endpoint for one caller.",
  },
  SECRETS_KEY_MISSING: {
    type: "ToolUnavailableError",
    meaning: "There is no usable key to encrypt and decrypt secrets with.",
    hint: "Create one with: tenon secrets key, or set TENON_SECRETS_KEY.",
  },
  SECRETS_KEY_WRONG: {
    type: "ToolUnavailableError",
    meaning: "A stored secret cannot be decrypted with the key in use.",
    hint: "Use the key that it was stored with, or store the secret again.",
  },
  STATE_TOO_NEW: {
    type: "ToolUnavailableError",
    meaning: "A newer Tenon wrote the state; this one cannot read it and left it untouched.",
    hint: "Update Tenon, or use another state directory.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    type: "ToolValidationError",
    meaning: "The idempotency key belongs to another call: the tool or the arguments differ.",
    hint: "Send a new key with a new call, and the same key only with the same tool and arguments.",
  },
  IDEMPOTENCY_KEY_PENDING: {
    type: "ToolUnavailableError",
    meaning: "The call with this idempotency key is still running.",
    hint: "Send it again with the same key later to get its answer.",
  },
  IDEMPOTENCY_FULL: {
    type: "ToolUnavailableError",
    meaning: "As many idempotency keys are in use as the configuration allows.",
    hint: "Send the call without a key, wait until older keys expire, or raise `idempotency.maxKeys`.",
  },
  CALL_INTERRUPTED: {
    type: "ToolExecutionError",
    meaning: "The process that ran the call ended before the call did, so it may have taken effect.",
    hint: "Check the current state before making the call again; `tenon log show` shows what is known.",
  },
  AUDIT_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning: "The record of a call that may change something cannot be written, so the call was not run.",
    hint: "Make room on the disk or make the state directory writable; `tenon doctor` shows the fault.",
  },
  FLEET_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning:
      "The servers that connect the machines of a fleet (NATS, PostgreSQL) cannot be reached, or take no more.",
    hint: "The call was not made. Try again in a few seconds.",
  },
  OUTCOME_UNKNOWN: {
    type: "ToolUnavailableError",
    meaning:
      "A call was sent to a worker of the fleet that did not answer in time, so it may have taken effect.",
    hint: "Make it again with the same idempotency key, or ask for its result before you make it again without one.",
  },
  WORKSPACE_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning: "No worker of the fleet can work in this workspace now.",
    hint: "The message says which worker it waits for; `tenon fleet status` shows all of them.",
  },
  STATE_BUSY: {
    type: "ToolUnavailableError",
    meaning: "Another process held a lock in the state for too long.",
    hint: "Try again; the message names the process that holds it.",
  },
  STATE_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning: "The state directory, or the database server, cannot be used.",
    hint: "The message names the reason (permissions, space, read-only, no connection, a wrong password).",
  },
  INTERNAL: {
    type: "ToolInternalError",
    meaning: "An internal error of Tenon or an extension.",
    hint: "Report it with the message.",
  },
  NAME_EMPTY: {
    type: "ToolDefinitionError",
    meaning: "The tool has no name.",
    hint: "Give it a name of letters, digits, _ . : / or -.",
  },
  NAME_INVALID: {
    type: "ToolDefinitionError",
    meaning: "The name, an alias or the version is malformed or reserved.",
    hint: "Use 1 to 128 letters, digits, _ . : / or -; versions follow semver.",
  },
  DESCRIPTION_EMPTY: {
    type: "ToolDefinitionError",
    meaning: "The tool has no description.",
    hint: "Describe in a sentence what the tool does: models choose by it.",
  },
  NAME_TAKEN: {
    type: "ToolDefinitionError",
    meaning: "Another tool has that name, alias or version, or one that looks the same.",
    hint: "Choose another name or version, or use replace.",
  },
  REQUIRED_UNDEFINED: {
    type: "ToolDefinitionError",
    meaning: "The schema requires a property that it does not define.",
    hint: "Define the property or drop it from required.",
  },
  SCHEMA_INVALID: {
    type: "ToolDefinitionError",
    meaning: "The input or output schema cannot be used.",
    hint: "Correct the schema as the message says.",
  },
  DEPENDENCY_MISSING: {
    type: "ToolDefinitionError",
    meaning: "The tool depends on one that is not registered.",
    hint: "Register it first, or both together.",
  },
  DEPENDENCY_CYCLE: {
    type: "ToolDefinitionError",
    meaning: "Tools depend on each other in a cycle.",
    hint: "Remove one of the dependencies that the message lists.",
  },
  CHAIN_INVALID: {
    type: "ToolDefinitionError",
    meaning: "A chain has steps that cannot work together: a wrong reference, a cycle, a duplicate id.",
    hint: "Correct the step that the message names.",
  },
  CHAIN_REFERENCE_EMPTY: {
    type: "ToolExecutionError",
    meaning: "A step of a chain uses a value that an earlier step did not return.",
    hint: "Use another field, or mark the reference with ? if it may be missing.",
  },
  DEFINITION_INVALID: {
    type: "ToolDefinitionError",
    meaning: "Another part of the definition is wrong.",
    hint: "Correct it as the message says.",
  },
  SERVER_UNAVAILABLE: {
    type: "ToolUnavailableError",
    meaning: "The MCP server that offers the tool cannot be reached now, or no longer offers the tool.",
    hint: "Call again after the time that the message names; `tenon mcp-servers list` shows what went wrong.",
  },
  LOGIN_NEEDED: {
    type: "ToolUnavailableError",
    meaning: "The MCP server requires a login, and there is none or it has expired.",
    hint: "Log in with `tenon mcp-servers login NAME`.",
  },
  VISIT_NEEDED: {
    type: "ToolUnavailableError",
    meaning: "The MCP server requires a person to open an address before it answers.",
    hint: "Give the address in the message to the person, and call again when they are done.",
  },
  DEFINITION_HELD: {
    type: "ToolUnavailableError",
    meaning: "The MCP server changed the definition of the tool after it was accepted.",
    hint: "Ask a person to review the change and accept it with `tenon mcp-servers accept NAME TOOL`.",
  },
  PLUGIN_NOT_FOUND: {
    type: "ToolDefinitionError",
    meaning: "No plugin was found at the path or under the package name.",
    hint: "Correct the path, or install the package with `tenon plugins add`.",
  },
  PLUGIN_INVALID: {
    type: "ToolDefinitionError",
    meaning: "A plugin failed while it was imported or set up, or breaks a rule for plugins.",
    hint: "Fix what the message names; `tenon plugins create` writes a valid plugin.",
  },
  PLUGIN_LOST: {
    type: "ToolUnavailableError",
    meaning: "The process of the plugin that offers the tool ended or stopped answering.",
    hint: "Call again: it is restarted. `tenon plugins list` shows what went wrong.",
  },
  POLICY_INVALID: {
    type: "ToolDefinitionError",
    meaning: "A rule of the policy is malformed, or contradicts its own examples.",
    hint: "Correct the rules that the message names.",
  },
  TRANSITION_ILLEGAL: {
    type: "ToolDefinitionError",
    meaning: "The life cycle does not allow that change of state.",
    hint: "See docs/reference/lifecycle.md for the legal transitions.",
  },
} as const satisfies Record<string, { type: string; meaning: string; hint: string }>;

/** A stable word for what went wrong. */
export type ErrorCode = keyof typeof errorCodes;

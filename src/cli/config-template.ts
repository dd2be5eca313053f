/** A configuration in which everything is commented out: it changes nothing until a line is. */
export const configTemplate = `# Settings of Tenon for this workspace. Everything here is commented out: remove "# " from what you want.
# All settings: tenon's docs/reference/configuration.md. Check this file with: tenon doctor
# Until you trust it (tenon trust), this file can only restrict, not allow.

# What runs without asking you: read-only, ask (the default), auto (changes that can be undone, and commands
# that the sandbox holds), or unattended (nobody is asked; what would ask is denied).
# mode: ask

# The tools that agents see: all, coding, readonly, planning, or one of your own below "toolsets".
# toolset: coding

# Rules, the first that matches decides: allow, ask or deny by tool, path, command and host.
# policy:
#   rules:
#     - decision: allow
#       tool: shell_exec
#       command: npm test
#     - decision: deny
#       path: "migrations/**"
#       reason: Ask the database team.

# Paths that no tool and no command may touch, and folders outside the workspace that they may use.
# files:
#   forbiddenPaths: ["secrets/**"]
#   allowedPaths: ["~/shared-notes"]

# MCP servers whose tools Tenon offers, with the same checks. Also: tenon mcp-servers add NAME -- COMMAND
# mcpServers:
#   files:
#     command: npx
#     args: ["-y", "@modelcontextprotocol/server-filesystem", "."]

# Your own tools, as files or packages. Also: tenon plugins create DIR
# plugins:
#   - ./tools/my-plugin.ts

# Limits of tools.
# tools:
#   timeout: 30000 # milliseconds
#   maxConcurrent: 10

# Write what happens to a file, from this level on: debug, info, warn or error.
# logLevel: info
# logging:
#   file: ~/tenon.log
#   pretty: true
`;

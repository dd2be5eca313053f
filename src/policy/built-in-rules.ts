import type { PolicyRule } from "./policy-rule.js";

/**
 * What may not be written below the workspace by default, because something runs it later without
 * being asked: a shell, git, an editor, an agent host, Tenon itself.
 */
export const protectedPathGlobs: readonly string[] = Object.freeze([
  "**/.git/**",
  "**/.gitconfig",
  "**/.gitmodules",
  "**/.husky/**",
  "**/.tenon/**",
  "**/tenon.config.*",
  "**/.{profile,login,logout,inputrc,xprofile,xinitrc,xsession,xsessionrc}",
  "**/.bash{rc,_profile,_login,_logout,_aliases}",
  "**/.z{shrc,shenv,profile,login,logout}",
  "**/.{cshrc,tcshrc,kshrc,mkshrc}",
  "**/.config/fish/**",
  "**/.config/powershell/**",
  "**/Microsoft.PowerShell_profile.ps1",
  "**/.ripgreprc",
  "**/.vscode/**",
  "**/*.code-workspace",
  "**/.idea/**",
  "**/.fleet/**",
  "**/.zed/**",
  "**/.{vimrc,nvimrc,exrc,gvimrc,nvim.lua,dir-locals.el}",
  "**/.cursor/**",
  "**/.claude/**",
  "**/.codex/**",
  "**/.gemini/**",
  "**/.windsurf/**",
  "**/.mcp.json",
  "**/.helix/**",
  "**/.vim/**",
  "**/.nvim/**",
  "**/.emacs.d/**",
  "**/.{emacs,Rprofile,irbrc,pryrc,gdbinit,lldbinit,pythonrc.py}",
  "**/.{kiro,roo,continue,amazonq,opencode}/**",
]);

/** What is written only with consent, in `auto` mode too: it decides what a later install, build or start runs. */
export const carefulPathGlobs: readonly string[] = Object.freeze([
  "**/.npmrc",
  "**/.yarnrc",
  "**/.yarnrc.yml",
  "**/.yarn/**",
  "**/.pnpmfile.{js,cjs,mjs}",
  "**/bunfig.toml",
  "**/.{pypirc,condarc,gemrc}",
  "**/{pip.conf,pip.ini}",
  "**/.cargo/{config,config.toml}",
  "**/.bundle/config",
  "**/.mvn/{extensions.xml,maven.config,jvm.config}",
  "**/.envrc",
  "**/{.mise,mise}.toml",
  "**/.gitattributes",
  "**/.pre-commit-config.yaml",
  "**/lefthook.{yml,yaml,toml,json}",
  "**/.devcontainer/**",
  "**/.devcontainer.json",
  "**/.github/{workflows,actions}/**",
  "**/.gitlab-ci.yml",
  "**/.circleci/**",
  "**/.{gitea,forgejo}/workflows/**",
  "**/.{buildkite,woodpecker}/**",
  "**/.{travis,drone,woodpecker,cirrus,appveyor}.yml",
  "**/{azure-pipelines,bitbucket-pipelines,appveyor}.yml",
  "**/Jenkinsfile",
]);

/** The rules that Tenon comes with; what no rule matches is decided by the tool's annotations. */
export const builtInRules: readonly PolicyRule[] = Object.freeze([
  {
    id: "built-in:protected-write",
    decision: "deny",
    path: protectedPathGlobs,
    access: "write",
    reason: "it is run or obeyed later by other programs, so it is protected from changes",
  },
  {
    id: "built-in:careful-write",
    decision: "ask",
    path: carefulPathGlobs,
    access: "write",
    reason: "it decides what later installs, builds or starts run",
  },
] satisfies PolicyRule[]);

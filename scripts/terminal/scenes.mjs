// What the pictures of docs/guide/terminal.md show: lines typed at a prompt, one picture for each list. A line with
// `keys` is answered: each list of keys is sent once its text is on the screen. One with `until` is typed and not entered.
const task = "tenon call write_file path=plan.md content=plan --task demo --mode auto";
const yes = [{ text: "Allow this call?", keys: ["Up", "Up", "Up", "Up", "Enter"] }];

export const scenes = {
  doctor: ["tenon doctor"],
  init: ["tenon init", "head -12 tenon.config.yml"],
  tools: ["tenon tools grep", "tenon tools stats"],
  call: [
    "tenon call current_time timezone=Asia/Shanghai",
    "tenon call read_file notes.md",
    "tenon call read_fil notes.md",
  ],
  consent: [{ line: "tenon call write_file path=shopping.md content=bread", keys: yes }],
  undo: ["tenon log --limit 2", "tenon undo --last --yes"],
  log: [task, "tenon log --task demo", "tenon log show 9", "tenon log verify"],
  agent: ['tenon agent "What do I have to buy?" --model demo --base-url $MODEL_URL'],
  prompt: ["tenon prompt --tool current_time"],
  mcp: ["tenon mcp install cursor --yes", "cat ~/.cursor/mcp.json"],
  serve: [{ line: "tenon serve --port 7421", keys: [{ text: "/mcp", keys: ["C-c"] }] }],
  "mcp-servers": [
    {
      line: "tenon mcp-servers add tiny -- node tiny-mcp-server.mjs",
      keys: [{ text: "Allow it to use this?", keys: ["Enter"] }],
    },
    "tenon mcp-servers list",
    "tenon mcp-servers test tiny",
  ],
  plugins: ["tenon plugins create hello", "tenon plugins list"],
  policy: [
    "tenon policy explain write_file path=shopping.md content=bread",
    "tenon policy allow --tool write_file --path shopping.md",
    "tenon policy list",
    "tenon approvals",
  ],
  trust: ["echo 'mode: auto' >tenon.config.yml", "tenon tools stats", "tenon trust"],
  quarantine: [
    "tenon call shell_exec command='python3 hook.py' --mode auto",
    "tenon layers list",
    "tenon quarantine list",
  ],
  layers: ["tenon call shell_exec command='date >now.txt' dry_run=true --mode auto", "tenon layers list"],
  replay: ["tenon replay demo --mode auto"],
  reflect: ["tenon reflect demo"],
  memory: [
    "tenon call save_insight title=milk content='Milk is bought on Fridays.' --mode auto",
    "tenon memory milk",
    "tenon plan",
    "tenon snippets",
  ],
  state: ["tenon state backup backup.db", "tenon state export | wc -l"],
  users: [
    "tenon users add mia --role approver",
    "tenon users list",
    "tenon tokens create laptop --user mia",
    "tenon tokens list",
    "tenon endpoints list",
    "tenon secrets list",
  ],
  fleet: ["tenon worker --help", "tenon fleet --help"],
  completion: [
    "source <(tenon completion bash)",
    { line: "tenon mcp-servers ", until: "logout", keys: [{ text: "mcp-servers", keys: ["Tab", "Tab"] }] },
  ],
};

import { baseName } from "../words/paths.js";

/** Names of scripts that start something and keep it running. */
const lasting =
  /^(?:dev|start|serve|server|watch|preview|develop|storybook|(?:dev|start|serve|watch):.*|.*:watch)$/;

/** Programs that run until they are stopped, whatever their arguments. */
const always = new Set(
  (
    "uvicorn gunicorn hypercorn daphne webpack-dev-server nodemon ts-node-dev live-server http-server json-server watch " +
    "rackup unicorn puma pm2-runtime ngrok cloudflared http.server SimpleHTTPServer watchman-wait inotifywait jupyter-lab jupyter-notebook"
  ).split(" "),
);

/** Programs that do so with one of these as the first word. */
const verbs: Readonly<Record<string, RegExp>> = {
  next: /^(?:dev|start)$/,
  nuxt: /^(?:dev|start|preview)$/,
  nuxi: /^(?:dev|preview)$/,
  astro: /^(?:dev|preview)$/,
  remix: /^dev$/,
  gatsby: /^(?:develop|serve)$/,
  ng: /^serve$/,
  nx: /^serve$/,
  turbo: /^dev$/,
  expo: /^start$/,
  wrangler: /^dev$/,
  netlify: /^dev$/,
  vercel: /^dev$/,
  storybook: /^dev$/,
  "react-scripts": /^start$/,
  "vue-cli-service": /^serve$/,
  "browser-sync": /^start$/,
  webpack: /^serve$/,
  parcel: /^(?:serve|watch|(?!build|help|--).*\.html?)$/,
  tsx: /^watch$/,
  vitest: /^(?:watch|dev)$/,
  flask: /^run$/,
  fastapi: /^(?:dev|run)$/,
  streamlit: /^run$/,
  jupyter: /^(?:lab|notebook)$/,
  mkdocs: /^serve$/,
  hugo: /^(?:server|serve)$/,
  jekyll: /^serve$/,
  rails: /^(?:s|server)$/,
  foreman: /^start$/,
  mix: /^phx\.server$/,
  trunk: /^serve$/,
  dotnet: /^watch$/,
  symfony: /^(?:serve|server:start)$/,
  caddy: /^run$/,
  firebase: /^(?:serve|emulators:start)$/,
  minikube: /^tunnel$/,
  kubectl: /^(?:port-forward|proxy)$/,
  celery: /^(?:worker|beat)$/,
};

/** The service that the words of a command start and that never ends by itself, if they do. */
export function blockingService(words: readonly string[]): string | undefined {
  if (!candidates.has(baseName(words[0] ?? ""))) return undefined;
  const [program = "", ...args] = runner(words);
  const name = baseName(program);
  if (args.some((word) => /^(?:--help|-h|--version)$/.test(word))) return undefined;
  const found =
    always.has(name) || verbs[name]?.test(args[0] ?? "") === true || special.get(name)?.(args) === true;
  return found ? words.slice(0, 6).join(" ") : undefined;
}

/** Remove wrappers that only start another program. */
function runner(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined) return words;
  if (/^(?:npx|bunx|pnpx)$/.test(first)) {
    const started = words.findIndex((word, at) => at > 0 && !word.startsWith("-"));
    return started < 0 ? words : runner(words.slice(started));
  }
  if (/^(?:npm|pnpm|yarn)$/.test(first) && /^(?:exec|dlx|x)$/.test(second))
    return runner(rest.filter((word) => word !== "--"));
  if (/^(?:poetry|pipenv|uv|pdm|hatch|bundle)$/.test(first) && /^(?:run|exec)$/.test(second))
    return runner(rest);
  if (/^python[\d.]*$/.test(first) && second === "-m") return rest;
  return words;
}

type Check = (args: readonly string[]) => boolean;

const scripts: Check = (args) => {
  const [verb = "", script = ""] = args.filter((word) => !word.startsWith("-"));
  return /^run(?:-script)?$/.test(verb) ? lasting.test(script) : verb === "start";
};
const directScripts: Check = (args) =>
  scripts(args) || lasting.test(args.find((word) => !word.startsWith("-")) ?? "");
const has =
  (shape: RegExp): Check =>
  (args) =>
    args.some((word) => shape.test(word));
const composeUp: Check = (args) =>
  args.includes("up") && !has(/^(?:-\w*d|--detach|--wait|--no-start)$/)(args);

const special: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["npm", scripts],
  ...["yarn", "pnpm", "bun"].map((name): [string, Check] => [name, directScripts]),
  ["vite", (args) => !/^(?:build|optimize)$/.test(args[0] ?? "")],
  ["serve", (args) => args.every((word) => !/^-[vh]/.test(word))],
  ["cargo", (args) => args[0] === "watch" || (args[0] === "run" && !args.includes("--"))],
  ["node", has(/^--watch/)],
  ["tsc", has(/^(?:-w|--watch)$/)],
  ["webpack", has(/^(?:-w|--watch)$/)],
  ["rollup", has(/^(?:-w|--watch)$/)],
  ["esbuild", has(/^--(?:watch|serve|servedir)/)],
  ["jest", has(/^--watch(?:All)?$/)],
  ["php", (args) => args.includes("-S") || (args[0] === "artisan" && args[1] === "serve")],
  ...["python", "python3"].map((name): [string, Check] => [
    name,
    (args) => (args[0] ?? "").endsWith("manage.py") && args[1] === "runserver",
  ]),
  ["tail", has(/^(?:-\w*[fF]\w*|--follow.*|--retry)$/)],
  ["journalctl", has(/^(?:-\w*f|--follow)$/)],
  [
    "docker",
    (args) =>
      args[0] === "compose" ? composeUp(args) : args[0] === "logs" && has(/^(?:-\w*f|--follow)$/)(args),
  ],
  ["docker-compose", composeUp],
  [
    "kubectl",
    (args) => has(/^(?:-w|--watch)$/)(args) || (args[0] === "logs" && has(/^(?:-\w*f|--follow)$/)(args)),
  ],
  ["redis-server", (args) => !args.includes("--daemonize")],
  ["mongod", (args) => !args.includes("--fork")],
  ["mvn", has(/^spring-boot:run$/)],
  ...["gradle", "gradlew"].map((name): [string, Check] => [name, has(/^bootRun$/)]),
  ["nginx", has(/daemon off/)],
]);

const runners = "npx bunx pnpx npm pnpm yarn poetry pipenv uv pdm hatch bundle python python3".split(" ");
const candidates = new Set([...always, ...Object.keys(verbs), ...special.keys(), ...runners]);

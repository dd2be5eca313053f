import { readFile } from "node:fs/promises";
import { request as ask } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer } from "vite";

/** `tenon serve` puts this element into the page of a one-time link: the page proves itself with what it holds. */
const secretElement = /<meta name="tenon-page-secret"[^>]*>/;

/** Opens the link of the restarted server in the page that is looked at; other tabs share its session. */
const followRestarts = `import.meta.hot.on("tenon:restarted", ({ link }) => {
  if (!document.hidden) location.replace(link + location.hash);
});`;

/**
 * Serve the console from its sources with hot reload; everything else goes to `tenon serve`. Requests are passed on as
 * they are, so sign-in and the checks of host and origin are those of production.
 * @param {{ root: string, target: string, port?: number }} settings
 */
export async function startConsole({ root, target, port = 7421 }) {
  const folder = join(root, "console");
  const vite = await createServer({
    root: folder,
    configFile: join(folder, "vite.config.ts"),
    base: "/",
    logLevel: "warn",
    server: {
      host: "127.0.0.1",
      port,
      // No page of another port may read what this server tells its own pages.
      cors: false,
      proxy: Object.fromEntries(["/api", "/mcp", "/metrics", "/health"].map((path) => [path, { target }])),
    },
    plugins: [entryPage(folder, target), restartFollower()],
  });
  await vite.listen();
  const own = vite.resolvedUrls?.local[0] ?? `http://127.0.0.1:${port}/`;
  return {
    /** The one-time link by way of this server. */
    linkTo(link) {
      const { pathname, search } = new URL(link);
      return new URL(pathname + search, own).href;
    },
    /** Let the open page sign in again: a restart signs everybody out. */
    follow(link) {
      const { pathname, search } = new URL(link);
      vite.ws.send("tenon:restarted", { link: pathname + search });
    },
    close: () => vite.close(),
  };
}

/** Answers one-time links with the page from the sources, signed in by `tenon serve`. */
function entryPage(folder, target) {
  const enter = async (vite, request, response) => {
    const answer = await passOn(new URL(request.originalUrl, target), request.headers);
    const secret = secretElement.exec(answer.body)?.[0];
    if (secret === undefined) {
      response.writeHead(answer.status, { "content-type": answer.headers["content-type"] }).end(answer.body);
      return;
    }
    const source = await readFile(join(folder, "index.html"), "utf8");
    const page = await vite.transformIndexHtml("/", source.replace("<head>", `<head>${secret}`));
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "set-cookie": answer.headers["set-cookie"],
      })
      .end(page);
  };
  return {
    name: "tenon-entry-page",
    configureServer(vite) {
      vite.middlewares.use("/enter", async (request, response, next) => {
        try {
          await enter(vite, request, response);
        } catch (error) {
          next(error);
        }
      });
    },
  };
}

function restartFollower() {
  const id = "virtual:tenon-dev";
  return {
    name: "tenon-restart-follower",
    resolveId: (wanted) => (wanted === id ? `\0${id}` : undefined),
    load: (wanted) => (wanted === `\0${id}` ? followRestarts : undefined),
    transformIndexHtml: () => [{ tag: "script", attrs: { type: "module", src: `/@id/${id}` } }],
  };
}

/** The same request to `tenon serve`; `fetch` would change the Host header. */
function passOn(url, headers) {
  return new Promise((resolve, reject) => {
    const { "accept-encoding": _, ...rest } = headers;
    ask(url, { headers: rest }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      );
    })
      .once("error", reject)
      .end();
  });
}

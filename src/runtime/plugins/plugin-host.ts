import { ownVersion } from "../../contract/own-version.js";
import { endWithGroup, endWithParent } from "../../plugin/host/end-with-parent.js";
import { runHost } from "../../plugin/host/run-host.js";
import { acceptPluginTool } from "./accept-plugin-tool.js";
import { pluginPackages } from "./plugin-files.js";

/** The program that runs one plugin. */
function main(): void {
  endWithParent();
  const write = process.stdout.write.bind(process.stdout);
  // Standard output carries messages: what the plugin prints goes to standard error.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.stdout.on("error", endWithGroup);
  process.stderr.on("error", () => undefined);
  process.on("uncaughtException", (error) => {
    process.stderr.write(`uncaught: ${error instanceof Error ? error.stack : String(error)}\n`, () =>
      process.exit(1),
    );
  });
  const [, , file] = process.argv;
  runHost({
    stdin: process.stdin,
    write,
    accept: acceptPluginTool,
    packages: pluginPackages(),
    file,
    cwd: process.cwd(),
    version: ownVersion,
    exit: endWithGroup,
  });
}

main();

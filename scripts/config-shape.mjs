// The shape of the configuration, for the build: what src/config/config-shape.ts would otherwise make at every start.
import { rolldown } from "rolldown";

/** @param {string} root The folder of the package. @returns {Promise<string>} JSON. */
export async function readConfigShape(root) {
  const bundle = await rolldown({ cwd: root, platform: "node", input: "src/config/config-shape.ts" });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  const code = Buffer.from(output[0].code).toString("base64");
  const { configShape } = await import(`data:text/javascript;base64,${code}`);
  return JSON.stringify(configShape());
}

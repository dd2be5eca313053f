// Bundles the declarations that tsc wrote into dist/types to one self-contained file for each entry of the package.
import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/**
 * @param {string} root The folder of the package.
 * @param {readonly string[]} entries Names of the files in dist/types, without `.d.ts`; the first has all types that the others share.
 */
export async function bundleTypes(root, entries) {
  const [main = ""] = entries;
  for (const entry of entries) {
    const bundle = await rolldown({
      cwd: root,
      input: { [entry]: `${root}/dist/types/${entry}.d.ts` },
      plugins: [
        ...(entry === main ? [] : [typesOfMain(`./${main}.js`)]),
        dts({ dtsInput: true, tsconfig: false }),
        withoutFileNames,
      ],
      external: (id) => !id.startsWith(".") && !id.startsWith("/"),
      // Nearly all of its time is the plugin's, which is told as a warning on a slow machine.
      checks: { bundlerTimings: false },
    });
    await bundle.write({ dir: `${root}/dist`, format: "esm" });
    await bundle.close();
  }
  rmSync(`${root}/dist/types`, { recursive: true });
}

/** What a further entry takes from other folders is imported from the main one: a class declared twice would be two types. */
const typesOfMain = (id) => ({
  name: "types-of-main",
  resolveId: (source) => (source.startsWith("../") ? { id, external: true } : undefined),
});

/** The bundler says above each part which file it came from, by a path that depends on the machine. */
const withoutFileNames = {
  name: "without-file-names",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      file.code = file.code?.replaceAll(/^\/\/(?:#(?:end)?region)? .*\n/gm, "");
  },
};

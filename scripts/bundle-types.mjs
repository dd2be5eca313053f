// Bundles the declarations that tsc wrote into dist/types to one self-contained file for each entry of the package.
import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/**
 * @param {string} root The folder of the package.
 * @param {readonly string[]} entries Names of the files in dist/types, without `.d.ts`.
 */
export async function bundleTypes(root, entries) {
  const input = Object.fromEntries(entries.map((name) => [name, `${root}/dist/types/${name}.d.ts`]));
  const bundle = await rolldown({
    cwd: root,
    input,
    plugins: [dts({ dtsInput: true, tsconfig: false }), withoutFileNames],
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  });
  await bundle.write({ dir: `${root}/dist`, format: "esm", chunkFileNames: "types-[name].d.ts" });
  await bundle.close();
  rmSync(`${root}/dist/types`, { recursive: true });
}

/** The bundler says above each part which file it came from, by a path that depends on the machine. */
const withoutFileNames = {
  name: "without-file-names",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      file.code = file.code?.replaceAll(/^\/\/(?:#(?:end)?region)? .*\n/gm, "");
  },
};

// What lies in the workspace of the demo.
export const files = {
  "README.md":
    "# Orchard\n\nCounts what the trees give, and says when to pick.\n\n- `src/harvest.ts` adds up\n- `data/` has one file a year\n",
  "src/harvest.ts": `export interface Tree {
  readonly kind: "apple" | "pear";
  readonly kilos: number;
}

/** What all trees of a kind gave. */
export function total(trees: readonly Tree[], kind: Tree["kind"]): number {
  let sum = 0;
  for (const tree of trees) if (tree.kind === kind) sum += tree.kilos;
  return sum;
}
`,
  "src/season.ts":
    "export const seasons = ['spring', 'summer', 'autumn', 'winter'] as const;\n// TODO: leap years\n",
  "data/2025.csv": "month,apples,pears\nAugust,120,12\nSeptember,181,55\nOctober,111,30\n",
  "data/2026.csv": "month,apples,pears\nAugust,98,20\nSeptember,204,61\n",
  "docs/plan.md": "# Plan\n\nPick in September.\n",
  "watch.sh": 'for n in $(seq 1 400); do echo "tree $n: $((n * 7 % 31)) kg"; sleep 0.5; done\n',
  "install.py":
    'open(".git/hooks/pre-commit", "w").write("npm test\\n")\nopen("build/kept.txt", "w").write("kept\\n")\n',
  "secrets/api.key": "not for agents\n",
};

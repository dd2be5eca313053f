/** Tools whose hosts a command may name by the tool. */
export const presetNames = [
  "npm",
  "pip",
  "git",
  "cargo",
  "go",
  "maven",
  "gradle",
  "gem",
  "composer",
  "apt",
] as const;

export type PresetName = (typeof presetNames)[number];

export const scenes: Readonly<Record<string, readonly unknown[]>>;

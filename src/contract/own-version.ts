declare const __TENON_VERSION__: string | undefined;

/** The version of Tenon; it is only known once the package is built. */
export const ownVersion = typeof __TENON_VERSION__ === "string" ? __TENON_VERSION__ : "0.0.0";

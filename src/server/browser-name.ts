/** The browser that a `User-Agent` names, such as "Chrome on Linux"; only fixed words, never its own text. */
export function browserName(userAgent: string | undefined): string {
  const text = userAgent ?? "";
  const browser = nameIn(browsers, text) ?? "Unknown browser";
  const system = nameIn(systems, text);
  return system === undefined ? browser : `${browser} on ${system}`;
}

type Names = readonly (readonly [RegExp, string])[];

// The order counts: Edge and Opera call themselves Chrome as well, and Chrome calls itself Safari.
const browsers: Names = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\b(?:Headless)?Chrom(?:e|ium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^(?:node|undici)/i, "Node.js"],
];

const systems: Names = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

function nameIn(names: Names, text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}

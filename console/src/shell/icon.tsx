import type { Page } from "../route.js";

const paths: Record<Page | "menu" | "sun" | "moon" | "bell" | "globe" | "leave", string> = {
  live: "M2 8h3l2-5 3 10 2-5h2",
  approvals: "M8 1.5l5.5 2v4c0 3.5-2.4 5.8-5.5 7-3.1-1.2-5.5-3.5-5.5-7v-4zM5.5 8l2 2 3.5-4",
  tools:
    "M10 2a3.5 3.5 0 0 0-3.3 4.7L2 11.4 4.6 14l4.7-4.7A3.5 3.5 0 0 0 14 6l-2.2 1.2-2-2L11 2.7A3.5 3.5 0 0 0 10 2z",
  metrics: "M2 14V2M2 14h12M5 11V8M8 11V5M11 11V7",
  log: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3",
  changes: "M9 2H4v12h8V5zM9 2v3h3M6 9h4M8 7v4M6 12.5h4",
  plan: "M2 3h5v4H2zM9 9h5v4H9zM4.5 7v4H9",
  mcp: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01",
  jobs: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3",
  network: "M8 2.5v4M8 6.5H3.5v3M8 6.5h4.5v3M6.5 1h3v3h-3zM2 9.5h3v3H2zM11 9.5h3v3h-3z",
  policy: "M8 2v11M3 5h10M3 5l-1.5 4h3zM13 5l-1.5 4h3zM5 13.5h6",
  menu: "M2 4h12M2 8h12M2 12h12",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M13 3l-1.4 1.4M4.4 11.6L3 13",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  globe:
    "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM1.5 8h13M8 1.5c-4.5 4-4.5 9 0 13M8 1.5c4.5 4 4.5 9 0 13",
  leave: "M9 2H3v12h6M6 8h8M11 5l3 3-3 3",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14h3",
};

/** A small drawing that stands beside a word. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-4 shrink-0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

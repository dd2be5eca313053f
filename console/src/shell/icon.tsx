import { type PageName, pages } from "../pages.js";

const signs = {
  find: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  menu: "M2 4h12M2 8h12M2 12h12",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M13 3l-1.4 1.4M4.4 11.6L3 13",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  globe:
    "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM1.5 8h13M8 1.5c-4.5 4-4.5 9 0 13M8 1.5c4.5 4 4.5 9 0 13",
  leave: "M9 2H3v12h6M6 8h8M11 5l3 3-3 3",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14h3",
};

/** A small drawing that stands beside a word. */
export function Icon({ name }: { readonly name: PageName | keyof typeof signs }) {
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
      <path d={pathOf(name)} />
    </svg>
  );
}

function pathOf(name: PageName | keyof typeof signs): string {
  return name in signs
    ? signs[name as keyof typeof signs]
    : (pages.find((page) => page.name === name)?.icon ?? "");
}

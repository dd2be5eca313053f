import { useText } from "../i18n/use-text.js";
import { usePageTitle } from "../i18n/page-title.js";
import { type PageName, pages } from "../pages.js";
import { hrefOf } from "../route.js";
import { Icon } from "./icon.js";

interface NavigationProps {
  readonly page: PageName | undefined;
  readonly waiting: number;
  readonly onGo?: () => void;
}

/** The pages, at the side of a wide screen. */
export function Sidebar(props: NavigationProps) {
  const t = useText();
  return (
    <nav
      aria-label={t("nav.label")}
      className="hidden w-44 shrink-0 overflow-y-auto border-r border-line bg-panel p-2 md:block"
    >
      <Navigation {...props} />
    </nav>
  );
}

/** The pages by what they are about, with what waits on them. */
export function Navigation(props: NavigationProps) {
  const t = useText();
  return (
    <ul className="flex flex-col gap-0.5">
      {pages.map((entry, at) => (
        <li key={entry.name}>
          {pages[at - 1]?.group !== entry.group && (
            <p className="px-2 pt-2 pb-0.5 text-[11px] text-muted">{t(`nav.group.${entry.group}`)}</p>
          )}
          <PageLink {...props} name={entry.name} />
        </li>
      ))}
    </ul>
  );
}

function PageLink({ page, waiting, onGo, name }: NavigationProps & { readonly name: PageName }) {
  const t = useText();
  const titleOf = usePageTitle();
  return (
    <a
      href={hrefOf(name)}
      onClick={onGo}
      aria-current={name === page ? "page" : undefined}
      className="flex items-center gap-2 rounded px-2 py-1.5 text-muted hover:bg-sunk hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
    >
      <Icon name={name} />
      <span className="flex-1">{titleOf(name)} </span>
      {name === "approvals" && waiting > 0 && (
        <span className="rounded-full bg-warn px-1.5 text-[11px] font-semibold text-panel">
          {waiting}
          <span className="sr-only"> {t("nav.waiting")}</span>
        </span>
      )}
    </a>
  );
}

import { Tabs } from "radix-ui";
import type { ReactNode } from "react";

interface TabViewProps {
  readonly label: string;
  /** The id of the tab that is shown, from the address. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly content: ReactNode }[];
}

/** Several views in the place of one. */
export function TabView({ label, value, onChange, tabs }: TabViewProps) {
  const shown = tabs.some(({ id }) => id === value) ? value : (tabs[0]?.id ?? "");
  return (
    <Tabs.Root value={shown} onValueChange={onChange}>
      <Tabs.List aria-label={label} className="mb-3 flex flex-wrap gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Tabs.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px border-b-2 border-transparent px-3 py-1.5 text-xs font-medium text-muted data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Content key={tab.id} value={tab.id}>
          {tab.content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

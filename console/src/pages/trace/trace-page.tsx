import { choice, text as textParam, useAddress } from "../../address.js";
import { usePageText } from "../../i18n/page-text.js";
import { hrefOf } from "../../route.js";
import { TabView } from "../../ui/tab-view.js";
import { traceText } from "./text.js";
import { TraceList } from "./trace-list.js";
import { TraceView } from "./trace-view.js";

const params = {
  by: choice(["task", "session", "call"] as const, "task"),
  q: textParam(),
  call: textParam(),
  compare: textParam(),
};

/** A task or a session as a tree of its calls, or the list of them. */
export default function TracePage({ id }: { readonly id?: string | undefined }) {
  const text = usePageText(traceText);
  const { values, set } = useAddress("trace", params);
  const { by, q, call, compare } = values;
  if (id !== undefined) {
    return (
      <TraceView
        key={`${by} ${id}`}
        id={id}
        by={by}
        q={q}
        call={call}
        compare={compare}
        onSet={set}
        list={hrefOf("trace", undefined, { by: by === "session" ? by : undefined })}
      />
    );
  }
  const onQuery = (next: string) => set({ q: next }, { replace: true });
  return (
    <TabView
      label={text("by")}
      value={by === "session" ? "session" : "task"}
      onChange={(next) => set({ by: next === "session" ? "session" : "task" })}
      tabs={[
        { id: "task", title: text("tasks"), content: <TraceList by="task" q={q} onQuery={onQuery} /> },
        {
          id: "session",
          title: text("sessions"),
          content: <TraceList by="session" q={q} onQuery={onQuery} />,
        },
      ]}
    />
  );
}

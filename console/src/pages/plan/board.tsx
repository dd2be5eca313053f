import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { PlanView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { PlainText } from "../../text/plain-text.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { planText } from "./text.js";

const columns = ["pending", "in_progress", "blocked", "done", "cancelled"] as const;

type Status = (typeof columns)[number];
type Task = PlanView["tasks"][number];

/** The tasks of the plan by their status; dragged, or moved with the arrow keys. */
export function Board() {
  const text = usePageText(planText);
  const client = useQueryClient();
  const [dragged, setDragged] = useState<string>();
  // In its new column a card is another element: the focus goes with it.
  const [stepped, setStepped] = useState<string>();
  const plan = useApi<PlanView>("/api/plan", { everyMs: 5000 });
  const move = useMutation({
    mutationFn: ({ id, status }: { readonly id: string; readonly status: Status }) =>
      change("POST", `/api/plan/tasks/${encodeURIComponent(id)}/status`, { status }),
    onSettled: () => client.invalidateQueries({ queryKey: ["/api/plan"] }),
  });
  const tasks = plan.data?.tasks ?? [];
  const moveTo = (id: string, status: Status | undefined) => {
    if (status !== undefined) move.mutate({ id, status });
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-muted">{text("boardHelp")}</p>
      <FaultNote fault={plan.error ?? move.error} />
      <p role="status" className="sr-only">
        {move.data !== undefined &&
          move.variables !== undefined &&
          text("moved", { id: move.variables.id, status: text(`status.${move.variables.status}`) })}
      </p>
      {plan.data !== undefined && tasks.length === 0 && <Empty>{text("empty")}</Empty>}
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-5">
        {columns.map((status) => (
          <section
            key={status}
            aria-label={text(`status.${status}`)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={() => dragged !== undefined && moveTo(dragged, status)}
            className="min-h-24 rounded-md border border-line bg-panel p-2 lg:min-h-80"
          >
            <h2 className="mb-1 text-xs font-semibold">{text(`status.${status}`)}</h2>
            <ul className="flex flex-col gap-1">
              {tasks
                .filter((task) => task["status"] === status)
                .map((task) => (
                  <Card
                    key={idOf(task)}
                    task={task}
                    onDrag={setDragged}
                    hasFocus={idOf(task) === stepped}
                    status={status}
                    onMove={(to) => {
                      setStepped(idOf(task));
                      moveTo(idOf(task), to);
                    }}
                  />
                ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

interface CardProps {
  readonly task: Task;
  readonly onDrag: (id: string | undefined) => void;
  readonly status: Status;
  readonly hasFocus: boolean;
  readonly onMove: (status: Status | undefined) => void;
}

function Card({ task, onDrag, status, hasFocus, onMove }: CardProps) {
  const text = usePageText(planText);
  const id = idOf(task);
  const at = columns.indexOf(status);
  return (
    <li>
      <button
        type="button"
        draggable
        autoFocus={hasFocus}
        onDragStart={() => onDrag(id)}
        onDragEnd={() => onDrag(undefined)}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") onMove(columns[at + 1]);
          else if (event.key === "ArrowLeft") onMove(columns[at - 1]);
        }}
        className="w-full cursor-grab rounded border border-line bg-page p-2 text-left text-xs"
      >
        <code className="text-muted">
          <PlainText text={id} line />
        </code>{" "}
        <PlainText text={typeof task["title"] === "string" ? task["title"] : ""} line />
      </button>
      {/* A finger neither drags nor has arrow keys. */}
      <select
        className="field mt-1 hidden w-full text-xs pointer-coarse:block"
        aria-label={text("statusOf", { id })}
        value={status}
        onChange={(event) => onMove(columns.find((column) => column === event.target.value))}
      >
        {columns.map((column) => (
          <option key={column} value={column}>
            {text(`status.${column}`)}
          </option>
        ))}
      </select>
    </li>
  );
}

function idOf(task: Task): string {
  return typeof task["id"] === "string" ? task["id"] : "";
}

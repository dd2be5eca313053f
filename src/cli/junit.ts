import type { ReplayReport } from "../runtime/replay/replay-task.js";

/** A replay as JUnit XML: one test case per call. */
export function toJunit({ taskId, steps, notes }: ReplayReport): string {
  const failures = steps.filter(({ verdict }) => verdict === "different").length;
  const skipped = steps.filter(({ verdict }) => verdict === "skipped").length;
  const seconds = steps.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const cases = steps.map(({ callId, tool, verdict, reason = "", difference = "", durationMs }) => {
    const start = `    <testcase classname="${escape(taskId)}" name="${escape(`${tool} ${callId}`)}" time="${(durationMs / 1000).toFixed(3)}"`;
    if (verdict === "same") return `${start}/>`;
    const inner =
      verdict === "different"
        ? `<failure message="the result differs from the recorded one">${escape(difference)}</failure>`
        : `<skipped message="${escape(reason)}"/>`;
    return `${start}>\n      ${inner}\n    </testcase>`;
  });
  const out = notes.length === 0 ? [] : [`    <system-out>${escape(notes.join("\n"))}</system-out>`];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="tenon replay ${escape(taskId)}" tests="${steps.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}">`,
    ...cases,
    ...out,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** XML allows almost no control characters. */
function escape(text: string): string {
  const whole = text.toWellFormed();
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  const legal = whole.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\u{fffd}");
  return legal.replace(/[&<>"\n]/g, (found) => entities[found] ?? found);
}

// Let a fleet work on real servers while things go wrong, then check that nothing was lost, done twice or told to others.
//
// node scripts/fleet-faults.mjs [--seconds 60 | --once] [--seed N] [--only fault,fault] [--keep], after `npm run build`.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { checkFleet } from "./fleet/check-fleet.mjs";
import { openClients } from "./fleet/clients.mjs";
import { faults } from "./fleet/faults.mjs";
import { openStage } from "./fleet/stage.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string" },
    once: { type: "boolean", default: false },
    clients: { type: "string", default: "6" },
    slack: { type: "string", default: "0" },
    keep: { type: "boolean", default: false },
  },
});
const random = seeded(Number(values.seed));
const names = values.only?.split(",") ?? Object.keys(faults);
const began = performance.now();
// Room for what the programs write: about a quarter of a megabyte a second.
const stage = await openStage({ random, diskMb: 200 + Math.ceil(Number(values.seconds) / 2) });
let over = false;
const clients = openClients({
  fronts: () => stage.fronts.filter(({ isRunning }) => isRunning),
  token: stage.token,
  workspaces: stage.workspaces,
  random,
  isOver: () => over,
  patienceMs: 60_000,
});
const working = clients.run(Number(values.clients));
await pause(2000);
const done = new Map();
const end = performance.now() + Number(values.seconds) * 1000;
/** Each once, in any order, and again as long as there is time. */
let queue = [];
try {
  while (values.once ? done.size < names.length : performance.now() < end) {
    if (queue.length === 0) queue = names.toSorted(() => random() - 0.5);
    const name = queue.pop();
    const at = performance.now();
    await faults[name](stage);
    done.set(name, (done.get(name) ?? 0) + 1);
    console.error(`${((at - began) / 1000).toFixed(1)} s  ${name}  ${Math.round(performance.now() - at)} ms`);
    await pause(500 + random() * 1500);
  }
  over = true;
  await working;
  const logs = await stage.readLogs();
  const problems = [
    ...checkFleet({ ...stage, logs, slackMs: Number(values.slack) }, clients),
    ...stage.foreign().map((subject) => `A message of another tenant was heard: ${subject}`),
  ];
  report(problems);
  process.exitCode = problems.length === 0 ? 0 : 1;
  await stage.close({ keep: values.keep || problems.length > 0 });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  await stage.close({ keep: true });
}

function report(problems) {
  for (const problem of problems.slice(0, 200)) console.error(problem);
  const { tasks, requests } = clients;
  const count = (check) => tasks.filter(check).length;
  const times = requests
    .filter(({ status, wasCarried }) => status === 503 && !wasCarried)
    .map(({ ms }) => ms);
  const refused = times.toSorted((one, other) => one - other);
  const loads = requests.map(({ load }) => load);
  const unknown = requests.filter(({ status }) => status === 504).length;
  console.log(
    `${[...done.values()].reduce((sum, one) => sum + one, 0)} faults (${[...done].map(([name, times]) => `${name} ${times}`).join(", ")}) ` +
      `in ${Math.round((performance.now() - began) / 1000)} s, seed ${values.seed}: ${tasks.length} calls in ${requests.length} requests, ` +
      `${count(({ answer }) => answer?.success === true)} done, ` +
      `${count(({ answer }) => answer?.code === "CALL_INTERRUPTED")} interrupted, ` +
      `${count(({ answer }) => answer?.success === false && answer.code !== "CALL_INTERRUPTED")} failed, ` +
      `${refused.length} requests refused with 503 in ${Math.round(refused[Math.floor(refused.length / 2)] ?? 0)} ms at the median and ${Math.round(refused.at(-1) ?? 0)} ms at most, ` +
      `${unknown} answered with 504 (outcome unknown), ` +
      `slowest request ${Math.round(Math.max(...requests.map(({ ms }) => ms)))} ms, ` +
      `load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)} for each core, ${problems.length} violations.`,
  );
}

/** A small generator of numbers that gives the same ones again for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

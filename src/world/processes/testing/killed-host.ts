// A host that starts processes that are hard to stop, and then waits to be killed.
import { dirname } from "node:path";
import { openCommandFixture } from "./command-fixture.js";

const fixture = openCommandFixture();
const processes = fixture.forCall();
const job = await processes.start({
  command: "setsid sleep 1000 & (trap '' TERM; sleep 1000 >/dev/null 2>&1) & sleep 1000 & echo up; wait",
  readOnly: false,
});
while (!(await processes.output(job.jobId)).stdout.includes("up"))
  await new Promise((resolve) => setTimeout(resolve, 20));
process.stdout.write(`marks ${fixture.tagValues.join(" ")}\nroot ${dirname(fixture.workspace)}\nready\n`);
setInterval(() => {}, 1000);

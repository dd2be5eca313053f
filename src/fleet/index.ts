export { openBus } from "./bus/open-bus.js";
export { createForward } from "./front/forward.js";
export { viewFleet } from "./front/fleet-status.js";
export { Front } from "./front/front.js";
export { openFrontKey } from "./keys.js";
export { openTenantState } from "./open-fleet.js";
export { openFront, type OpenedFront } from "./open-front.js";
export { openWorker } from "./open-worker.js";

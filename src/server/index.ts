export type { BrowserSessionView, EntryLink } from "./api.js";
export { createConsolePerson } from "./console-person.js";
export { openServerRecords, type ServerRecord } from "./server-record.js";
export { isOpenToOthers, startServer, type RunningServer } from "./start-server.js";
export { readToken, refuseSecretFileIn } from "./token.js";

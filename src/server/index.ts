export { createConsolePerson, type ConsolePerson, type ConsolePersonOptions } from "./console-person.js";
export { isOpenToOthers, startServer, type RunningServer, type ServerOptions } from "./start-server.js";
export { readToken } from "./token.js";

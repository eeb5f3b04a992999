export type { Connection, SocketHandlers, SocketLimits } from "./connection.ts";
export type { Refusal } from "./frames.ts";
export { createSocketServer, type SocketServer, type SocketServerOptions } from "./server.ts";

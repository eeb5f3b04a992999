export { chromiumFlags, findChromium, findFirefox, findHeadlessShell } from "./browsers.ts";
export { countTurns, type TurnCounter } from "./count-turns.ts";
export { freePort } from "./free-port.ts";
export { findMosquittoClients, startMosquitto } from "./mosquitto.ts";
export { startPostgres } from "./postgres.ts";
export { startRedis } from "./redis.ts";
export type { Service } from "./service.ts";
export { createTestDatabase, type TestDatabase, testDatabaseUrl, testRedisUrl, uniquePrefix } from "./shared.ts";
export { startStallingRelay } from "./stalling-relay.ts";

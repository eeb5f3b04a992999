// The health check of the image: ends with 0 if a process of Backplane runs here and all that run are ready.
const PORTS = { PLATFORM_PORT: 8790, GATEWAY_PORT: 8795, WATCHDOG_PORT: 8796, VIEWER_PORT: 8770 };
const WITHIN_MS = 3_000;

const ports = Object.entries(PORTS).map(([setting, usual]) => process.env[setting] || usual);
/** The status; undefined where nothing listens. */
const statuses = await Promise.all(
  ports.map((port) =>
    fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(WITHIN_MS) }).then(
      ({ status }) => status,
      (error) => (error.cause?.code === "ECONNREFUSED" ? undefined : 0),
    ),
  ),
);
const running = statuses.filter((status) => status !== undefined);
process.exitCode = running.length > 0 && running.every((status) => status === 200) ? 0 : 1;

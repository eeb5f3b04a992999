/** Of every `backplane gateway …`; 2 is wrong usage or settings, as everywhere. */
export const GATEWAY_EXIT = { ok: 0, notRunning: 1, badSettings: 2, unreachable: 3 } as const;

export const GATEWAY_EXIT_HELP = `Exit codes: 0 done, 1 the gateway is not running or the command failed,
2 wrong usage or settings, 3 the watchdog does not answer.`;

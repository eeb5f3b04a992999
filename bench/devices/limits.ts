/** Fan-out: below what a core of the slower broker can do, and below what a gateway key may send. */
export const SUBSCRIBERS = 10;
export const FAN_OUT_PER_SECOND = 2_000;
export const FAN_OUT_PAYLOAD_BYTES = 100;

/** What a workbench full of sensors sends. */
export const DEVICES = 50;
export const SAMPLES_PER_SECOND = 5_000;

/** A lease may have 20 commands per second. */
export const COMMAND_PAUSE_MS = 60;
export const COMMANDS = 60;
export const STOPS = 20;
export const QUICK_SHARE = 4;

export const HISTORY = { channels: 200, hz: 60, seconds: 10 } as const;
/** Of a core. */
export const MAX_HISTORY_CORES = 0.01;

export const RECORDING = { hz: 60, seconds: 30 } as const;
export const MAX_MCAP_SHARE = 0.5;

/** What a page full of panels shows: 20 channels at 50 Hz. */
export const PAGE = { devices: 20, samplesPerSecond: 1_000, seconds: 8 } as const;
/** Of the main thread's time that mqtt.js takes in the same page. */
export const MAX_PAGE_SHARE = 1 / 25;

/** Lines of 10 minutes at 60 Hz. */
export const PLOT = { series: 8, hz: 60, minutes: 10, seconds: 12 } as const;
/** Of the main thread's time that uPlot takes with all points. */
export const MAX_PLOT_SHARE = 0.12;

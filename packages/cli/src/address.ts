import { runCommand } from "./run.ts";
import { commandSettings } from "./running.ts";

/** `backplane address`: prints where commands look for a process. Returns the exit code. */
export const address = (host: NodeJS.Process, name: "platform" | "gateway" | "watchdog" | "viewer"): Promise<number> =>
  runCommand(host, {}, async ({ out }) => {
    const { baseUrl, gatewayUrl, watchdogPort, viewerUrl } = commandSettings(host);
    const watchdog = `http://localhost:${watchdogPort}`;
    out.line({ platform: baseUrl, gateway: gatewayUrl, watchdog, viewer: viewerUrl }[name]);
    return undefined;
  });

import { keep } from "../../scripts/services/kept.ts";
import { createService, type Service } from "../../scripts/services/service.ts";

const PING_TIMEOUT_MS = 2_000;

type HttpService = { name: string; port: number; command: string; args: readonly string[]; folder: string };

/** Starts a server of another project that answers HTTP, and that a test can stop and start again. */
export async function startHttpService({ name, port, command, args, folder }: HttpService): Promise<Service> {
  const url = `http://127.0.0.1:${port}`;
  const service = createService({
    ...{ name, url, port },
    kept: keep({ command, args: [...args], folder, endSignal: "SIGTERM" }),
    stopSignal: "SIGTERM",
    ping: async () => {
      await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
    },
  });
  await service.start();
  return service;
}

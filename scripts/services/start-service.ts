import { keepComposed } from "./composed.ts";
import { findOrInstall, type Tool } from "./find-or-install.ts";
import { freePort } from "./free-port.ts";
import type { Kept } from "./kept.ts";
import { withProgress } from "./progress.ts";
import { startRelay } from "./relay.ts";
import { createService, type Service } from "./service.ts";

export type Server = {
  tool: Tool;
  urlOf(port: number): string;
  /** The port of a server at the address in the tool's variable, if it names none. */
  usualPort: number;
  stopSignal: NodeJS.Signals;
  /** From the path of its program. */
  keepLocal(path: string, port: number): Kept;
  /** Resolves when the server answers a client. */
  ping(port: number): Promise<void>;
};

/** A new, empty server on loopback; with the tool's variable, a relay to the server that it names. */
export async function startService(
  { tool, urlOf, usualPort, stopSignal, keepLocal, ping }: Server,
  options: { port?: number } = {},
): Promise<Service> {
  const found = await findOrInstall(tool);
  if (found.from === "variable") return startRelay(found.value, usualPort, options.port);
  return withProgress(`Starting ${tool.name}`, async () => {
    const port = options.port ?? (await freePort());
    const isComposed = found.from === "compose";
    const service = createService({
      name: tool.name,
      url: urlOf(port),
      port,
      kept: isComposed ? keepComposed(found.service, port) : keepLocal(found.path, port),
      stopSignal: isComposed ? "SIGTERM" : stopSignal,
      ...(isComposed ? { killSignal: "SIGTERM" } : {}),
      ping: () => ping(port),
    });
    try {
      await service.start();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  });
}

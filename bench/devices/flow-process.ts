import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { DEVICES } from "./limits.ts";
import type { Broker } from "./stage.ts";

/** Samples that flow from a process of their own, until the stack ends. Returns its id. */
export async function startFlow(
  { mqttPort, key }: Broker,
  perSecond: number,
  stack: AsyncDisposableStack,
  devices = DEVICES,
): Promise<number[]> {
  const args = [String(mqttPort), key ?? "", String(perSecond), String(devices)];
  const flow = spawn(process.execPath, [fileURLToPath(new URL("./flow.ts", import.meta.url)), ...args]);
  stack.defer(() => void flow.kill());
  await once(flow.stdout, "data");
  return flow.pid === undefined ? [] : [flow.pid];
}

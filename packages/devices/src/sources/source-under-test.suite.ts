import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TestContext } from "node:test";
import type { JsonObject } from "@backplane/contract/panels";
import { createConnect, createGuard } from "@backplane/kit/guard";
import { findSocketKind, startSocketSimulator } from "@backplane/simulators";
import { until } from "../../../../scripts/testing/until.ts";
import { createModel } from "../model/model.ts";
import { ADAPTERS } from "./adapters.ts";
import { type SourceStatus, startSource } from "./source.ts";

const OWN = { baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790" };

function networkForTest(allow: readonly string[] = ["127.0.0.0/8"]) {
  const guard = createGuard({ allow, ...OWN });
  return { guard, connect: createConnect(guard) };
}

/** Where nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A source with its simulator on a real socket, and a model that takes what it says. */
export async function openSourceForTest(
  t: TestContext,
  { kind, settings = {}, simulate = true }: { kind: string; settings?: JsonObject; simulate?: boolean },
) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const adapter = ADAPTERS.find((one) => one.kind === kind);
  const simulated = findSocketKind(kind);
  if (!adapter || !simulated) throw new Error(`There is no ${kind}.`);
  const simulator = simulate ? await startSocketSimulator({ kind: simulated, port: 0 }) : undefined;
  const model = createModel({ now: Date.now, onFault });
  const statuses: SourceStatus[] = [];
  const source = startSource({
    ...{ name: "bench", adapter, ground: model, network: networkForTest(), now: Date.now, onFault },
    settings: { host: "127.0.0.1", port: simulator?.port ?? (await closedPort()), ...settings },
    onStatus: (status) => void statuses.push(status),
  });
  t.after(async () => {
    source.close();
    model.close();
    await simulator?.[Symbol.asyncDispose]();
    if (faults.length > 0) throw new AggregateError(faults, "faults of the source");
  });
  const isReady = (id = "bench") => model.device(id)?.state === "ready";
  let count = 0;
  return {
    ...{ source, model, statuses, faults, isReady },
    simulator: simulator as Exclude<typeof simulator, undefined>,
    ready: (id?: string) => until("the device is ready", () => isReady(id)),
    /** With an id of its own, unless one is given. */
    command(capability: string, name: string, params: JsonObject = {}, id?: string, device = "bench") {
      count += 1;
      return source.command(device, capability, { id: id ?? `c${count}`, name, params });
    },
  };
}

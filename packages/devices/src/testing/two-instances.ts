import type { TestContext } from "node:test";
import type { Devices } from "@backplane/contract/devices";
import { openBus } from "@backplane/kit/bus";
import { startMosquitto, startStallingRelay, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { type AreaStage, openAreaForTest } from "./area.ts";
import { HomieDevice } from "./homie-device.ts";

export type TwoOptions = Pick<AreaStage, "openDatabase"> & {
  /** The connection of the first to Redis can be cut. */
  isRelayed?: boolean;
};

/** Of the workspace, on a broker outside. */
export const PREFIX = "ada/demo/";

/** Two instances over Redis, with Mosquitto. */
export async function openTwoInstances(t: TestContext, { isRelayed = false, openDatabase }: TwoOptions = {}) {
  const redisUrl = await testRedisUrl();
  const relay = isRelayed ? await startStallingRelay(redisUrl) : undefined;
  const mosquitto = await startMosquitto();
  const urls = relay ? [relay.url] : [];
  const under = await openAreaForTest(
    t,
    {
      name: "two instances",
      ...(openDatabase ? { openDatabase } : {}),
      async openBus() {
        const prefix = uniquePrefix();
        return () => openBus({ url: urls.shift() ?? redisUrl, prefix, now: Date.now, onFault: () => {} });
      },
      mqttUrl: async () => ({
        url: mosquitto.url,
        async close() {
          await mosquitto[Symbol.asyncDispose]();
          await relay?.[Symbol.asyncDispose]();
        },
      }),
    },
    2,
  );
  // The first one that looks holds the devices.
  await under.json<Devices>("", under.first);
  return { ...under, mosquitto, relay };
}

/** With a motor that both see. */
export async function openTwoWithMotor(t: TestContext, options: TwoOptions = {}) {
  const { mosquitto, relay, ...under } = await openTwoInstances(t, options);
  const motor = await HomieDevice.connect(t, { url: mosquitto.url, prefix: PREFIX });
  const isReadyAt = (at: { url: string; socketUrl: string }) => async () =>
    (await under.json<Devices>("", at)).devices[0]?.state === "ready";
  await until("the holder sees it", isReadyAt(under.first));
  await until("the other instance sees it", isReadyAt(under.last));
  return { ...under, motor, mosquitto, relay };
}

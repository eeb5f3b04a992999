import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Service } from "../../scripts/services/index.ts";
import { resume, until } from "../support/processes.ts";
import { fillDisk, noSmallDisks, seenBy } from "../support/small-disk.ts";
import { type Cluster, readyAt } from "./cluster.ts";

export type Fault = { name: string; happen(): Promise<void> };

const AWAY_MS = 6_000;
/** Longer than callers wait for an answer. */
const STOPPED_MS = 25_000;
const MAX_PAUSE_MS = 1_500;

/** Kills in turn, with everything else that goes wrong spread evenly between them. */
export function planFaults(cluster: Cluster, kills: number): Fault[] {
  const targets = [...cluster.platforms, ...cluster.gateways];
  const plan = Array.from({ length: kills }, (_, turn): Fault => {
    const target = targets[turn % targets.length] as (typeof targets)[number];
    const name = turn % targets.length < cluster.platforms.length ? "platform killed" : "gateway killed";
    return {
      name,
      async happen() {
        await wait(randomInt(MAX_PAUSE_MS));
        await target.kill("SIGKILL");
        await target.start();
      },
    };
  });
  const others = otherFaults(cluster);
  const step = (kills + 1) / others.length;
  for (const [index, fault] of others.entries()) plan.splice(Math.round(index * step) + index, 0, fault);
  return plan;
}

function otherFaults(cluster: Cluster): Fault[] {
  const { platforms, gateways, postgres, redis, s3, nginx } = cluster;
  const platform = (index: number) => platforms[index] as (typeof platforms)[number];
  const anyPlatform = () => platform(randomInt(platforms.length));
  return [
    {
      name: "rolling restart",
      async happen() {
        for (const process of [...platforms, ...gateways]) {
          await process.kill("SIGTERM");
          await process.start();
        }
      },
    },
    away("PostgreSQL away", postgres, "stop"),
    away("Redis away", redis, "kill"),
    away("S3 away", s3, "kill"),
    {
      name: "platform stopped",
      async happen() {
        const { pid } = anyPlatform();
        process.kill(pid, "SIGSTOP");
        await wait(STOPPED_MS);
        resume(pid);
      },
    },
    {
      name: "nginx restarted",
      async happen() {
        await nginx.stop();
        await nginx.start();
      },
    },
    {
      name: "disk full",
      async happen() {
        const why = noSmallDisks();
        if (why) return console.log(`    left out: ${why}`);
        const { pid, home } = platform(0);
        using _filler = fillDisk(seenBy(pid, home));
        await wait(AWAY_MS);
      },
    },
    {
      name: "clock ahead",
      async happen() {
        const ahead = anyPlatform();
        process.kill(ahead.pid, "SIGUSR2");
        await Promise.all(platforms.map(tellsClocks));
        await wait(AWAY_MS);
        await ahead.kill("SIGTERM");
        await ahead.start();
      },
    },
  ];
}

const tellsClocks = ({ url }: { url: string }): Promise<void> =>
  until(async () => /The clocks of \d platforms differ by/.test(await readyAt(url)), `${url} tells the clocks`);

const away = (name: string, service: Service, how: "stop" | "kill"): Fault => ({
  name,
  async happen() {
    await service[how]();
    await wait(AWAY_MS);
    await service.start();
  },
});

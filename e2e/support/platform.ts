import { type ProgramOf, type Restartable, startRestartable } from "./restartable.ts";

export const OWNER = { name: "owner", password: "correct horse battery" } as const;

export type RunningPlatform = Restartable & {
  /** At the host name of its own links: a separate origin, and the one for passkeys. */
  readonly pages: string;
};

/** One platform process with a known owner password. */
export async function startPlatform(
  env: NodeJS.ProcessEnv = {},
  wrapper: readonly string[] = [],
  programOf?: ProgramOf,
): Promise<RunningPlatform> {
  const running = await startRestartable({
    name: "platform",
    portSetting: "PLATFORM_PORT",
    wrapper,
    programOf,
    // Several run at a time: those that want devices name a port.
    env: { MQTT_PORT: "off", BACKPLANE_OWNER: OWNER.name, BACKPLANE_OWNER_PASSWORD: OWNER.password, ...env },
  });
  return Object.assign(running, { pages: `http://localhost:${running.port}` });
}

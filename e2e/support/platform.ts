import { type Restartable, startRestartable } from "./restartable.ts";

export const OWNER = { name: "owner", password: "correct horse battery" } as const;

export type RunningPlatform = Restartable & {
  /** By the name that its own links have: an origin of its own, and the one for passkeys. */
  readonly pages: string;
};

/** One platform process; the owner's password is known. */
export async function startPlatform(env: NodeJS.ProcessEnv = {}): Promise<RunningPlatform> {
  const running = await startRestartable({
    name: "platform",
    portSetting: "PLATFORM_PORT",
    env: { BACKPLANE_OWNER: OWNER.name, BACKPLANE_OWNER_PASSWORD: OWNER.password, ...env },
  });
  return Object.assign(running, { pages: `http://localhost:${running.port}` });
}

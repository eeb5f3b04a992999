import { createHttpAccess } from "./client/index.ts";
import { readServerFile } from "./pastes/index.ts";
import type { ViewerAccess } from "./services.ts";

/** The viewer that serves a project on this machine, if one does. */
export async function findViewer(
  project: string,
  fetch: typeof globalThis.fetch,
): Promise<{ access: ViewerAccess; url: string } | undefined> {
  const server = await readServerFile(project);
  return server && { access: createHttpAccess({ ...server, project, fetch }), url: server.url };
}

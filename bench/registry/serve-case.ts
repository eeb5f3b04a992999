import { setTimeout as delay } from "node:timers/promises";
import { type Contestant, compare } from "../harness/compare.ts";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { httpLoad } from "../harness/http-load.ts";
import { nodeServer } from "../harness/node-server.ts";
import type { RunningServer, ServerOptions } from "../harness/server.ts";
import type { Session } from "../harness/session.ts";
import { findNginx, nginxWith } from "./serve-nginx.ts";
import { seedFolder } from "./serve-seed.ts";
import { unchangedLoad } from "./serve-unchanged.ts";
import { installVerdaccio, VERDACCIO_PACKAGE } from "./serve-verdaccio.ts";
import { packagesText } from "./validate-packages.ts";

const PACKAGES = 10_000;
/** About a quarter of a megabyte: with more, verdaccio exceeds the time-out of the load generator. */
const FEWER_PACKAGES = 100;
/** Written once the list has lasted for a while. Then it is compressed, and after a minute a process of nginx ends. */
const [WRITTEN_WITHIN_MS, QUIET_SAMPLES, SAMPLE_MS] = [120_000, 30, 1_000];
const PATH = "/registry/packages.json";

const ours = (folder: string): ServerOptions => ({
  ...nodeServer("registry", new URL("./serve-app.ts", import.meta.url), PATH),
  env: () => ({ SEEDED: folder }),
});
const behindNginx = (folder: string): ServerOptions => ({
  ...nodeServer("registry behind our nginx", new URL("./serve-front.ts", import.meta.url), PATH),
  env: () => ({ SEEDED: folder }),
});

/** The list that repository.json names: package managers read that one. Once nginx has it as a file, and nothing else is done. */
async function namedPath({ url, pids, label }: RunningServer): Promise<string> {
  const { packages } = (await (await fetch(new URL("/registry/repository.json", url))).json()) as Repository;
  const path = new URL(packages.url).pathname;
  const isSentByNginx = async () => {
    const { headers } = await fetch(new URL(path, url), { method: "HEAD" });
    return headers.get("etag")?.includes(packages.sha256) === false;
  };
  for (let waitedMs = 0; !(await isSentByNginx()); waitedMs += SAMPLE_MS) {
    if (waitedMs > WRITTEN_WITHIN_MS) throw new BenchFault(`${label} does not send the list as a file.`);
    await delay(SAMPLE_MS);
  }
  for (let used = 0, before = 0, quiet = 0; quiet < QUIET_SAMPLES; before = used) {
    await delay(SAMPLE_MS);
    used = cpuSeconds(pids());
    quiet = used - before < SAMPLE_MS / 1_000 / 20 ? quiet + 1 : 0;
  }
  return path;
}
type Repository = { packages: { url: string; sha256: string } };

/** packages.json of 10,000 packages, and its 304, compared with nginx serving the same bytes. */
export async function serve(session: Session): Promise<void> {
  const nginx = await findNginx();
  if ("missing" in nginx) session.say([`Registry, serve: ${nginx.missing}`]);
  else await compareWithNginx(session, nginx.program);
}

/** A shorter packages.json compared with the metadata of an npm registry. */
export async function metadata(session: Session): Promise<void> {
  const text = packagesText(FEWER_PACKAGES, "tool");
  const verdaccio = await installVerdaccio(text.length, session.signal);
  if ("missing" in verdaccio) session.say([`Registry, metadata: ${verdaccio.missing}`]);
  else await compareWithVerdaccio(session, verdaccio.server);
}

async function compareWithNginx(session: Session, program: string): Promise<void> {
  // The same length as ours to within a few bytes: only the addresses of archives differ.
  const text = packagesText(PACKAGES, "tool");
  session.progress(`Registry, serve: making ${PACKAGES} packages`);
  await using seeded = await seedFolder(PACKAGES);
  const mine = ours(seeded.folder);
  const peer = nginxWith(program, text);
  const targets = [{ measure: "per CPU-s", peer: peer.label, atLeast: 0.5 }] as const;
  await compare(session, {
    ...{ title: "Registry, packages.json of 10,000 packages", targets },
    ...{ ours: { server: mine }, peers: [{ server: peer }], load: httpLoad({ path: PATH }) },
  });
  const unchanged = (server: ServerOptions): Contestant => ({
    server,
    load: (running: RunningServer) => unchangedLoad(running, PATH),
  });
  await compare(session, {
    ...{ title: "Registry, packages.json unchanged (304)", targets },
    ...{ ours: unchanged(mine), peers: [unchanged(peer)], load: httpLoad({ path: PATH }) },
  });
  const hosted = behindNginx(seeded.folder);
  const front = [{ measure: "per CPU-s", peer: peer.label, atLeast: 0.9 }] as const;
  await compare(session, {
    ...{ title: "Registry behind nginx, packages.json of 10,000 packages", targets: front },
    ours: { server: hosted, load: async (running) => httpLoad({ path: await namedPath(running) }) },
    ...{ peers: [{ server: peer }], load: httpLoad({ path: PATH }) },
  });
  await compare(session, {
    ...{ title: "Registry behind nginx, packages.json unchanged (304)", targets: front },
    ours: { server: hosted, load: async (running) => unchangedLoad(running, await namedPath(running)) },
    ...{ peers: [unchanged(peer)], load: httpLoad({ path: PATH }) },
  });
}

async function compareWithVerdaccio(session: Session, peer: ServerOptions): Promise<void> {
  const path = `/${VERDACCIO_PACKAGE}`;
  await using seeded = await seedFolder(FEWER_PACKAGES);
  const mine = ours(seeded.folder);
  const targets = [{ measure: "per CPU-s", peer: peer.label, atLeast: 5 }] as const;
  await compare(session, {
    ...{ title: "Registry, 250 KB of metadata", targets },
    ours: { server: mine },
    peers: [{ server: peer, load: httpLoad({ path }) }],
    load: httpLoad({ path: PATH }),
  });
}

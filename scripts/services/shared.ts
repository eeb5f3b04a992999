import { randomUUID } from "node:crypto";
import pg from "pg";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";

// The one piece of module state: a test file run by hand, without `npm test`, starts each server at most once.
let ownPostgres: Promise<string> | undefined;
let ownRedis: Promise<string> | undefined;

/** Address of the PostgreSQL server of this test run. For tables, create your own database: `createTestDatabase`. */
export function testDatabaseUrl(): Promise<string> {
  const given = process.env.BACKPLANE_TEST_DATABASE_URL ?? process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return Promise.resolve(given);
  ownPostgres ??= startPostgres().then((service) => service.url);
  return ownPostgres;
}

/** Address of the Redis server of this test run. Others use it too: put `uniquePrefix()` before your keys. */
export function testRedisUrl(): Promise<string> {
  const given = process.env.BACKPLANE_TEST_REDIS_URL ?? process.env.TEST_REDIS_URL;
  if (given !== undefined && given !== "") return Promise.resolve(given);
  ownRedis ??= startRedis().then((service) => service.url);
  return ownRedis;
}

export function uniquePrefix(): string {
  return `test-${randomUUID()}:`;
}

export type TestDatabase = { url: string; [Symbol.asyncDispose](): Promise<void> };

/** Sets up the tables of an empty database. */
export type Prepare = (url: string) => Promise<void>;

/** Databases that were set up once and are copied from then on, by who set them up; module state like the servers. */
const templates = new Map<Prepare, Promise<string>>();

/**
 * A fresh database in the server of this test run (or the one given), dropped at the end: empty, or a copy of one that
 * `prepare` has set up. It runs once per process, so pass the same function each time.
 */
export async function createTestDatabase({
  serverUrl,
  prepare,
}: {
  serverUrl?: string;
  prepare?: Prepare;
} = {}): Promise<TestDatabase> {
  const server = serverUrl ?? (await testDatabaseUrl());
  // template0 has no connections: template1 may be in use by a parallel test, and then cannot be copied.
  const template = prepare === undefined ? "template0" : await preparedTemplate(server, prepare);
  const name = newName();
  await query(server, `create database ${name} template ${template}`);
  return {
    url: addressOf(server, name),
    [Symbol.asyncDispose]: () => query(server, `drop database if exists ${name} with (force)`),
  };
}

function preparedTemplate(server: string, prepare: Prepare): Promise<string> {
  const known = templates.get(prepare);
  if (known !== undefined) return known;
  const name = newName();
  const making = (async () => {
    await query(server, `create database ${name} template template0`);
    await prepare(addressOf(server, name));
    return name;
  })();
  templates.set(prepare, making);
  process.once("beforeExit", () => query(server, `drop database if exists ${name} with (force)`).catch(() => {}));
  return making;
}

const newName = (): string => `backplane_test_${randomUUID().replaceAll("-", "")}`;

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

import { randomUUID } from "node:crypto";
import pg from "pg";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";

// The one piece of module state: a test file run by hand, without `npm test`, starts each server at most once.
let ownPostgres: Promise<string> | undefined;
let ownRedis: Promise<string> | undefined;

/** Address of the PostgreSQL server of this test run. For tables, take a database of your own: `createTestDatabase`. */
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

/** A fresh, empty database in the server of this test run (or the one given), dropped at the end. */
export async function createTestDatabase(serverUrl?: string): Promise<TestDatabase> {
  const server = serverUrl ?? (await testDatabaseUrl());
  const name = `backplane_test_${randomUUID().replaceAll("-", "")}`;
  // template0 has no other visitor: template1 may be in use by a parallel test, and then cannot be copied.
  await query(server, `create database ${name} template template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => query(server, `drop database if exists ${name} with (force)`),
  };
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

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

/** A database that was set up once, and copies of it that no test uses at the moment. */
type Prepared = { template: Promise<string>; free: string[] };

/** By who set them up; module state like the servers. */
const prepared = new Map<Prepare, Prepared>();

/**
 * A fresh database in the server of this test run (or the one given), gone at the end: empty, or as `prepare` has set it
 * up. It runs once per process, so pass the same function each time.
 */
export async function createTestDatabase({
  serverUrl,
  prepare,
}: {
  serverUrl?: string;
  prepare?: Prepare;
} = {}): Promise<TestDatabase> {
  const server = serverUrl ?? (await testDatabaseUrl());
  if (prepare !== undefined) return takePrepared(server, prepare);
  const name = await create(server, "template0");
  return { url: addressOf(server, name), [Symbol.asyncDispose]: () => drop(server, name) };
}

/** A new copy is the whole template once more, and a checkpoint when it is dropped; restoring one truncates its tables. */
async function takePrepared(server: string, prepare: Prepare): Promise<TestDatabase> {
  const { template, free } = preparedBy(server, prepare);
  const name = free.pop() ?? (await create(server, await template));
  const url = addressOf(server, name);
  let isInUse = true;
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (!isInUse) return;
      isInUse = false;
      const [answer] = await query(url, "select as_prepared.restore() as restored");
      if (answer?.restored === true) free.push(name);
      else await drop(server, name);
    },
  };
}

function preparedBy(server: string, prepare: Prepare): Prepared {
  const known = prepared.get(prepare);
  if (known !== undefined) return known;
  const template = (async () => {
    const name = await create(server, "template0");
    await prepare(addressOf(server, name));
    await query(addressOf(server, name), REMEMBER);
    return name;
  })();
  const made: Prepared = { template, free: [] };
  prepared.set(prepare, made);
  process.once("beforeExit", async () => {
    for (const name of [...made.free, await template]) await drop(server, name).catch(() => {});
  });
  return made;
}

/** Keeps the rows, and makes a function that brings them back. It returns false where a test has left other tables. */
const REMEMBER = `
  create schema as_prepared;
  create function as_prepared.tables() returns text language sql as $tables$
    select string_agg(format('%I.%I %s', relname, attname, atttypid), ', ' order by relname, attnum)
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
  $tables$;
  do $do$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table as_prepared.%I as table public.%1$I', name);
    end loop;
  end $do$;
  create table as_prepared."known tables" as select as_prepared.tables();
  create function as_prepared.restore() returns boolean language plpgsql as $restore$
  declare name text;
  begin
    perform pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid();
    if (select tables <> as_prepared.tables() from as_prepared."known tables") then return false; end if;
    execute (select format('truncate %s restart identity', string_agg(format('public.%I', tablename), ', '))
      from pg_tables where schemaname = 'public');
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('insert into public.%I select * from as_prepared.%1$I', name);
    end loop;
    return true;
  end $restore$`;

async function create(server: string, template: string): Promise<string> {
  const name = `backplane_test_${randomUUID().replaceAll("-", "")}`;
  // template0 has no connections: template1 may be in use by a parallel test, and then cannot be copied.
  await query(server, `create database ${name} template ${template}`);
  return name;
}

async function drop(server: string, name: string): Promise<void> {
  await query(server, `drop database if exists ${name} with (force)`);
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

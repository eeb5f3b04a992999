import { dirname } from "node:path";
import {
  type Compilable,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { makePrivateFolder } from "../folder.ts";
import { type Database, databaseOver } from "./database.ts";
import { allowAtOnce } from "./prepared.ts";
import { sqliteFault } from "./sqlite-fault.ts";
import { SqliteFile, type Synchronous } from "./sqlite-file.ts";

/** Opens the file, and creates it and its folder if they are missing. A damaged file is refused and stays as it is. */
export function openSqlite<Schema>(path: string): Database<Schema> {
  const fault = sqliteFault(path);
  if (fault !== undefined) throw new Error(fault);
  makePrivateFolder(dirname(path));
  const file = new SqliteFile(path);
  const durable = new Kysely<Schema>({ dialect: dialectOver(file, "full") });
  const shortLived = new Kysely<Schema>({ dialect: dialectOver(file, "normal") });
  allowAtOnce(durable, (sql, parameters) => file.runAtOnce("full", sql, parameters));
  allowAtOnce(shortLived, (sql, parameters) => file.runAtOnce("normal", sql, parameters));
  async function batch(statements: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
    const queries = statements.map((statement) => statement.compile());
    await file.borrow("full");
    try {
      return file.executeAll(queries);
    } finally {
      file.giveBack();
    }
  }
  return databaseOver({ engine: "sqlite", durable, shortLived, batch, afterClose: () => file.close() });
}

function dialectOver(file: SqliteFile, synchronous: Synchronous): Dialect {
  return {
    createAdapter: () => new SharedConnectionAdapter(),
    createDriver: () => driverOver(file, synchronous),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely would lock per instance; the file itself has a lock that both instances share. */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function driverOver(file: SqliteFile, synchronous: Synchronous): Driver {
  const savepoint = (command: string) => async (_connection: DatabaseConnection, name: string) =>
    file.run(`${command} "${name.replaceAll('"', '""')}"`);
  return {
    init: async () => {},
    acquireConnection: () => file.borrow(synchronous),
    releaseConnection: async () => file.giveBack(),
    // A transaction that starts as a reader and then writes fails when another process wrote in between: start as a writer.
    beginTransaction: async () => file.run("begin immediate"),
    commitTransaction: async () => file.run("commit"),
    rollbackTransaction: async () => file.rollback(),
    savepoint: savepoint("savepoint"),
    rollbackToSavepoint: savepoint("rollback to"),
    releaseSavepoint: savepoint("release"),
    destroy: async () => {},
  };
}

import type { Compilable, CompiledQuery, QueryResult } from "kysely";

/** A database, or a transaction on it. */
type Executor = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> };

/** Runs a statement at once, without Kysely's layers, which cost more than SQLite itself. Undefined: the connection is in use. */
export type AtOnce = <Row>(sql: string, parameters: readonly unknown[]) => QueryResult<Row> | undefined;

/** Of the databases that can do that; transactions on them are not here. */
const atOnce = new WeakMap<Executor, AtOnce>();

export function allowAtOnce(on: Executor, run: AtOnce): void {
  atOnce.set(on, run);
}

/** Runs the query with these values. */
export type Prepared<Values, Row> = (on: Executor, values: Values) => Promise<QueryResult<Row>>;

/** A placeholder for a value of each run. */
class Slot {
  readonly name: string | number;
  constructor(name: string) {
    // A text would be looked up in an array at several times the cost of a number.
    this.name = /^\d+$/.test(name) ? Number(name) : name;
  }
}

/**
 * A query whose text is built once: building and compiling it costs several times what SQLite takes to run it. `build` gets
 * placeholders and must pass each on unchanged; everything else in the query is the same in every run.
 */
export function prepare<Values extends object, Row>(build: (values: Values) => Compilable<Row>): Prepared<Values, Row> {
  const standIns = new Proxy({}, { get: (_target, name) => new Slot(String(name)) }) as Values;
  const compiled = build(standIns).compile();
  const names = compiled.parameters.map((value) => (value instanceof Slot ? (value.name as keyof Values) : undefined));
  return async (on, values) => {
    const parameters: unknown[] = new Array(names.length);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      parameters[i] = name === undefined ? compiled.parameters[i] : values[name];
    }
    return atOnce.get(on)?.<Row>(compiled.sql, parameters) ?? on.executeQuery({ ...compiled, parameters });
  };
}

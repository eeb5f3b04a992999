import type { System, SystemDay } from "@backplane/contract/system";
import { sizeWords } from "../packages/words.ts";
import { State } from "../parts/state.tsx";
import { counted } from "../parts/words.ts";
import { Card, Facts } from "./card.tsx";
import { freePercent, fullWords, growthPerDay, milliseconds, SLOW_MS, sizeAndGrowth } from "./words.ts";

type Props = { system: System };

const databases = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;
const buses = { "in-process": "Within this process", redis: "Redis" } as const;

function Health({ answerMs }: { answerMs: number | undefined }) {
  return answerMs === undefined ? <State tone="danger" word="Not answering" /> : <State tone="ok" word="Answers" />;
}

export function DatabaseCard({ system: { database, history = [] } }: Props) {
  const { engine, version, bytes, answerMs, migrations, connections } = database;
  return (
    <Card title="Database" aside={<Health answerMs={answerMs} />}>
      <Facts
        facts={{
          Kind: [databases[engine], version].filter(Boolean).join(" "),
          Size:
            bytes === undefined
              ? undefined
              : sizeAndGrowth(
                  bytes,
                  growthPerDay(history, ({ databaseBytes }) => databaseBytes),
                ),
          "Answer time": answerMs === undefined ? undefined : milliseconds(answerMs),
          Slowest: history.length > 0 && <SlowestDays history={history} />,
          Schema: migrations === undefined ? undefined : counted(migrations, "migration"),
          Connections: connections && `${connections.count} of ${connections.max}`,
        }}
      />
    </Card>
  );
}

/** The slowest answer of each day, today last. */
function SlowestDays({ history }: { history: readonly SystemDay[] }) {
  const today = history.at(-1);
  return (
    <>
      {today && `${milliseconds(today.slowestMs)} today`}
      <div className="pins wide" aria-hidden="true">
        {history.map(({ day, slowestMs }) => (
          <i className={slowestMs < SLOW_MS ? "ok" : "slow"} key={day} title={`${day}: ${milliseconds(slowestMs)}`} />
        ))}
      </div>
      <span className="dense muted">
        {milliseconds(Math.max(...history.map(({ slowestMs }) => slowestMs)))} in {counted(history.length, "day")}
      </span>
    </>
  );
}

export function BusCard({ system: { bus, instances } }: Props) {
  return (
    <Card title="Bus" aside={<Health answerMs={bus.answerMs} />}>
      <Facts
        facts={{
          Kind: buses[bus.engine],
          "Round trip": bus.answerMs === undefined ? undefined : milliseconds(bus.answerMs),
          Connects: instances && counted(instances.length, "platform"),
        }}
      />
    </Card>
  );
}

const stores = { folder: "a folder", s3: "an S3-like store" } as const;

export function StorageCard({ system: { storage, disks = [], history = [] } }: Props) {
  const growth = growthPerDay(history, ({ fileBytes, archiveBytes }) => fileBytes + archiveBytes);
  const full = disks.length === 1 && disks[0] ? fullWords(disks[0].freeBytes, growth) : undefined;
  const least = disks.length === 0 ? undefined : Math.min(...disks.map(freePercent));
  const room = disks.map((disk) => [
    disks.length === 1 ? "Disk" : `Disk with ${disk.holds.join(", ")}`,
    `${sizeWords(disk.freeBytes)} of ${sizeWords(disk.totalBytes)} free`,
  ]);
  return (
    <Card
      title="Storage"
      aside={least !== undefined && <State tone={least < 5 ? "warn" : "ok"} word={`${least} % free`} />}
    >
      <Facts
        facts={{
          Packages:
            storage && `${sizeWords(storage.archives.bytes)} in ${counted(storage.archives.versions, "version")}`,
          "Kept in": storage && stores[storage.archives.kind],
          Files: storage && sizeWords(storage.files.bytes),
          ...Object.fromEntries(room),
          Full: full,
        }}
      />
    </Card>
  );
}

import type { System } from "@backplane/contract/system";
import { sizeWords } from "../packages/words.ts";
import { State } from "../parts/state.tsx";
import { counted } from "../parts/words.ts";
import { Card, Facts } from "./card.tsx";
import { freePercent, milliseconds } from "./words.ts";

type Props = { system: System };

const databases = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;
const buses = { "in-process": "Within this process", redis: "Redis" } as const;

function Health({ answerMs }: { answerMs: number | undefined }) {
  return answerMs === undefined ? <State tone="danger" word="Not answering" /> : <State tone="ok" word="Answers" />;
}

export function DatabaseCard({ system: { database } }: Props) {
  const { engine, version, bytes, answerMs, migrations, connections } = database;
  return (
    <Card title="Database" aside={<Health answerMs={answerMs} />}>
      <Facts
        facts={{
          Kind: [databases[engine], version].filter(Boolean).join(" "),
          Size: bytes === undefined ? undefined : sizeWords(bytes),
          "Answer time": answerMs === undefined ? undefined : milliseconds(answerMs),
          Schema: migrations === undefined ? undefined : counted(migrations, "migration"),
          Connections: connections && `${connections.count} of ${connections.max}`,
        }}
      />
    </Card>
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

export function StorageCard({ system: { storage, disks = [] } }: Props) {
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
        }}
      />
    </Card>
  );
}

import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { LogLevel } from "@backplane/contract/panels";
import type { HistoryBook } from "./history/history.ts";
import { createHub, type OpenHub } from "./hub/hub.ts";
import { heldView } from "./hub/view.ts";
import type { KeptMemory } from "./model/kept-memory.ts";
import { createModel, type KeepingModel } from "./model/model.ts";
import { recordedControl } from "./recordings/controls.ts";
import { createMemory } from "./recordings/memory.ts";
import type { RecordingBook } from "./recordings/recordings.ts";
import type { Control, CreateReader, Dependencies, Model, Mqtt, Reader, WorkspaceOf } from "./services.ts";
import type { HeldSources, SourceBook } from "./sources/sources.ts";

/** How the parts of the area open those of one workspace. */
export type Parts = {
  mqtt: Mqtt;
  history: HistoryBook;
  recordings: RecordingBook;
  keptMemory: KeptMemory;
  readers: readonly CreateReader[];
  sources: SourceBook;
  openControl(parts: {
    workspace: WorkspaceOf;
    model: Model;
    /** By the source of a device. */
    readerOf(source: string): Pick<Reader, "command" | "stop"> | undefined;
    /** A line about control was written to the log. */
    onNote(level: LogLevel, text: string): void;
  }): Promise<Control>;
};

/** The devices of a workspace on the instance that holds their connections. */
export type Held = {
  readonly hub: OpenHub;
  readonly model: KeepingModel;
  /** Whether there is something to connect to, also without anybody who looks. */
  hasSources(): boolean;
  /** What moves is stopped, then the connections end. */
  close(): Promise<void>;
};

export async function holdDevices(
  workspace: WorkspaceOf,
  { mqtt, history, keptMemory, recordings, readers: createReaders, sources: book, openControl }: Parts,
  { now, note, onFault }: Pick<Dependencies, "now" | "note" | "onFault">,
): Promise<Held> {
  // What was opened last ends first: what moves is stopped while it can be reached, and this is recorded.
  await using opening = new AsyncDisposableStack();
  const model = createModel({ now, onFault, onFlood: noteFlood, memory: keptMemory });
  opening.defer(model.close);
  let sources: HeldSources | undefined;
  let hub: OpenHub | undefined;
  const link = await mqtt.open(workspace);
  opening.defer(() => link.close().catch(onFault));
  opening.defer(() => sources?.close().catch(onFault));
  const readers = createReaders.map((create) => create({ ground: model, send: link.send, now }));
  for (const reader of readers) opening.defer(() => reader.close());
  const readerOf = (source: string) => readers.find((reader) => reader.source === source) ?? sources?.of(source);
  opening.defer(history.record(workspace.id, model));
  opening.defer(() => hub?.close());
  const memory = createMemory(model, { now, onFault });
  opening.defer(memory.close);
  const recorder = recordings.hold(workspace.id, { model, memory });
  opening.defer(() => recorder.close());
  const onNote = (level: LogLevel, text: string) => memory.addControl({ tMs: now(), level, text });
  const control = recordedControl(await openControl({ workspace, model, readerOf, onNote }), memory, now);
  opening.defer(() => control.close().catch(onFault));
  // After the control, which stops what moves as soon as a device is there.
  sources = await book.hold(workspace.id, model);
  hub = createHub({ view: heldView(model), control, recorder, sources, now, onFault });

  link.onConnection(model.connection);
  link.onUp((isUp) => {
    // A broker that is away says nothing of its devices; when it is back, it says again which of them are lost.
    for (const { id } of model.devices()) model.connection(id, isUp);
  });
  // Last, so that nothing of what is retained is missed.
  link.onMessage((message) => {
    for (const reader of readers) reader.take(message);
  });

  function noteFlood(device: string): void {
    const { maxSamplesPerSecond, floodMs } = DEVICES_LIMITS;
    const text = `${device} has sent more than ${maxSamplesPerSecond} samples per second for ${floodMs / 1_000} s. Only the lowest and highest are kept.`;
    note(workspace.id, "warn", "devices", text);
  }

  const ends = opening.move();
  const { all } = sources;
  return { hub, model, hasSources: () => all().length > 0, close: () => ends.disposeAsync() };
}

import { DEVICES_LIMITS, type Sources } from "@backplane/contract/devices";
import { useEffect, useId, useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import { useResource } from "../../../calls/use-resource.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { type Item, lineOf } from "./chip.ts";
import { type ElfSymbol, readElfSymbols, typesOfSize } from "./elf.ts";
import { type Peripheral, readSvd } from "./svd.ts";

const MAX_FILE_BYTES = 256 * 1_024 * 1_024;
const MAX_SHOWN = 40;

/** What a file offers: variables of a program, or the peripherals of a chip. */
type Offered = { symbols: readonly ElfSymbol[]; peripherals: readonly Peripheral[] };

type Props = Pick<DeviceContent, "device"> & { workspace: WorkspaceName; onClose: () => void };

/** The list of variables and registers of a source: by hand, from a program (ELF), or from the maker's description (SVD). */
export function EditMap({ workspace, device, onClose }: Props) {
  const path = workspaceRoute(workspace, "/devices/sources");
  const { value } = useResource<Sources>(path);
  const { busy, fault, setFault, act } = useAction();
  const [text, setText] = useState<string>();
  const [offered, setOffered] = useState<Offered>();
  const id = useId();
  const kept = value?.sources.find(({ name }) => name === device.id)?.settings.map;
  useEffect(() => {
    if (value) setText((before) => before ?? (typeof kept === "string" ? kept.replaceAll(/;\s*/g, "\n") : ""));
  }, [value, kept]);

  const read = async (file: File | undefined) => {
    if (!file) return;
    setFault(undefined);
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error("The file is larger than 256 MB.");
      if (file.name.toLowerCase().endsWith(".svd"))
        setOffered({ symbols: [], peripherals: readSvd(await file.text()) });
      else setOffered({ symbols: readElfSymbols(await file.arrayBuffer()), peripherals: [] });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const add = (items: readonly Item[]) =>
    setText((before = "") => [before.trimEnd(), ...items.map(lineOf)].filter(Boolean).join("\n"));
  const save = () =>
    void act(
      { method: "PUT", path: `${path}/${encodeURIComponent(device.id)}`, body: { settings: { map: text ?? "" } } },
      onClose,
    );
  return (
    <Dialog label="Variables and registers" className="chip-dialog" onClose={onClose}>
      <div className="chip-edit">
        <h2>Variables and registers</h2>
        <p className="hint">
          One per line: name, address, type (u8 to i64, f32, f64, bool). Then <code>ro</code> if it can only be read,{" "}
          <code>once</code> if reading changes it, and bits such as <code>UIF@0</code>.
        </p>
        <label htmlFor={`${id}-map`} className="sr">
          List
        </label>
        <textarea
          id={`${id}-map`}
          rows={8}
          spellCheck={false}
          value={text ?? ""}
          disabled={text === undefined}
          placeholder="speed_rpm 0x20000010 f32"
          onChange={(event) => setText(event.target.value)}
        />
        <label className="chip-file">
          From a program (ELF) or a description of the chip (SVD)
          <input type="file" onChange={(event) => void read(event.target.files?.[0])} />
        </label>
        {offered && <Offer offered={offered} onAdd={add} />}
        <FaultNote>{fault}</FaultNote>
        <p className="row">
          <Button look="primary" busy={busy} disabled={text === undefined} onClick={save}>
            Save and connect again
          </Button>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </p>
      </div>
    </Dialog>
  );
}

function Offer({
  offered: { symbols, peripherals },
  onAdd,
}: {
  offered: Offered;
  onAdd: (items: readonly Item[]) => void;
}) {
  const [find, setFind] = useState("");
  const [types, setTypes] = useState<Readonly<Record<string, string>>>({});
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(find.toLowerCase());
  const typed = symbols.filter(({ size }) => typesOfSize(size).length > 0);
  const found = [...typed.filter(fits), ...peripherals.filter(fits)];
  return (
    <div className="chip-offer">
      <span className="input">
        <input
          aria-label="Find in the file"
          placeholder={`Find in ${typed.length + peripherals.length}`}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      </span>
      <ul>
        {found.slice(0, MAX_SHOWN).map((one) =>
          "items" in one ? (
            <li key={one.name}>
              <b>{one.name}</b> <span className="cut grow">{one.description}</span>
              <Button size="small" label={`Add ${one.name}`} onClick={() => onAdd(one.items)}>
                {`Add ${one.items.length}`}
              </Button>
            </li>
          ) : (
            <li key={one.name}>
              <b className="cut grow">{one.name}</b>
              <select
                aria-label={`Type of ${one.name}`}
                value={types[one.name] ?? typesOfSize(one.size)[0]}
                onChange={({ target }) => setTypes((before) => ({ ...before, [one.name]: target.value }))}
              >
                {typesOfSize(one.size).map((type) => (
                  <option key={type}>{type}</option>
                ))}
              </select>
              <Button
                size="small"
                label={`Add ${one.name}`}
                onClick={() => onAdd([itemOf(one, types[one.name] ?? typesOfSize(one.size)[0] ?? "u32")])}
              >
                Add
              </Button>
            </li>
          ),
        )}
      </ul>
      {found.length > MAX_SHOWN && <p className="hint">{found.length - MAX_SHOWN} more: find by name.</p>}
    </div>
  );
}

const itemOf = ({ name, address }: ElfSymbol, type: string): Item => ({
  ...{ name: name.slice(0, DEVICES_LIMITS.maxIdLength), address, type, access: "rw", bits: [] },
});

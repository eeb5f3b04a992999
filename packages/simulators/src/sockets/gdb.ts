import { type ChipItem, gdbMessages, hexOf, readHex, readTyped, sizeOf, writeTyped } from "@backplane/devices/codecs";
import { CHIP_ITEMS, type Chip, CORE_REGISTERS, chipData } from "../kinds/chip-data.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const MEMORY_FAULT = "E14";
const MAX_LENGTH = 1_024;
const TARGET_XML = `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">
<architecture>arm</architecture><feature name="org.gnu.gdb.arm.m-profile">
${CORE_REGISTERS.map((name, i) => `<reg name="${name}" bitsize="32" regnum="${i}" type="uint32"/>`).join("\n")}
</feature></target>`;
/** The variables of the program are between these addresses; what nobody uses is 0. */
const [RAM_FROM, RAM_TO] = [0x2000_0000, 0x2000_8000];

const lineOf = ({ name, address, type, access, bits }: ChipItem): string =>
  [
    ...[name, `0x${address.toString(16)}`, type, ...(access === "rw" ? [] : [access])],
    ...bits.map((bit) => `${bit.name}@${bit.from}${bit.to === bit.from ? "" : `..${bit.to}`}`),
  ].join(" ");

/** The simulated chip behind a debug server that reads while the chip runs, as OpenOCD does. */
export const gdbSimulator: SocketKind = {
  kind: "gdb",
  name: "GDB debug server",
  description: "The same chip behind a debug server, by GDB's remote protocol over TCP",
  port: 3_333,
  settings: { map: CHIP_ITEMS.map(lineOf).join("\n") },
  simulates: chipData,
  create: (body) => new DebuggedChip(body),
};

class DebuggedChip implements SocketDevice {
  readonly #body: SocketBody;
  readonly #chip: Chip;

  constructor(body: SocketBody) {
    this.#body = body;
    this.#chip = body.physics as Chip;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = gdbMessages.createReader();
    let isAcknowledged = true;
    const answer = (data: string) => reply(gdbMessages.write({ type: "packet", data }));
    // As OpenOCD does when somebody connects.
    this.#chip.setHalted(true);
    return (bytes) => {
      for (const message of reader.take(bytes)) {
        if (message.type === "break") {
          this.#setHalted(true);
          answer("T02");
        }
        if (message.type !== "packet") continue;
        if (isAcknowledged) reply(gdbMessages.write({ type: "received" }));
        if (message.data === "QStartNoAckMode") isAcknowledged = false;
        const data = this.#obey(message.data);
        if (data !== undefined) answer(data);
      }
    };
  }

  /** Undefined: there is no answer, because the chip runs now. */
  #obey(data: string): string | undefined {
    if (data.startsWith("qSupported")) return "PacketSize=1000;QStartNoAckMode+;qXfer:features:read+";
    if (data === "QStartNoAckMode") return "OK";
    if (data === "?") return this.#chip.isHalted() ? "T05" : "S00";
    if (data === "g")
      return this.#chip
        .registers()
        .map((value) => hexOf(writeTyped(value, "u32")))
        .join("");
    if (data === "c") return this.#setHalted(false);
    const file = /^qXfer:features:read:target\.xml:([\da-f]{1,8}),([\da-f]{1,8})$/.exec(data);
    if (file) {
      const [from, length] = file.slice(1).map((hex) => Number.parseInt(hex, 16)) as [number, number];
      const piece = TARGET_XML.slice(from, from + length);
      return `${from + piece.length < TARGET_XML.length ? "m" : "l"}${piece}`;
    }
    const [, order, at = "", size = "", written] =
      /^([mM])([\da-f]{1,8}),([\da-f]{1,4})(?::([\da-f]{0,2048}))?$/.exec(data) ?? [];
    if (order === undefined) return "";
    const [address, length] = [Number.parseInt(at, 16), Number.parseInt(size, 16)];
    if (length > MAX_LENGTH) return MEMORY_FAULT;
    return order === "m" ? this.#read(address, length) : this.#write(address, readHex(written) ?? Buffer.alloc(0));
  }

  #read(address: number, length: number): string {
    const bytes = Buffer.alloc(length);
    const found = CHIP_ITEMS.filter(
      (item) => item.address + sizeOf(item.type) > address && item.address < address + length,
    );
    const isRam = address >= RAM_FROM && address + length <= RAM_TO;
    if (found.length === 0 && !isRam) return MEMORY_FAULT;
    for (const item of found) {
      const own = writeTyped(this.#chip.readItem(item), item.type);
      for (const [i, byte] of own.entries()) bytes[item.address + i - address] = byte;
    }
    return hexOf(bytes);
  }

  #write(address: number, bytes: Buffer): string {
    const item = CHIP_ITEMS.find((one) => one.address === address && sizeOf(one.type) === bytes.length);
    const value = item && readTyped(bytes, item.type);
    if (!item || value === undefined) return MEMORY_FAULT;
    this.#body.note({ what: "command", name: "write", params: { name: item.name, value } });
    if (!this.#body.isLying()) this.#chip.writeItem(item, value);
    return "OK";
  }

  #setHalted(isHalted: boolean): undefined {
    this.#body.note({ what: "command", name: isHalted ? "halt" : "resume", params: {} });
    this.#chip.setHalted(isHalted);
  }
}

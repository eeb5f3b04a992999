import type { JsonObject } from "@backplane/contract/panels";
import type { ChipBits, ChipItem } from "@backplane/devices/codecs";
import { type CommandAnswer, noise, type Physics, rounded, type SimulatedKind } from "../simulator.ts";

const TIM1 = 0x4001_2c00;
const RAM = 0x2000_0000;
const UPDATE = 1;
const RELOAD = 4_250;
const LOOP_HZ = 1_000;
/** How fast the motor follows its target. */
const FOLLOW_S = 0.8;
const MAX_RPM = 6_000;
/** What it holds never changes: it is said now and then, for whoever has just begun to listen. */
const MAP_EVERY = 20;
/** What comes in by the serial port, again and again. */
const RECEIVED = "AT+OK\r\n";

const bitsOf = (names: readonly string[]): ChipBits[] => names.map((name, bit) => ({ name, from: bit, to: bit }));
const item = (name: string, address: number, type: ChipItem["type"], more: Partial<ChipItem> = {}): ChipItem => ({
  ...{ name, address, type, access: "rw", bits: [] },
  ...more,
});

/** What the chip has in its memory: a timer, ports, a serial port, and the variables of its program. */
export const CHIP_ITEMS: readonly ChipItem[] = [
  item("TIM1.CR1", TIM1, "u32", { bits: bitsOf(["CEN", "UDIS", "URS", "OPM", "DIR"]) }),
  item("TIM1.DIER", TIM1 + 0x0c, "u32", { bits: bitsOf(["UIE", "CC1IE", "CC2IE", "CC3IE", "CC4IE"]) }),
  item("TIM1.SR", TIM1 + 0x10, "u32", {
    bits: [...bitsOf(["UIF", "CC1", "CC2", "CC3", "CC4", "COM", "TIF", "BIF"]), { name: "B2I", from: 8, to: 8 }],
  }),
  item("TIM1.CNT", TIM1 + 0x24, "u32", { access: "ro" }),
  item("TIM1.ARR", TIM1 + 0x2c, "u32"),
  item("TIM1.CCR1", TIM1 + 0x34, "u32", { access: "ro" }),
  item("ADC1.DR", 0x5000_0040, "u16", { access: "ro" }),
  item("GPIOA.IDR", 0x4800_0010, "u16", { access: "ro" }),
  item("GPIOA.ODR", 0x4800_0014, "u16", { bits: bitsOf(["LED", "RELAY", "FAN"]) }),
  item("USART2.RDR", 0x4000_4424, "u16", { access: "once" }),
  item("speed_rpm", RAM, "f32", { access: "ro" }),
  item("target_rpm", RAM + 4, "f32"),
  item("loops", RAM + 8, "u32", { access: "ro" }),
  item("faults", RAM + 12, "u16"),
  item("mode", RAM + 14, "u8"),
];

/** The chip as a debugger sees it. */
export type Chip = Physics & {
  /** Reading some of them changes them. */
  readItem(item: ChipItem): number;
  writeItem(item: ChipItem, value: number): void;
  isHalted(): boolean;
  setHalted(isHalted: boolean): void;
  registers(): readonly number[];
};

const named = (items: readonly ChipItem[]) => ({ type: "string", enum: items.map(({ name }) => name) });
const WRITABLE = CHIP_ITEMS.filter(({ access }) => access !== "ro");

/** A motor controller whose chip is looked into. */
export const chipData: SimulatedKind & { create(random: () => number): Chip } = {
  kind: "chip-data",
  name: "Chip",
  model: "STM32G474",
  description: "Registers and variables of a chip that regulates a motor",
  nodes: {
    chip: {
      ...{ name: "Chip", kind: "chip-data", rateHz: 10 },
      fields: {
        state: { type: "string" },
        map: { type: "array" },
        registers: { type: "object" },
        ...Object.fromEntries(
          CHIP_ITEMS.map(({ name, type }) => [name, { type: type.startsWith("f") ? "number" : "integer" }]),
        ),
      },
      commands: {
        read: { effect: "none", params: { name: named(CHIP_ITEMS) } },
        write: { effect: "powers", params: { name: named(WRITABLE), value: { type: "number" } } },
        halt: { effect: "powers" },
        resume: { effect: "powers" },
      },
    },
  },
  create(random): Chip {
    let [atS, isHalted, received, samples] = [0, false, 0, 0];
    const start = { "TIM1.CR1": 0x81, "TIM1.DIER": 1, "TIM1.ARR": RELOAD, target_rpm: 1_500, "GPIOA.ODR": 1, mode: 2 };
    const values = new Map<string, number>(CHIP_ITEMS.map(({ name }) => [name, 0]));
    for (const [name, value] of Object.entries(start)) values.set(name, value);
    const of = (name: string): number => values.get(name) ?? 0;
    /** Values that were read on request; they are measured once. */
    const asked = new Map<string, number>();

    function readItem({ name }: ChipItem): number {
      if (name !== "USART2.RDR") return of(name);
      received += 1;
      return RECEIVED.charCodeAt((received - 1) % RECEIVED.length);
    }

    function writeItem({ name, type }: ChipItem, value: number): void {
      // Flags of a timer are cleared by writing 0; writing 1 does nothing (reference manual RM0440, TIM1_SR).
      values.set(name, name === "TIM1.SR" ? of(name) & value : type.startsWith("f") ? Math.fround(value) : value);
    }

    function command(_node: string, name: string, params: JsonObject): CommandAnswer {
      if (name === "halt" || name === "resume") {
        isHalted = name === "halt";
        return { ok: true };
      }
      const found = CHIP_ITEMS.find((one) => one.name === params.name);
      if (!found) return { ok: false, code: "unknown-field", detail: "There is no such register." };
      if (name === "read") {
        asked.set(found.name, readItem(found));
        return { ok: true };
      }
      if (found.access === "ro") return { ok: false, code: "denied", detail: `${found.name} can only be read.` };
      const value = Number(params.value);
      writeItem(found, value);
      const now = of(found.name);
      return found.access === "once" || now === Math.fround(value) || now === value
        ? { ok: true }
        : { ok: true, detail: `It reads back as ${now}.` };
    }

    return {
      ...{ readItem, writeItem, command },
      isHalted: () => isHalted,
      setHalted(halted) {
        isHalted = halted;
      },
      registers: () => [
        ...Array.from({ length: 13 }, (_, i) => (i * 0x101) >>> 0),
        RAM + 0x7ff0,
        0x0800_1235,
        0x0800_1400,
      ],
      step(seconds) {
        if (isHalted) return;
        atS += seconds;
        const wanted = Math.max(0, Math.min(MAX_RPM, of("target_rpm")));
        values.set(
          "speed_rpm",
          of("speed_rpm") + ((wanted - of("speed_rpm")) * Math.min(seconds, FOLLOW_S)) / FOLLOW_S,
        );
        values.set("loops", Math.floor(of("loops") + seconds * LOOP_HZ) >>> 0);
        const reload = Math.max(1, of("TIM1.ARR"));
        values.set("TIM1.CNT", Math.floor((atS * 170e6) / 8) % (reload + 1));
        values.set("TIM1.CCR1", Math.round((reload * of("speed_rpm")) / MAX_RPM));
        values.set("TIM1.SR", of("TIM1.SR") | UPDATE | (atS % 4 < 2 ? 0b10 : 0b1000));
        values.set("ADC1.DR", Math.max(0, Math.round(1_850 + 220 * Math.sin(atS) + noise(random, 4))));
        values.set("GPIOA.IDR", Math.floor(atS) % 2);
      },
      read() {
        const polled = CHIP_ITEMS.filter(({ access }) => access !== "once");
        const sample: JsonObject = {
          state: isHalted ? "halted" : "running",
          map: samples % MAP_EVERY === 0 ? CHIP_ITEMS.map(({ bits, ...one }) => ({ ...one, bits: [...bits] })) : null,
          ...Object.fromEntries(
            polled.map(({ name, type }) => [name, type === "f32" ? rounded(of(name), 3) : of(name)]),
          ),
          ...Object.fromEntries(CHIP_ITEMS.filter(({ access }) => access === "once").map(({ name }) => [name, null])),
          ...Object.fromEntries(asked),
          registers: null,
        };
        asked.clear();
        samples += 1;
        if (isHalted)
          sample.registers = Object.fromEntries(this.registers().map((value, i) => [CORE_REGISTERS[i] ?? "", value]));
        return sample;
      },
      tell(what, value) {
        if (values.has(what) && typeof value === "number") values.set(what, value);
      },
    };
  },
};

export const CORE_REGISTERS: readonly string[] = [
  ...Array.from({ length: 13 }, (_, i) => `r${i}`),
  ...["sp", "lr", "pc"],
];

import { type Codec, createFrameReader, type Frame, skipTo } from "../codec.ts";

/** What is sent to a board (github.com/firmata/protocol, 2.5). `port`: eight pins. `channel`: of an analog input. */
export type FirmataRequest =
  | { type: "version?" | "firmware?" | "capabilities?" | "channels?" | "reset" }
  | { type: "state?"; pin: number }
  | { type: "mode"; pin: number; mode: number }
  | { type: "write"; pin: number; value: number }
  | { type: "analog" | "long-analog"; pin: number; value: number }
  | { type: "digital"; port: number; value: number }
  | { type: "report-analog"; channel: number; isOn: boolean }
  | { type: "report-digital"; port: number; isOn: boolean }
  | { type: "interval"; ms: number };

/** What a board says. `bits`: of the resolution of a mode. A pin without a channel has 127. */
export type FirmataReport =
  | { type: "version"; major: number; minor: number }
  | { type: "firmware"; major: number; minor: number; name: string }
  | { type: "capabilities"; pins: readonly (readonly { mode: number; bits: number }[])[] }
  | { type: "channels"; channels: readonly number[] }
  | { type: "state"; pin: number; mode: number; state: number }
  | { type: "digital"; port: number; value: number }
  | { type: "analog"; channel: number; value: number }
  | { type: "text"; text: string };

const BEGIN = 0xf0;
const END = 0xf7;
const VERSION = 0xf9;
const RESET = 0xff;
const MODE = 0xf4;
const WRITE = 0xf5;
/** The low half is a number. */
const NUMBERED = { digital: 0x90, "report-analog": 0xc0, "report-digital": 0xd0, analog: 0xe0 } as const;
const LONG = {
  ...{ "channels?": 0x69, channels: 0x6a, "capabilities?": 0x6b, capabilities: 0x6c, "state?": 0x6d, state: 0x6e },
  ...{ "long-analog": 0x6f, text: 0x71, firmware: 0x79, interval: 0x7a },
} as const;
const MAX_LONG = 4_096;
const END_OF_PIN = 0x7f;

const isCommand = (byte: number): boolean => byte >= 0x80;
/** Seven bits in each byte, the lowest first. */
const sevens = (value: number, count = 2): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 128 ** i) & 0x7f);
const ofSevens = (bytes: readonly number[]): number => bytes.reduceRight((sum, byte) => sum * 128 + byte, 0);

const textBytes = (text: string): number[] => Array.from(text, (letter) => sevens(letter.charCodeAt(0))).flat();
const textOf = (bytes: readonly number[]): string =>
  Array.from({ length: Math.floor(bytes.length / 2) }, (_, i) =>
    String.fromCharCode(ofSevens(bytes.slice(2 * i, 2 * i + 2)) & 0xff),
  ).join("");

const short = (command: number, ...data: number[]): Uint8Array => Uint8Array.of(command, ...data);
const long = (command: number, ...data: number[]): Uint8Array => Uint8Array.of(BEGIN, command, ...data, END);

/** `data`: bytes behind a short command; undefined: it is not one. */
type Reading<Message> = {
  lengthOf(command: number): number | undefined;
  short(command: number, data: readonly number[]): Message | undefined;
  long(command: number, data: readonly number[]): Message | undefined;
};

const messageFinder =
  <Message>(reading: Reading<Message>) =>
  (waiting: Buffer): Frame<Message> | undefined => {
    const command = waiting[0] as number;
    if (command === BEGIN) {
      const end = waiting.subarray(1, MAX_LONG).findIndex(isCommand) + 1;
      if (end === 0) return waiting.length < MAX_LONG ? undefined : skipTo(waiting, isCommand);
      if (waiting[end] !== END) return { length: end };
      const [id, ...data] = waiting.subarray(1, end);
      return { length: end + 1, message: id === undefined ? undefined : reading.long(id, data) };
    }
    const length = isCommand(command) ? reading.lengthOf(command) : undefined;
    if (length === undefined) return skipTo(waiting, isCommand);
    const data = [...waiting.subarray(1, 1 + length)];
    const broken = data.findIndex(isCommand);
    if (broken !== -1) return { length: 1 + broken };
    if (data.length < length) return undefined;
    return { length: 1 + length, message: reading.short(command, data) };
  };

export const firmataRequests: Codec<FirmataRequest> = {
  write(request) {
    switch (request.type) {
      case "version?":
        return short(VERSION);
      case "reset":
        return short(RESET);
      case "firmware?":
        return long(LONG.firmware);
      case "capabilities?":
      case "channels?":
        return long(LONG[request.type]);
      case "state?":
        return long(LONG["state?"], request.pin);
      case "mode":
        return short(MODE, request.pin, request.mode);
      case "write":
        return short(WRITE, request.pin, request.value);
      case "analog":
        return short(NUMBERED.analog | request.pin, ...sevens(request.value));
      case "long-analog":
        return long(LONG["long-analog"], request.pin, ...sevens(request.value));
      case "digital":
        return short(NUMBERED.digital | request.port, ...sevens(request.value));
      case "report-analog":
        return short(NUMBERED["report-analog"] | request.channel, Number(request.isOn));
      case "report-digital":
        return short(NUMBERED["report-digital"] | request.port, Number(request.isOn));
      case "interval":
        return long(LONG.interval, ...sevens(request.ms));
    }
  },
  createReader: () => createFrameReader(messageFinder(REQUESTS)),
};

const REQUESTS: Reading<FirmataRequest> = {
  lengthOf(command) {
    if (command === VERSION || command === RESET) return 0;
    if (command === MODE || command === WRITE) return 2;
    const high = command & 0xf0;
    if (high === NUMBERED.digital || high === NUMBERED.analog) return 2;
    return high === NUMBERED["report-analog"] || high === NUMBERED["report-digital"] ? 1 : undefined;
  },
  short(command, data) {
    const [first = 0, second = 0] = data;
    if (command === VERSION) return { type: "version?" };
    if (command === RESET) return { type: "reset" };
    if (command === MODE) return { type: "mode", pin: first, mode: second };
    if (command === WRITE) return { type: "write", pin: first, value: second };
    const number = command & 0x0f;
    const high = command & 0xf0;
    if (high === NUMBERED.analog) return { type: "analog", pin: number, value: ofSevens(data) };
    if (high === NUMBERED.digital) return { type: "digital", port: number, value: ofSevens(data) };
    const isOn = first !== 0;
    return high === NUMBERED["report-analog"]
      ? { type: "report-analog", channel: number, isOn }
      : { type: "report-digital", port: number, isOn };
  },
  long(command, [first, ...rest]) {
    if (first === undefined) {
      if (command === LONG.firmware) return { type: "firmware?" };
      if (command === LONG["capabilities?"]) return { type: "capabilities?" };
      return command === LONG["channels?"] ? { type: "channels?" } : undefined;
    }
    if (command === LONG["state?"]) return rest.length === 0 ? { type: "state?", pin: first } : undefined;
    if (command === LONG.interval)
      return rest.length === 1 ? { type: "interval", ms: ofSevens([first, ...rest]) } : undefined;
    if (command !== LONG["long-analog"] || rest.length === 0 || rest.length > 4) return undefined;
    return { type: "long-analog", pin: first, value: ofSevens(rest) };
  },
};

export const firmataReports: Codec<FirmataReport> = {
  write(report) {
    switch (report.type) {
      case "version":
        return short(VERSION, report.major, report.minor);
      case "firmware":
        return long(LONG.firmware, report.major, report.minor, ...textBytes(report.name));
      case "capabilities":
        return long(
          LONG.capabilities,
          ...report.pins.flatMap((modes) => [...modes.flatMap(({ mode, bits }) => [mode, bits]), END_OF_PIN]),
        );
      case "channels":
        return long(LONG.channels, ...report.channels);
      case "state":
        return long(LONG.state, report.pin, report.mode, ...sevens(report.state, report.state < 128 ? 1 : 2));
      case "digital":
        return short(NUMBERED.digital | report.port, ...sevens(report.value));
      case "analog":
        return short(NUMBERED.analog | report.channel, ...sevens(report.value));
      case "text":
        return long(LONG.text, ...textBytes(report.text));
    }
  },
  createReader: () => createFrameReader(messageFinder(REPORTS)),
};

const REPORTS: Reading<FirmataReport> = {
  lengthOf(command) {
    const high = command & 0xf0;
    return command === VERSION || high === NUMBERED.digital || high === NUMBERED.analog ? 2 : undefined;
  },
  short(command, data) {
    const [major = 0, minor = 0] = data;
    if (command === VERSION) return { type: "version", major, minor };
    const [number, value] = [command & 0x0f, ofSevens(data)];
    return (command & 0xf0) === NUMBERED.digital
      ? { type: "digital", port: number, value }
      : { type: "analog", channel: number, value };
  },
  long(command, data) {
    const [first, second, ...rest] = data;
    if (command === LONG.channels) return { type: "channels", channels: data };
    if (command === LONG.text) return { type: "text", text: textOf(data) };
    if (command === LONG.capabilities) {
      const pins = pinsOf(data);
      return pins && { type: "capabilities", pins };
    }
    if (first === undefined || second === undefined) return undefined;
    if (command === LONG.firmware) return { type: "firmware", major: first, minor: second, name: textOf(rest) };
    if (command !== LONG.state || rest.length === 0 || rest.length > 4) return undefined;
    return { type: "state", pin: first, mode: second, state: ofSevens(rest) };
  },
};

/** Pairs of mode and resolution, with an end behind those of each pin. */
function pinsOf(data: readonly number[]): { mode: number; bits: number }[][] | undefined {
  const pins: { mode: number; bits: number }[][] = [];
  let modes: { mode: number; bits: number }[] = [];
  for (let at = 0; at < data.length; at += 1) {
    const mode = data[at] as number;
    if (mode === END_OF_PIN) {
      pins.push(modes);
      modes = [];
      continue;
    }
    at += 1;
    const bits = data[at];
    if (bits === undefined || bits === END_OF_PIN) return undefined;
    modes.push({ mode, bits });
  }
  return modes.length === 0 ? pins : undefined;
}

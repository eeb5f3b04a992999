// What simulators speak, too: pure, without anything of the server.
export { type Codec, type StreamReader, writeLayout } from "./codec.ts";
export { type DxlInstruction, dxlInstructions, dxlStatuses } from "./dynamixel/codec.ts";
export { type FirmataReport, type FirmataRequest, firmataReports, firmataRequests } from "./firmata/codec.ts";
export { type ChipBits, type ChipItem, type ChipType, readTyped, sizeOf, writeTyped } from "./gdb/chip-map.ts";
export { gdbMessages, hexOf, readHex } from "./gdb/codec.ts";
export { kissFrames } from "./kiss/codec.ts";
export { type MavMessage, mavlinkMessages, numberIn } from "./mavlink/codec.ts";
export type { MessageName } from "./mavlink/messages.ts";
export { type MspMessage, mspAnswers, mspRequests } from "./msp/codec.ts";
export { CODE, LAYOUTS } from "./msp/messages.ts";
export { type ODriveAnswer, type ODriveRequest, odriveAnswers, odriveRequests } from "./odrive/codec.ts";
export { type ScpiCommand, scpiAnswers, scpiCommands } from "./scpi/codec.ts";
export { veDirectBlocks } from "./ve-direct/codec.ts";
export { type VescRequest, vescAnswers, vescRequests } from "./vesc/codec.ts";

import type { CreateReader } from "../services.ts";
import { createDecawaveReader } from "./decawave/decawave.ts";
import { createHomeAssistantReader } from "./home-assistant/home-assistant.ts";
import { createHomieReader } from "./homie/homie.ts";
import { createTasmotaReader } from "./tasmota/tasmota.ts";
import { createWledReader } from "./wled/wled.ts";

/** Every convention. Each sees every message of a workspace. */
export const READERS: readonly CreateReader[] = [
  createHomieReader,
  createHomeAssistantReader,
  createTasmotaReader,
  createWledReader,
  createDecawaveReader,
];

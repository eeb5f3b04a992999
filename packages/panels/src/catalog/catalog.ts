import {
  BatteryChargerState,
  BoardViewerState,
  type CatalogPanel,
  ChipDataState,
  ChipStatisticsState,
  CodeEditorState,
  CurriculumState,
  DevicePanelState,
  ImuState,
  identifierOf,
  type JsonObject,
  LightsState,
  LineFollowerState,
  MotorState,
  OvenDataState,
  PackagePanelState,
  type PanelCategory,
  PressureTemperatureState,
  RobotLogState,
  SandboxState,
  SchematicEditorState,
  ScriptRunnerState,
  SensorMonitorState,
  ServoState,
  SpeedControllerState,
  SystemLogState,
  type Tab,
  TemperatureGraphState,
  TimeOfFlightState,
  UltrasonicState,
  UltraWidebandState,
  Viewer3dState,
  WebrtcPlayerState,
  WebviewState,
  ZoomCameraState,
} from "@backplane/contract/panels";
import { StartFault } from "@backplane/kit/process";
import type { Type } from "typebox";

/** Whose panels these are: the first half of every identifier. */
const OWNER = "backplane";

type Row = [kind: string, name: string, icon: string, description: string, uuid: string, more: More];
type More = {
  /** At most one per workspace. */
  singleton?: true;
  /** The schema of its state. */
  state: Type.TObject;
  /** Kinds of capability of devices that it shows. */
  shows?: string[];
};

/** Every kind of panel, in the order in which it is shown. Icons are names of glyphs in `web`. */
// biome-ignore format: a table with one line per panel
const PANELS: Record<PanelCategory, Row[]> = {
  Development: [
    ["code-editor",           "Code editor",               "code",         "Edit files of this project",                    "5c16997e-dbd6-819b-9d82-ea575fe0f8a4", { state: CodeEditorState }],
    ["schematic-editor",      "Schematic editor",          "schematic",    "Draw and check KiCad schematics",               "fac43b08-07dc-85f2-941c-b02a8e9625bb", { singleton: true, state: SchematicEditorState }],
    ["script-runner",         "Script runner",             "play",         "Run a script of this project, see its output",  "c73c4e69-b3ad-8440-900b-1e8e320fec1d", { state: ScriptRunnerState }],
  ],
  Control: [
    ["motor",                 "Motor control",             "motor",        "Speed while it is held, and a step test",       "1587342a-1be5-8e1d-91f4-4ec3394de60e", { state: MotorState, shows: ["motor"] }],
    ["led",                   "LED control",               "led",          "Live pixels, colour, effects and current of a strip", "e82e44da-f373-8f67-905f-6d6e9560b64a", { state: DevicePanelState, shows: ["led", "light"] }],
    ["servo",                 "Servo control",             "servo",        "Angles as one pose, key frames, load and heat", "4861ca1f-49b8-877b-9dbb-da318d2a5aae", { state: ServoState, shows: ["servo"] }],
    ["drone",                 "Drone control",             "drone",        "Checks, take off, steer while held, return, land", "58045d41-dc14-8ec0-9c61-6f10669f84a8", { state: DevicePanelState, shows: ["drone"] }],
    ["speed-controller",      "Speed controller",          "pulse",        "Throttle, telemetry and a guided sweep",        "543aec5c-b764-8921-9261-6654484bc476", { state: SpeedControllerState, shows: ["speed-controller"] }],
    ["lights",                "Lights",                    "light",        "Switch and dim the lights of a room on its plan", "0cd7cc24-a626-8c56-9cee-f9173a401bc0", { state: LightsState, shows: ["light"] }],
    ["workcell-power",        "Workcell power",            "power",        "Supply rails in their order, interlocks and inrush", "00c4ec2b-4051-8060-9eb8-1319e186ca87", { state: DevicePanelState, shows: ["workcell-power"] }],
    ["gpio",                  "GPIO",                      "gpio",         "The header of a board: read, trace and set pins", "e2ebfe4d-a217-8bd6-991e-e2329edcfecd", { state: DevicePanelState, shows: ["gpio"] }],
  ],
  Visualization: [
    ["3d-viewer",             "3D viewer",                 "cube",         "Look at STL and glTF models of this project",   "7b02938b-4f21-829f-90d0-6808fd016e43", { singleton: true, state: Viewer3dState }],
    ["board-viewer",          "3D viewer for boards",      "board",        "Look at KiCad boards: layers, nets and parts",  "1d9b7f7f-aae1-8cd1-9828-7d37da9b361a", { state: BoardViewerState, shows: ["*"] }],
    ["imu",                   "IMU",                       "axes",         "Attitude, rates, drift and noise; calibration", "6ca11259-a4b9-8a88-9bc8-c1a497586331", { state: ImuState, shows: ["imu"] }],
    ["time-of-flight",        "Time of flight",            "range",        "Map and relief of the zones of a sensor",       "d2bd10d3-723a-818c-9738-5b6d2eae25c9", { state: TimeOfFlightState, shows: ["time-of-flight"] }],
    ["ultrasonic",            "Ultrasonic",                "range",        "Distance by echo, as a sweep; lost echoes",     "f0feb5de-377e-86c6-97ea-f1626c1b180b", { state: UltrasonicState, shows: ["ultrasonic"] }],
    ["line-follower",         "Line follower",             "line",         "What each eye sees, and the way it drove",      "bbf1a1d8-7ea7-8894-9116-1703bb74fb53", { state: LineFollowerState, shows: ["line-follower"] }],
    ["temperature-graph",     "Temperature graph",         "thermometer",  "Sensors over time, with limits",                "e798ce5b-ab05-843d-9b80-03bbf4342612", { state: TemperatureGraphState, shows: ["temperature", "pressure-temperature"] }],
    ["chip-data",             "Chip data",                 "chip",         "Registers and variables of a chip while it runs", "32c2322b-8102-8c28-9595-db7ec13dff43", { state: ChipDataState, shows: ["chip-data"] }],
    ["chip-statistics",       "Chip statistics",           "chart",        "Load, heap, leaks, tasks and resets of a chip", "eea1bf08-5b53-8d8e-9f7f-1e8fa310cca3", { state: ChipStatisticsState, shows: ["chip-statistics"] }],
    ["oven-data",             "Oven data",                 "oven",         "Reflow runs against their profile, judged",     "6e802e00-7ec0-8cf6-903f-adff266b2a07", { state: OvenDataState, shows: ["oven-data"] }],
    ["pressure-temperature",  "Pressure and temperature",  "gauge",        "A sensor of both over time",                    "5c41a6ad-b4a6-831b-967f-031db58afd5f", { state: PressureTemperatureState, shows: ["pressure-temperature"] }],
    ["ultra-wideband",        "Ultra-wideband",            "radio",        "Where a tag is among its anchors, how surely",  "efeb760e-1d1d-80ef-902c-d7a33c7b1b54", { state: UltraWidebandState, shows: ["ultra-wideband"] }],
    ["sensor-monitor",        "Sensor monitor",            "pulse",        "Any other sensor over time",                    "9f584a70-70e2-8abd-9154-e5dd6ddcf725", { state: SensorMonitorState, shows: ["*"] }],
  ],
  Media: [
    ["live-stream",           "Live stream",               "video",        "A camera now and its last minute",              "c065f363-d2c9-8c70-97cc-9f418626f68d", { state: WebrtcPlayerState, shows: ["camera"] }],
    ["webrtc-player",         "WebRTC player",             "video",        "One camera with little delay",                  "536bc4cf-eaa6-8c10-9db3-c7b4ebe6e228", { state: WebrtcPlayerState, shows: ["camera"] }],
    ["zoom-camera",           "Zoom camera",               "camera",       "The whole view, and a part of it that is steered", "0cf8a5a3-83ad-8f23-9c97-a78fa44dcbe5", { state: ZoomCameraState, shows: ["camera"] }],
  ],
  Utility: [
    ["system-log",            "System log",                "log",          "What happens in this workspace, live",          "44c1b0a7-ac42-8305-9795-120e6d9a8ecd", { state: SystemLogState }],
    ["robot-log",             "Robot log",                 "log",          "What a robot says, live",                       "ad256396-7eac-82b5-9059-5de6e44a2f84", { state: RobotLogState, shows: ["log"] }],
    ["battery-charger",       "Battery charger",           "battery",      "Cells, spread, ageing and time to full of a pack", "481b5987-514b-8bdd-97ff-9be0201cefb0", { state: BatteryChargerState, shows: ["battery-charger"] }],
    ["curriculum",            "Curriculum",                "book",         "Lessons whose steps your devices check",        "7c34cdb2-4474-817a-9bfb-02fbacb6b15e", { state: CurriculumState, shows: ["*"] }],
    ["webview",               "Web view",                  "globe",        "A web page, directly or through the proxy",     "3dd64ce6-0047-8aba-93dc-b5705556a50e", { state: WebviewState }],
    ["sandbox",               "Sandbox",                   "terminal",     "JavaScript in a frame of its own",              "979969ba-fce8-84d5-989a-c820147eeade", { state: SandboxState }],
  ],
};

/** Identifiers by which programs of other systems name our panels: alias → kind. PANEL_ALIASES adds to them. */
const ALIASES: Readonly<Record<string, string>> = {
  "adom/a1b2c3d4-0031-4000-a000-000000000031": "webview",
  "adom/a1b2c3d4-eeee-4000-a000-00000000000e": "code-editor",
};

const toPanel = (category: PanelCategory, [kind, name, icon, description, uuid, more]: Row): CatalogPanel => {
  const { singleton = false, state, shows = [] } = more;
  return {
    identifier: `${OWNER}/${uuid}`,
    ...{ kind, name, category, icon, description, singleton, shows },
    aliases: aliasesOf(kind, ALIASES),
    built: true,
    stateSchema: state as unknown as JsonObject,
  };
};

export const CATALOG: readonly CatalogPanel[] = Object.entries(PANELS).flatMap(([category, rows]) =>
  rows.map((row) => toPanel(category as PanelCategory, row)),
);

/** Not a member of the catalog: it shows what others publish. */
export const PACKAGE_PANEL: CatalogPanel = toPanel("Utility", [
  ...(["package", "Panel from a package", "cube", "A panel that somebody published"] as const),
  ...(["b2f0c6a4-93d1-8f5e-9a47-6d1c0e8b7f35", { state: PackagePanelState }] as const),
]);

/** With the one that shows packages. */
export const ALL_PANELS: readonly CatalogPanel[] = [...CATALOG, PACKAGE_PANEL];

const BY_NAME = new Map(
  ALL_PANELS.flatMap((panel) => [panel.identifier, panel.kind].map((name) => [name, panel] as const)),
);

/** By identifier or kind. */
export const findPanel = (name: string): CatalogPanel | undefined => BY_NAME.get(name);

/** The panel of a tab; undefined when the catalog does not have it any more. */
export const panelOf = (tab: Pick<Tab, "aliasOf" | "panelType">): CatalogPanel | undefined =>
  BY_NAME.get(identifierOf(tab));

export type Catalog = {
  panels: readonly CatalogPanel[];
  /** By identifier, kind or alias. */
  find(name: string): CatalogPanel | undefined;
};

/** The catalog with the aliases of PANEL_ALIASES: alias → kind. */
export function createCatalog(added: Readonly<Record<string, string>>): Catalog {
  for (const [alias, kind] of Object.entries(added)) {
    if (!findPanel(kind)) {
      throw new StartFault(`PANEL_ALIASES names the panel "${kind}", which does not exist. Use one such as webview.`);
    }
    if (findPanel(alias)) {
      throw new StartFault(`PANEL_ALIASES has the alias "${alias}", which is a panel's own name. Use another one.`);
    }
  }
  const aliases = { ...ALIASES, ...added };
  const panels = CATALOG.map((panel) => ({ ...panel, aliases: aliasesOf(panel.kind, aliases) }));
  const byName = new Map(
    [...panels, PACKAGE_PANEL].flatMap((panel) =>
      [panel.identifier, panel.kind, ...panel.aliases].map((name) => [name, panel] as const),
    ),
  );
  return { panels, find: (name) => byName.get(name) };
}

function aliasesOf(kind: string, aliases: Readonly<Record<string, string>>): string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === kind);
}

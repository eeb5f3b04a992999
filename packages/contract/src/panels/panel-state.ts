// `initialState` and `panelState`, per kind of panel.
import { type Static, Type } from "typebox";
import { LOG_LEVEL, SITE_PERMISSIONS, SITE_URL } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

const FILE_PATH = Type.String({ minLength: 1, maxLength: 500 });
/** Of a device or one of its capabilities. */
const SHOWN_ID = Type.String({ minLength: 1, maxLength: 64 });
const SHARE = Type.Number({ minimum: 0, maximum: 1 });
/** Unlike the keys of a body, an unknown key of a state is refused: a state is stored as it is. */
const STATE = { additionalProperties: false };

export const WebviewState = Type.Object(
  {
    url: Type.Optional(SITE_URL),
    headerHidden: Type.Optional(Type.Boolean()),
    proxyEnabled: Type.Optional(Type.Boolean()),
    ...SITE_PERMISSIONS,
    /** Title of the page that is shown, as the proxy's tracker reported it. */
    title: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxTitleLength })),
    /** Goes up with every navigate: the same address again loads it again. */
    visit: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  STATE,
);
export type WebviewState = Static<typeof WebviewState>;
export const SandboxState = Type.Object(
  {
    headerHidden: Type.Optional(Type.Boolean()),
    /** Part of the frame's host name: another generation is another frame. */
    generation: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  STATE,
);
export type SandboxState = Static<typeof SandboxState>;
/** A panel from a package: which one, and what it keeps itself. */
export const PackagePanelState = Type.Object(
  {
    package: Type.Optional(Type.String({ maxLength: 100 })),
    /** What somebody sends from a folder, instead of what is published. */
    draft: Type.Optional(Type.Boolean()),
    generation: Type.Optional(Type.Integer({ minimum: 0 })),
    /** The panel's own state. */
    own: Type.Optional(Type.Record(Type.String(), Type.Any())),
  },
  STATE,
);
export type PackagePanelState = Static<typeof PackagePanelState>;
export const CodeEditorState = Type.Object(
  { path: Type.Optional(FILE_PATH), line: Type.Optional(Type.Integer({ minimum: 1 })) },
  STATE,
);
export const ScriptRunnerState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
export const Viewer3dState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
/** `sheet`: the sheet of the design that is shown, by its path of uuids. */
export const SchematicEditorState = Type.Object(
  { path: Type.Optional(FILE_PATH), sheet: Type.Optional(Type.String({ maxLength: 4_000 })) },
  STATE,
);
export const BoardViewerState = Type.Object(
  {
    path: Type.Optional(FILE_PATH),
    view: Type.Optional(Type.Enum(["3d", "flat"])),
    side: Type.Optional(Type.Enum(["front", "back"])),
    /** Names of the layers that are on, such as `F.Cu`; without it those that are usual. */
    layers: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 80 })),
    /** The net that is highlighted. */
    net: Type.Optional(Type.String({ maxLength: 500 })),
    /** The part that is picked, by its reference. */
    part: Type.Optional(Type.String({ maxLength: 200 })),
    /** Values of devices that are shown at parts. */
    pins: Type.Optional(
      Type.Array(
        Type.Object(
          {
            part: Type.String({ minLength: 1, maxLength: 200 }),
            device: SHOWN_ID,
            capability: SHOWN_ID,
            field: Type.String({ minLength: 1, maxLength: 64 }),
          },
          STATE,
        ),
        { maxItems: 24 },
      ),
    ),
  },
  STATE,
);
export type BoardViewerState = Static<typeof BoardViewerState>;
/** `path`: the lesson that is shown. */
export const CurriculumState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
export const SystemLogState = Type.Object(
  {
    search: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxLogSearchLength })),
    level: Type.Optional(LOG_LEVEL),
    source: Type.Optional(Type.String({ maxLength: 40 })),
  },
  STATE,
);
/** Of panels that show a capability of one device. */
export const DevicePanelState = Type.Object(
  { device: Type.Optional(SHOWN_ID), capability: Type.Optional(SHOWN_ID) },
  STATE,
);
const LAMP_STATE = Type.Object(
  {
    on: Type.Optional(Type.Boolean()),
    brightness_pct: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    kelvin: Type.Optional(Type.Number({ minimum: 0, maximum: 40_000 })),
  },
  STATE,
);
/** `device/capability` */
const LAMP = Type.String({ maxLength: 129 });
export const LightsState = Type.Object(
  {
    device: Type.Optional(SHOWN_ID),
    capability: Type.Optional(SHOWN_ID),
    /** Where each lamp is on the plan: across and down, 0 to 1. */
    plan: Type.Optional(Type.Record(LAMP, Type.Tuple([SHARE, SHARE]), { maxProperties: 48 })),
    /** How wide the room is. */
    widthM: Type.Optional(Type.Number({ minimum: 0.5, maximum: 500 })),
    scenes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 40 }),
            lamps: Type.Record(LAMP, LAMP_STATE, { maxProperties: 48 }),
          },
          STATE,
        ),
        { maxItems: 12 },
      ),
    ),
  },
  STATE,
);
export const ServoState = Type.Object(
  {
    device: Type.Optional(SHOWN_ID),
    capability: Type.Optional(SHOWN_ID),
    /** Key frames of a movement: when, and the angle of each channel in degrees. */
    frames: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 40 }),
            atS: Type.Number({ minimum: 0, maximum: 600 }),
            pose: Type.Record(SHOWN_ID, Type.Number({ minimum: -3_600, maximum: 3_600 }), { maxProperties: 64 }),
          },
          STATE,
        ),
        { maxItems: 24 },
      ),
    ),
  },
  STATE,
);
/** A sweep of a speed controller: throttle in %, current in A, eRPM and temperature in °C of each point. */
const SWEEP = Type.Object(
  {
    atMs: Type.Number(),
    points: Type.Array(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), { maxItems: 64 }),
  },
  STATE,
);
export const SpeedControllerState = Type.Object(
  {
    device: Type.Optional(SHOWN_ID),
    capability: Type.Optional(SHOWN_ID),
    /** The newest sweep, and the one before it. */
    next: Type.Optional(SWEEP),
    last: Type.Optional(SWEEP),
  },
  STATE,
);
/** A step of the velocity: seconds and rad/s of each point. */
const STEP_TEST = Type.Object(
  {
    ...{ atMs: Type.Number(), from: Type.Number(), to: Type.Number(), peakA: Type.Optional(Type.Number()) },
    curve: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { maxItems: 160 }),
  },
  STATE,
);
export const MotorState = Type.Object(
  {
    device: Type.Optional(SHOWN_ID),
    capability: Type.Optional(SHOWN_ID),
    /** The newest step test, and the one before it. */
    step: Type.Optional(STEP_TEST),
    lastStep: Type.Optional(STEP_TEST),
    /** Those before it, the newest first. */
    earlierSteps: Type.Optional(Type.Array(STEP_TEST, { maxItems: 4 })),
    /** When the step was that the newest one is compared with; otherwise it is the one before. */
    comparedAtMs: Type.Optional(Type.Number()),
  },
  STATE,
);
export const RobotLogState = Type.Object(
  {
    device: Type.Optional(SHOWN_ID),
    search: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxLogSearchLength })),
    level: Type.Optional(LOG_LEVEL),
    source: Type.Optional(Type.String({ maxLength: 64 })),
  },
  STATE,
);

/** What every panel that plots a device has: which one, and which times. */
const PLOTTED = {
  device: Type.Optional(SHOWN_ID),
  capability: Type.Optional(SHOWN_ID),
  /** The last seconds are shown. */
  windowS: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 63_072_000 })),
  /** These times are shown, epoch ms, instead of the last seconds. */
  zoom: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
};

export const SensorMonitorState = Type.Object(
  {
    ...PLOTTED,
    view: Type.Optional(Type.Enum(["time", "xy", "fft"])),
    /** Names of fields, and formulas, which begin with `=`. The first two are x and y; the first one is transformed. */
    fields: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 16 })),
  },
  STATE,
);
export const TemperatureGraphState = Type.Object(
  {
    ...PLOTTED,
    /** Other capabilities that are shown with the first one: `device/capability`. */
    also: Type.Optional(Type.Array(Type.String({ minLength: 3, maxLength: 129 }), { maxItems: 15 })),
    /** The highest temperature, by the name of the field; of other devices by `device/capability/field`. */
    limits: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.Number(), { maxProperties: 64 })),
    picked: Type.Optional(Type.String({ maxLength: 200 })),
  },
  STATE,
);
export const PressureTemperatureState = Type.Object(
  {
    ...PLOTTED,
    /** How high the sensor is, for the pressure at sea level. */
    altitudeM: Type.Optional(Type.Number({ minimum: -500, maximum: 10_000 })),
  },
  STATE,
);
const LISTED_3 = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 });
export const ImuState = Type.Object(
  {
    ...PLOTTED,
    /** Whose attitude is shown. */
    source: Type.Optional(Type.Enum(["device", "ours", "both"])),
    /** What our own attitude takes off from what the sensor says. */
    calibration: Type.Optional(
      Type.Object(
        {
          ...{ accelOffset: LISTED_3, accelScale: LISTED_3, gyroOffset: LISTED_3, magOffset: LISTED_3 },
          ...{ before: Type.Number(), after: Type.Number() },
        },
        STATE,
      ),
    ),
  },
  STATE,
);
export const TimeOfFlightState = Type.Object(
  {
    ...PLOTTED,
    view: Type.Optional(Type.Enum(["distance", "signal", "sigma"])),
    /** How far each zone sees when nothing is in front of it, in mm. Null: not known. */
    background: Type.Optional(Type.Array(Type.Union([Type.Number(), Type.Null()]), { maxItems: 1_024 })),
  },
  STATE,
);
export const UltrasonicState = Type.Object({ ...PLOTTED, view: Type.Optional(Type.Enum(["sweep", "single"])) }, STATE);
export const LineFollowerState = Type.Object({ ...PLOTTED, view: Type.Optional(Type.Enum(["values", "raw"])) }, STATE);
/** `errorMap`: how far off a position would be is drawn everywhere. */
export const UltraWidebandState = Type.Object({ ...PLOTTED, errorMap: Type.Optional(Type.Boolean()) }, STATE);
export const OvenDataState = Type.Object(
  {
    ...PLOTTED,
    /** What the next run is to follow: seconds of the run and °C. */
    profile: Type.Optional(
      Type.Array(
        Type.Object(
          { t_s: Type.Number({ minimum: 0, maximum: 1_200 }), c: Type.Number({ minimum: 0, maximum: 280 }) },
          STATE,
        ),
        { minItems: 3, maxItems: 32 },
      ),
    ),
    /** The numbers of the runs that the newest one is laid over; otherwise all of these times. */
    comparedRuns: Type.Optional(Type.Array(Type.Integer(), { maxItems: 20 })),
  },
  STATE,
);
export const ChipStatisticsState = Type.Object(PLOTTED, STATE);
export const ChipDataState = Type.Object(
  {
    ...PLOTTED,
    /** What is drawn over time, by name. */
    drawn: Type.Optional(Type.Array(SHOWN_ID, { maxItems: 8 })),
    /** What stays in sight whatever peripheral is shown, by name. */
    watched: Type.Optional(Type.Array(SHOWN_ID, { maxItems: 16 })),
    /** The peripheral, and the register or variable that is shown in detail. */
    group: Type.Optional(SHOWN_ID),
    picked: Type.Optional(SHOWN_ID),
  },
  STATE,
);
const PICTURE_PART = { x: SHARE, y: SHARE, zoom: Type.Number({ minimum: 1, maximum: 12 }) };
/** `part`: what is enlarged of the stream. `tele`: a second stream, which sees the part `seen` of the first. */
export const ZoomCameraState = Type.Object(
  {
    stream: Type.Optional(SHOWN_ID),
    part: Type.Optional(Type.Object(PICTURE_PART, STATE)),
    tele: Type.Optional(SHOWN_ID),
    seen: Type.Optional(Type.Object(PICTURE_PART, STATE)),
    places: Type.Optional(
      Type.Array(Type.Object({ ...PICTURE_PART, name: Type.String({ maxLength: 40 }) }, STATE), { maxItems: 12 }),
    ),
  },
  STATE,
);
/** Of the WebRTC player and the live stream. `stream`: by name. */
export const WebrtcPlayerState = Type.Object({ stream: Type.Optional(SHOWN_ID) }, STATE);
export const BatteryChargerState = Type.Object(PLOTTED, STATE);

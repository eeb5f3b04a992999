// `initialState` and `panelState`, per kind of panel.
import { type Static, Type } from "typebox";
import { LOG_LEVEL, SITE_PERMISSIONS, SITE_URL } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

const FILE_PATH = Type.String({ minLength: 1, maxLength: 500 });
/** Of a device or one of its capabilities. */
const SHOWN_ID = Type.String({ minLength: 1, maxLength: 64 });
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
export const CodeEditorState = Type.Object(
  { path: Type.Optional(FILE_PATH), line: Type.Optional(Type.Integer({ minimum: 1 })) },
  STATE,
);
export const ScriptRunnerState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
export const Viewer3dState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
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
  },
  STATE,
);
export const ChipStatisticsState = Type.Object(PLOTTED, STATE);

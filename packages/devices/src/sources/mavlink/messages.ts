/** Types of fields, with their length in bytes. */
const SIZES = { u8: 1, i8: 1, char: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, u64: 8, i64: 8 } as const;
export type FieldType = keyof typeof SIZES;
/** As the definitions of MAVLink name them. */
const NAMES: Readonly<Record<FieldType, string>> = {
  ...{ u8: "uint8_t", i8: "int8_t", char: "char", u16: "uint16_t", i16: "int16_t", u32: "uint32_t", i32: "int32_t" },
  ...{ f32: "float", u64: "uint64_t", i64: "int64_t" },
};

/** A field in the order of the wire. `count`: it is a list, or a text. */
export type FieldOf = { name: string; type: FieldType; count: number | undefined; size: number };
export type MessageOf = { id: number; name: string; fields: readonly FieldOf[]; length: number; extra: number };

/**
 * The messages that are used of MAVLink's common set (mavlink.io/en/messages/common.html). Fields are in the order of the wire, the
 * widest first; those after `|` were added later.
 */
const DEFINITIONS = {
  HEARTBEAT: [0, "u32 custom_mode, u8 type autopilot base_mode system_status mavlink_version"],
  SYS_STATUS: [
    1,
    `u32 onboard_control_sensors_present onboard_control_sensors_enabled onboard_control_sensors_health,
     u16 load voltage_battery, i16 current_battery, u16 drop_rate_comm errors_comm errors_count1 errors_count2 errors_count3 errors_count4,
     i8 battery_remaining`,
  ],
  PARAM_REQUEST_READ: [20, "i16 param_index, u8 target_system target_component, char param_id[16]"],
  PARAM_VALUE: [22, "f32 param_value, u16 param_count param_index, char param_id[16], u8 param_type"],
  GPS_RAW_INT: [
    24,
    `u64 time_usec, i32 lat lon alt, u16 eph epv vel cog, u8 fix_type satellites_visible |
     i32 alt_ellipsoid, u32 h_acc v_acc vel_acc hdg_acc, u16 yaw`,
  ],
  ATTITUDE: [30, "u32 time_boot_ms, f32 roll pitch yaw rollspeed pitchspeed yawspeed"],
  GLOBAL_POSITION_INT: [33, "u32 time_boot_ms, i32 lat lon alt relative_alt, i16 vx vy vz, u16 hdg"],
  COMMAND_INT: [
    75,
    "f32 param1 param2 param3 param4, i32 x y, f32 z, u16 command, u8 target_system target_component frame current autocontinue",
  ],
  COMMAND_LONG: [
    76,
    "f32 param1 param2 param3 param4 param5 param6 param7, u16 command, u8 target_system target_component confirmation",
  ],
  COMMAND_ACK: [77, "u16 command, u8 result | u8 progress, i32 result_param2, u8 target_system target_component"],
  SET_POSITION_TARGET_LOCAL_NED: [
    84,
    "u32 time_boot_ms, f32 x y z vx vy vz afx afy afz yaw yaw_rate, u16 type_mask, u8 target_system target_component coordinate_frame",
  ],
  TIMESYNC: [111, "i64 tc1 ts1 | u8 target_system target_component"],
  BATTERY_STATUS: [
    147,
    `i32 current_consumed energy_consumed, i16 temperature, u16 voltages[10], i16 current_battery,
     u8 id battery_function type, i8 battery_remaining | i32 time_remaining, u8 charge_state`,
  ],
  HOME_POSITION: [
    242,
    "i32 latitude longitude altitude, f32 x y z q[4] approach_x approach_y approach_z | u64 time_usec",
  ],
  EXTENDED_SYS_STATE: [245, "u8 vtol_state landed_state"],
  STATUSTEXT: [253, "u8 severity, char text[50] | u16 id, u8 chunk_seq"],
} as const satisfies Record<string, readonly [number, string]>;
export type MessageName = keyof typeof DEFINITIONS;

/** CRC-16/MCRF4XX, as ITU X.25. */
export function crcOf(bytes: Iterable<number>, start = 0xffff): number {
  let crc = start;
  for (const byte of bytes) {
    let low = byte ^ (crc & 0xff);
    low = (low ^ (low << 4)) & 0xff;
    crc = ((crc >> 8) ^ (low << 8) ^ (low << 3) ^ (low >> 4)) & 0xffff;
  }
  return crc;
}

function fieldsIn(text: string): FieldOf[] {
  return text.split(",").flatMap((part) => {
    const [type = "", ...names] = part.trim().split(/\s+/);
    return names.map((each) => {
      const [, name = "", count] = /^(\w+)(?:\[(\d+)\])?$/.exec(each) ?? [];
      const size = SIZES[type as FieldType] * Number(count ?? 1);
      return { name, type: type as FieldType, count: count === undefined ? undefined : Number(count), size };
    });
  });
}

/** It is part of every checksum, so that both ends must have the same fields (mavlink.io, "CRC_EXTRA"). */
function extraOf(name: string, fields: readonly FieldOf[]): number {
  const bytes = [...Buffer.from(`${name} `)];
  for (const { type, name: field, count } of fields)
    bytes.push(...Buffer.from(`${NAMES[type]} ${field} `), ...(count === undefined ? [] : [count]));
  const crc = crcOf(bytes);
  return (crc & 0xff) ^ (crc >> 8);
}

const MESSAGES: readonly MessageOf[] = Object.entries(DEFINITIONS).map(([name, [id, text]]) => {
  const [own = "", later] = text.split("|");
  const [first, more] = [fieldsIn(own), later === undefined ? [] : fieldsIn(later)];
  const fields = [...first, ...more];
  return { id, name, fields, length: fields.reduce((sum, { size }) => sum + size, 0), extra: extraOf(name, first) };
});

const BY_ID = new Map(MESSAGES.map((message) => [message.id, message]));
const BY_NAME = new Map(MESSAGES.map((message) => [message.name, message]));

export const messageById = (id: number): MessageOf | undefined => BY_ID.get(id);
export const messageNamed = (name: MessageName): MessageOf => BY_NAME.get(name) as MessageOf;

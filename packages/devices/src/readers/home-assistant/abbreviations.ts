import type { JsonObject } from "@backplane/contract/panels";
import { isObject } from "../json.ts";

/** Home Assistant's abbreviations of discovery messages, as far as we read the options. */
const OPTIONS: Readonly<Record<string, string>> = {
  act_t: "action_topic",
  act_tpl: "action_template",
  avty: "availability",
  avty_mode: "availability_mode",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  bri_cmd_t: "brightness_command_topic",
  bri_cmd_tpl: "brightness_command_template",
  bri_scl: "brightness_scale",
  bri_stat_t: "brightness_state_topic",
  bri_val_tpl: "brightness_value_template",
  clr_temp_cmd_t: "color_temp_command_topic",
  clr_temp_cmd_tpl: "color_temp_command_template",
  clr_temp_k: "color_temp_kelvin",
  clr_temp_stat_t: "color_temp_state_topic",
  clr_temp_val_tpl: "color_temp_value_template",
  cmd_t: "command_topic",
  cmd_tpl: "command_template",
  cmps: "components",
  curr_temp_t: "current_temperature_topic",
  curr_temp_tpl: "current_temperature_template",
  dev: "device",
  dev_cla: "device_class",
  ent_cat: "entity_category",
  fx_cmd_t: "effect_command_topic",
  fx_list: "effect_list",
  fx_stat_t: "effect_state_topic",
  fx_val_tpl: "effect_value_template",
  mode_cmd_t: "mode_command_topic",
  mode_cmd_tpl: "mode_command_template",
  mode_stat_t: "mode_state_topic",
  mode_stat_tpl: "mode_state_template",
  o: "origin",
  obj_id: "object_id",
  ops: "options",
  p: "platform",
  pct_cmd_t: "percentage_command_topic",
  pct_cmd_tpl: "percentage_command_template",
  pct_stat_t: "percentage_state_topic",
  pct_val_tpl: "percentage_value_template",
  pl_avail: "payload_available",
  pl_cls: "payload_close",
  pl_lock: "payload_lock",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  pl_open: "payload_open",
  pl_prs: "payload_press",
  pl_stop: "payload_stop",
  pl_unlk: "payload_unlock",
  pos_clsd: "position_closed",
  pos_open: "position_open",
  pos_t: "position_topic",
  pos_tpl: "position_template",
  rgb_cmd_t: "rgb_command_topic",
  rgb_cmd_tpl: "rgb_command_template",
  rgb_stat_t: "rgb_state_topic",
  rgb_val_tpl: "rgb_value_template",
  set_pos_t: "set_position_topic",
  set_pos_tpl: "set_position_template",
  spd_rng_max: "speed_range_max",
  spd_rng_min: "speed_range_min",
  stat_cla: "state_class",
  stat_clsd: "state_closed",
  stat_closing: "state_closing",
  stat_jam: "state_jammed",
  stat_locked: "state_locked",
  stat_locking: "state_locking",
  stat_off: "state_off",
  stat_on: "state_on",
  stat_open: "state_open",
  stat_opening: "state_opening",
  stat_stopped: "state_stopped",
  stat_t: "state_topic",
  stat_unlocked: "state_unlocked",
  stat_unlocking: "state_unlocking",
  stat_val_tpl: "state_value_template",
  sup_clrm: "supported_color_modes",
  t: "topic",
  temp_cmd_t: "temperature_command_topic",
  temp_cmd_tpl: "temperature_command_template",
  temp_stat_t: "temperature_state_topic",
  temp_stat_tpl: "temperature_state_template",
  temp_unit: "temperature_unit",
  uniq_id: "unique_id",
  unit_of_meas: "unit_of_measurement",
  val_tpl: "value_template",
};

const DEVICE_OPTIONS: Readonly<Record<string, string>> = {
  cns: "connections",
  hw: "hw_version",
  ids: "identifiers",
  mdl: "model",
  mdl_id: "model_id",
  mf: "manufacturer",
  sn: "serial_number",
  sw: "sw_version",
};

const longNames = (value: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [Object.hasOwn(names, key) ? names[key] : key, item]));

const isTopic = (key: string): boolean => key === "topic" || key.endsWith("_topic");

/** `~` at the start or the end of a topic stands for the base topic. */
function withBase(key: string, value: unknown, base: string | undefined): unknown {
  if (base === undefined || typeof value !== "string" || !isTopic(key)) return value;
  if (value.startsWith("~")) return base + value.slice(1);
  return value.endsWith("~") ? value.slice(0, -1) + base : value;
}

/** A configuration with long names and whole topics, also in its device, components and availability. */
export function expand(config: JsonObject, inherited?: string): JsonObject {
  const base = typeof config["~"] === "string" ? config["~"] : inherited;
  const expanded: JsonObject = {};
  for (const [key, value] of Object.entries(longNames(config, OPTIONS))) {
    if (key === "~") continue;
    if (key === "device" && isObject(value)) expanded.device = longNames(value, DEVICE_OPTIONS);
    else if (key === "components" && isObject(value)) {
      const components = Object.entries(value).filter(([, component]) => isObject(component));
      expanded.components = Object.fromEntries(components.map(([id, one]) => [id, expand(one as JsonObject, base)]));
    } else if (key === "availability" && Array.isArray(value)) {
      expanded.availability = value.filter(isObject).map((one) => expand(one, base));
    } else expanded[key] = withBase(key, value, base) as JsonObject[string];
  }
  return expanded;
}

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createHomeAssistantReader } from "./home-assistant.ts";
import { compileTemplate } from "./template.ts";

/** What Zigbee2MQTT publishes for a weather sensor and a lamp, ESPHome for a sensor, and a device in one message. */
const WEATHER = {
  availability: [{ topic: "zigbee2mqtt/bridge/state", value_template: "{{ value_json.state }}" }],
  device: { identifiers: ["zigbee2mqtt_0x00158d"], manufacturer: "Aqara", model: "WSDCGQ11LM", name: "weather" },
  device_class: "temperature",
  state_class: "measurement",
  state_topic: "zigbee2mqtt/weather",
  unique_id: "0x00158d_temperature",
  unit_of_measurement: "°C",
  value_template: '{{ value_json["temperature"] }}',
};
const PRESSURE = {
  ...WEATHER,
  device_class: "atmospheric_pressure",
  unit_of_measurement: "hPa",
  value_template: "{{ value_json.pressure }}",
};
const LAMP = {
  brightness: true,
  brightness_scale: 254,
  command_topic: "zigbee2mqtt/lamp/set",
  device: { identifiers: ["zigbee2mqtt_0x17"], name: "lamp" },
  schema: "json",
  state_topic: "zigbee2mqtt/lamp",
  supported_color_modes: ["color_temp"],
};
const PLUG = {
  "~": "plug",
  name: "Plug",
  stat_t: "~/state",
  cmd_t: "~/set",
  uniq_id: "p1",
  dev: { ids: "plug-1", mf: "Shop" },
};
const KITCHEN = {
  dev: { ids: "ea334450945afc", name: "Kitchen" },
  o: { name: "bla2mqtt" },
  cmps: {
    a: {
      p: "sensor",
      device_class: "temperature",
      unit_of_measurement: "°F",
      value_template: "{{ value_json.t | float | round(1) }}",
    },
    b: { p: "binary_sensor", device_class: "door", value_template: "{{ value_json.door }}" },
  },
  state_topic: "bla/state",
};

test("sensors of a device are one capability, in SI units, of the kind that fits them", () => {
  const { say, heard, declared } = startReader(createHomeAssistantReader);
  say("homeassistant/sensor/0x00158d/temperature/config", WEATHER);
  say("homeassistant/sensor/0x00158d/pressure/config", PRESSURE);
  const device = declared.get("zigbee2mqtt_0x00158d");
  assert.equal(device?.maker, "Aqara");
  assert.deepEqual(device?.capabilities, [
    {
      id: "sensors",
      kind: "pressure-temperature",
      fields: { temperature_c: { datatype: "number", unit: "°C" }, pressure_pa: { datatype: "number", unit: "Pa" } },
      commands: {},
    },
  ]);
  heard();
  say("zigbee2mqtt/bridge/state", { state: "online" });
  say("zigbee2mqtt/weather", { temperature: 21.5, pressure: 1013.2 });
  say("zigbee2mqtt/bridge/state", { state: "offline" });
  assert.deepEqual(heard(), [
    "zigbee2mqtt_0x00158d is ready",
    'zigbee2mqtt_0x00158d/sensors {"temperature_c":21.5}',
    'zigbee2mqtt_0x00158d/sensors {"pressure_pa":101320}',
    "zigbee2mqtt_0x00158d is lost",
  ]);
  assert.equal(say("somewhere/else", "1"), false);
});

test("a device in one message, with abbreviations; an empty message removes it", () => {
  const { say, heard } = startReader(createHomeAssistantReader);
  say("homeassistant/device/0AFFD2/config", KITCHEN);
  say("bla/state", { t: "70.72", door: "ON" });
  say("homeassistant/device/0AFFD2/config", "");
  assert.deepEqual(heard(), [
    "ea334450945afc is ready",
    'ea334450945afc/sensors {"temperature_c":21.5}',
    'ea334450945afc/sensors {"door":true}',
    "ea334450945afc removed",
  ]);
});

test("a lamp is reached when its state is what was asked, and not before", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const { reader, say, sent } = startReader(createHomeAssistantReader);
  say("homeassistant/light/0x17/light/config", LAMP);
  let isDone = false;
  const answer = reader.command("zigbee2mqtt_0x17", "light", {
    id: "1",
    name: "set",
    params: { brightness_pct: 50, kelvin: 2700 },
  });
  answer.then(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  assert.deepEqual(sent, ['zigbee2mqtt/lamp/set={"state":"ON","brightness":127,"color_temp":370}']);
  say("zigbee2mqtt/lamp", { state: "ON", brightness: 20, color_temp: 370 });
  await new Promise(setImmediate);
  assert.equal(isDone, false);
  say("zigbee2mqtt/lamp", { state: "ON", brightness: 127, color_temp: 370 });
  assert.equal((await answer).ok, true);
});

test("a lamp that lies gets no answer; a switch is powered: it is switched off as a rail, not because something moves", async () => {
  const { reader, say, sent, declared } = startReader(createHomeAssistantReader);
  say("homeassistant/switch/p1/config", PLUG);
  assert.deepEqual(declared.get("plug-1")?.capabilities[0]?.commands.on?.effect, "powers");
  const on = reader.command("plug-1", "p1", { id: "1", name: "on", params: {} });
  say("plug/state", "OFF");
  assert.equal((await on).code, "no-answer");
  say("plug/state", "ON");
  assert.equal((await reader.stop("plug-1")).ok, true);
  const off = reader.command("plug-1", "p1", { id: "2", name: "off", params: {} });
  await new Promise(setImmediate);
  say("plug/state", "OFF");
  assert.equal((await off).ok, true);
  assert.deepEqual(sent, ["plug/set=ON", "plug/set=OFF"]);
});

test("templates are a path and filters; anything else is not understood, and its entity is shown raw", () => {
  const given = { text: '{"a":{"b":["x",2.345]},"s":"On"}', json: JSON.parse('{"a":{"b":["x",2.345]},"s":"On"}') };
  const rows: [template: string, expected: unknown][] = [
    ["{{ value_json.a.b[1] | float | round(1) }}", 2.3],
    ["{{ value_json['a'][\"b\"][0] }}", "x"],
    ["{{value_json.s|upper}}", "ON"],
    ["{{ value_json.none | default('-') }}", "-"],
    ["{{ value_json.constructor }}", undefined],
    ["{{ value_json.__proto__.constructor }}", undefined],
    ["{{ value | truncate(3) }}", '{"a'],
  ];
  for (const [template, expected] of rows) assert.deepEqual(compileTemplate(template)?.(given), expected, template);
  for (const template of [
    "{{ value_json.constructor.constructor('return process')() }}",
    "{{ value_json.a + 1 }}",
    "{{ value_json.a | replace('a','b') }}",
    "{{ 'ON' if value == '1' else 'OFF' }}",
    "{% if true %}1{% endif %}",
    "{{ process }}",
    "{{ value_json.a }}{{ value_json.b }}",
    "{{ value_json.a | float(value) }}",
    `{{ value_json.${"a".repeat(600)} }}`,
    "plain",
  ]) {
    assert.equal(compileTemplate(template), undefined, template);
  }
  const { say, declared, heard } = startReader(createHomeAssistantReader);
  say("homeassistant/sensor/evil/x/config", {
    stat_t: "a",
    val_tpl: "{{ value_json.constructor() }}",
    dev: { ids: ["e"] },
  });
  assert.equal(declared.get("e")?.capabilities[0]?.fields.x?.isRaw, true);
  say("a", "{}");
  assert.equal(heard().at(-1), 'e/sensors {"x":"{}"}');
});

testHostile("home-assistant", createHomeAssistantReader, [
  ["homeassistant/sensor/0x00158d/temperature/config", JSON.stringify(WEATHER)],
  ["zigbee2mqtt/weather", '{"temperature":21.5}'],
  ["zigbee2mqtt/bridge/state", '{"state":"online"}'],
  ["homeassistant/light/0x17/light/config", JSON.stringify(LAMP)],
  ["zigbee2mqtt/lamp", '{"state":"ON","brightness":127}'],
  ["homeassistant/device/0AFFD2/config", JSON.stringify(KITCHEN)],
  ["homeassistant/switch/p1/config", JSON.stringify(PLUG)],
]);

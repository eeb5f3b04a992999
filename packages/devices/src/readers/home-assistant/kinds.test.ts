// Every kind of entity, as ESPHome and Zigbee2MQTT announce it: what it becomes here, what it says, and what it is told.
import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import type { Effect } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createHomeAssistantReader } from "./home-assistant.ts";

type Said = [topic: string, payload: unknown];
type Told = {
  name: string;
  params?: JsonObject;
  effect: Effect;
  sent: string[];
  /** What the device says then; without it, nobody knows whether it was done. */
  answer?: Said;
  /** While it does it. */
  meanwhile?: Said;
};
type Row = {
  what: string;
  topic: string;
  config: JsonObject;
  kind: string;
  fields: string[];
  states: [Said, JsonObject][];
  commands?: Told[];
};

const ESP = {
  avty_t: "bench/status",
  dev: { ids: "a4cf12d3e5f6", name: "Bench", mdl: "esp32dev", mf: "Espressif", cns: [["mac", "a4cf12d3e5f6"]] },
};
const ESP_ID = "a4cf12d3e5f6";
const esp = (component: string, id: string, config: JsonObject): Pick<Row, "topic" | "config"> => ({
  topic: `homeassistant/${component}/bench/${id}/config`,
  config: {
    ...{ name: id, uniq_id: `ESP${component}${id}`, obj_id: id, ...ESP },
    ...(component === "climate" ? {} : { stat_t: `bench/${component}/${id}/state` }),
    ...(/sensor|climate/.test(component) ? {} : { cmd_t: `bench/${component}/${id}/command` }),
    ...config,
  },
});
const Z2M_ID = "zigbee2mqtt_0x00124b";
const z2m = (component: string, id: string, config: JsonObject): Pick<Row, "topic" | "config"> => ({
  topic: `homeassistant/${component}/0x00124b/${id}/config`,
  config: {
    availability: [{ topic: "zigbee2mqtt/bridge/state", value_template: "{{ value_json.state }}" }],
    device: { identifiers: [Z2M_ID], manufacturer: "Maker", model: "Model", name: "thing" },
    ...{ object_id: id, origin: { name: "Zigbee2MQTT" }, state_topic: "zigbee2mqtt/thing", unique_id: `0x_${id}` },
    ...config,
  },
});
const thing = (payload: JsonObject): Said => ["zigbee2mqtt/thing", payload];

const ROWS: readonly Row[] = [
  {
    what: "sensor of ESPHome",
    ...esp("sensor", "supply", { dev_cla: "voltage", unit_of_meas: "mV", stat_cla: "measurement" }),
    kind: "measurement",
    fields: ["voltage_v"],
    states: [
      [["bench/sensor/supply/state", "4987.5"], { voltage_v: 4.9875 }],
      [["bench/sensor/supply/state", "nan"], {}],
    ],
  },
  {
    what: "text sensor of ESPHome",
    ...esp("sensor", "version", {}),
    kind: "measurement",
    fields: ["version"],
    states: [[["bench/sensor/version/state", "2026.1.0"], { version: "2026.1.0" }]],
  },
  {
    what: "sensor of Zigbee2MQTT",
    ...z2m("sensor", "humidity", {
      ...{ device_class: "humidity", state_class: "measurement", unit_of_measurement: "%" },
      value_template: '{{ value_json["humidity"] }}',
    }),
    kind: "measurement",
    fields: ["humidity_pct"],
    states: [
      [thing({ humidity: 48.2 }), { humidity_pct: 48.2 }],
      [thing({ humidity: null }), {}],
    ],
  },
  {
    what: "binary sensor of Zigbee2MQTT",
    ...z2m("binary_sensor", "contact", {
      ...{ device_class: "door", payload_on: false, payload_off: true },
      value_template: "{{ value_json.contact }}",
    }),
    kind: "measurement",
    fields: ["door"],
    states: [
      [thing({ contact: false }), { door: true }],
      [thing({ contact: "?" }), {}],
    ],
  },
  {
    what: "binary sensor of ESPHome",
    ...esp("binary_sensor", "motion", { dev_cla: "motion" }),
    kind: "measurement",
    fields: ["motion"],
    states: [[["bench/binary_sensor/motion/state", "ON"], { motion: true }]],
  },
  {
    what: "switch of ESPHome",
    ...esp("switch", "relay", {}),
    kind: "switch",
    fields: ["on"],
    states: [[["bench/switch/relay/state", "OFF"], { on: false }]],
    commands: [
      {
        ...{ name: "on", effect: "powers", sent: ["bench/switch/relay/command=ON"] },
        answer: ["bench/switch/relay/state", "ON"],
      },
      {
        ...{ name: "off", effect: "none", sent: ["bench/switch/relay/command=OFF"] },
        answer: ["bench/switch/relay/state", "OFF"],
      },
    ],
  },
  {
    what: "switch of Zigbee2MQTT that is true or false",
    ...z2m("switch", "switch_child_lock", {
      ...{ command_topic: "zigbee2mqtt/thing/set/child_lock", payload_on: "true", payload_off: "false" },
      value_template: "{% if value_json.child_lock %} true {% else %} false {% endif %}",
    }),
    kind: "switch",
    fields: ["on"],
    states: [
      [thing({ child_lock: true }), { on: true }],
      [thing({}), { on: false }],
    ],
    commands: [
      {
        ...{ name: "on", effect: "powers", sent: ["zigbee2mqtt/thing/set/child_lock=true"] },
        answer: thing({ child_lock: true }),
      },
    ],
  },
  {
    what: "number of ESPHome",
    ...esp("number", "limit", { min: 0, max: 5000, step: 50, unit_of_meas: "mA", ent_cat: "config" }),
    kind: "setting",
    fields: ["value_a"],
    states: [[["bench/number/limit/state", "1500"], { value_a: 1.5 }]],
    commands: [
      {
        ...{ name: "set", params: { value_a: 2 }, effect: "changes", sent: ["bench/number/limit/command=2000"] },
        answer: ["bench/number/limit/state", "2000"],
      },
    ],
  },
  {
    what: "number of Zigbee2MQTT",
    ...z2m("number", "occupancy_timeout", {
      ...{ command_topic: "zigbee2mqtt/thing/set/occupancy_timeout", min: 0, max: 65535, unit_of_measurement: "s" },
      value_template: "{{ value_json.occupancy_timeout }}",
    }),
    kind: "setting",
    fields: ["value_s"],
    states: [[thing({ occupancy_timeout: 90 }), { value_s: 90 }]],
    commands: [
      {
        ...{ name: "set", params: { value_s: 30 }, effect: "powers" },
        ...{ sent: ["zigbee2mqtt/thing/set/occupancy_timeout=30"], answer: thing({ occupancy_timeout: 30 }) },
      },
    ],
  },
  {
    what: "select of Zigbee2MQTT",
    ...z2m("select", "sensitivity", {
      ...{ command_topic: "zigbee2mqtt/thing/set/sensitivity", options: ["low", "medium", "high"] },
      ...{ entity_category: "config", value_template: "{{ value_json.sensitivity }}" },
    }),
    kind: "choice",
    fields: ["value"],
    states: [[thing({ sensitivity: "low" }), { value: "low" }]],
    commands: [
      {
        ...{ name: "set", params: { value: "high" }, effect: "changes" },
        ...{ sent: ["zigbee2mqtt/thing/set/sensitivity=high"], answer: thing({ sensitivity: "high" }) },
      },
    ],
  },
  {
    what: "button of ESPHome",
    ...esp("button", "restart", { stat_t: undefined as never, dev_cla: "restart", ent_cat: "config" }),
    kind: "action",
    fields: [],
    states: [],
    commands: [{ name: "press", effect: "changes", sent: ["bench/button/restart/command=PRESS"] }],
  },
  {
    what: "button of Zigbee2MQTT that identifies",
    ...z2m("button", "identify", {
      ...{ command_topic: "zigbee2mqtt/thing/set/identify", payload_press: "identify", device_class: "identify" },
    }),
    kind: "action",
    fields: [],
    states: [],
    commands: [{ name: "press", effect: "none", sent: ["zigbee2mqtt/thing/set/identify=identify"] }],
  },
  {
    what: "text of ESPHome",
    ...esp("text", "label", { min: 0, max: 20, mode: "text", ent_cat: "config" }),
    kind: "text",
    fields: ["value"],
    states: [[["bench/text/label/state", "left"], { value: "left" }]],
    commands: [
      {
        ...{ name: "set", params: { value: "right" }, effect: "changes", sent: ["bench/text/label/command=right"] },
        answer: ["bench/text/label/state", "right"],
      },
    ],
  },
  {
    what: "text of ESPHome that is a password: it is told, and never shown",
    ...esp("text", "code", { min: 4, max: 8, mode: "password", ent_cat: "config" }),
    kind: "text",
    fields: [],
    states: [[["bench/text/code/state", "hunter2"], {}]],
    commands: [
      { name: "set", params: { password: "abcd" }, effect: "changes", sent: ["bench/text/code/command=abcd"] },
    ],
  },
  {
    what: "light of ESPHome",
    ...esp("light", "strip", {
      ...{ schema: "json", brightness: true, supported_color_modes: ["rgb"] },
      ...{ effect: true, effect_list: ["None", "Rainbow"] },
    }),
    kind: "light",
    fields: ["on", "brightness_pct", "rgb", "effect"],
    states: [
      [
        [
          "bench/light/strip/state",
          { state: "ON", color_mode: "rgb", brightness: 255, color: { r: 255, g: 0, b: 16 }, effect: "Rainbow" },
        ],
        { on: true, brightness_pct: 100, rgb: [255, 0, 16], effect: "Rainbow" },
      ],
    ],
    commands: [
      {
        ...{ name: "set", params: { brightness_pct: 40, rgb: [1, 2, 3] }, effect: "changes" },
        sent: ['bench/light/strip/command={"state":"ON","brightness":102,"color":{"r":1,"g":2,"b":3}}'],
        answer: ["bench/light/strip/state", { state: "ON", brightness: 102, color: { r: 1, g: 2, b: 3 } }],
      },
      {
        ...{ name: "set", params: { on: false }, effect: "changes" },
        sent: ['bench/light/strip/command={"state":"OFF"}'],
        answer: ["bench/light/strip/state", { state: "OFF" }],
      },
    ],
  },
  {
    what: "light with a topic for each part, in steps of ten",
    ...esp("light", "lamp", {
      ...{ bri_cmd_t: "lamp/level/set", bri_stat_t: "lamp/level", bri_scl: 10 },
      ...{ clr_temp_cmd_t: "lamp/white/set", clr_temp_stat_t: "lamp/white" },
    }),
    kind: "light",
    fields: ["on", "brightness_pct", "kelvin"],
    states: [
      [["bench/light/lamp/state", "ON"], { on: true }],
      [["lamp/level", "5"], { brightness_pct: 50 }],
      [["lamp/white", "250"], { kelvin: 4000 }],
    ],
    commands: [
      {
        ...{ name: "set", params: { brightness_pct: 55 }, effect: "changes" },
        sent: ["lamp/level/set=6", "bench/light/lamp/command=ON"],
        answer: ["lamp/level", "6"],
      },
    ],
  },
  {
    what: "fan of ESPHome with three speeds",
    ...esp("fan", "blower", {
      ...{ pct_cmd_t: "bench/fan/blower/speed_level/command", pct_stat_t: "bench/fan/blower/speed_level/state" },
      spd_rng_max: 3,
    }),
    kind: "fan",
    fields: ["on", "speed_pct"],
    states: [
      [["bench/fan/blower/state", "ON"], { on: true }],
      [["bench/fan/blower/speed_level/state", "2"], { speed_pct: 67 }],
    ],
    commands: [
      {
        ...{ name: "speed", params: { speed_pct: 50 }, effect: "powers" },
        sent: ["bench/fan/blower/speed_level/command=2"],
        answer: ["bench/fan/blower/speed_level/state", "2"],
      },
      {
        ...{ name: "off", effect: "none", sent: ["bench/fan/blower/command=OFF"] },
        answer: ["bench/fan/blower/state", "OFF"],
      },
    ],
  },
  {
    what: "fan of Zigbee2MQTT, whose speeds are names in a template",
    ...z2m("fan", "fan", {
      ...{ command_topic: "zigbee2mqtt/thing/set/fan_state", state_value_template: "{{ value_json.fan_state }}" },
      ...{ percentage_state_topic: "zigbee2mqtt/thing", percentage_command_topic: "zigbee2mqtt/thing/set/fan_mode" },
      percentage_value_template: "{{ {'off':0, 'low':1, 'high':2}[value_json.fan_mode] | default('None') }}",
      percentage_command_template: "{{ {0:'off', 1:'low', 2:'high'}[value] | default('') }}",
      ...{ speed_range_min: 1, speed_range_max: 2 },
    }),
    kind: "fan",
    fields: ["on"],
    states: [[thing({ fan_state: "ON", fan_mode: "high" }), { on: true }]],
    commands: [
      {
        ...{ name: "on", effect: "powers", sent: ["zigbee2mqtt/thing/set/fan_state=ON"] },
        answer: thing({ fan_state: "ON" }),
      },
    ],
  },
  {
    what: "cover of Zigbee2MQTT",
    ...z2m("cover", "cover", {
      ...{ command_topic: "zigbee2mqtt/thing/set", position_topic: "zigbee2mqtt/thing" },
      ...{ set_position_topic: "zigbee2mqtt/thing/set", set_position_template: '{ "position": {{ position }} }' },
      ...{ position_template: "{{ value_json.position }}", value_template: "{{ value_json.state }}" },
      ...{ state_open: "OPEN", state_closed: "CLOSE", state_stopped: "STOP" },
    }),
    kind: "cover",
    fields: ["state", "position_pct"],
    states: [[thing({ state: "CLOSE", position: 0 }), { state: "closed", position_pct: 0 }]],
    commands: [
      {
        ...{ name: "position", params: { position_pct: 30 }, effect: "moves" },
        ...{ sent: ['zigbee2mqtt/thing/set={ "position": 30 }'], answer: thing({ state: "OPEN", position: 30 }) },
      },
      {
        ...{ name: "open", effect: "moves", sent: ["zigbee2mqtt/thing/set=OPEN"] },
        answer: thing({ state: "OPEN", position: 100 }),
      },
      { name: "stop", effect: "none", sent: ["zigbee2mqtt/thing/set=STOP"] },
    ],
  },
  {
    what: "cover of Zigbee2MQTT whose state is a program: its position says whether it got there",
    ...z2m("cover", "cover", {
      ...{ command_topic: "zigbee2mqtt/thing/set", position_topic: "zigbee2mqtt/thing" },
      ...{ position_template: "{{ value_json.position }}", state_opening: "UP" },
      value_template:
        '{% if "motor" in value_json and value_json.motor %} {{ value_json.motor }} {% else %} STOP {% endif %}',
    }),
    kind: "cover",
    fields: ["state", "position_pct"],
    states: [[thing({ motor: "UP", position: 10 }), { position_pct: 10 }]],
    commands: [
      {
        ...{ name: "close", effect: "moves", sent: ["zigbee2mqtt/thing/set=CLOSE"] },
        answer: thing({ position: 0 }),
      },
    ],
  },
  {
    what: "cover of ESPHome",
    ...esp("cover", "gate", {
      ...{ dev_cla: "garage", pos_t: "bench/cover/gate/position/state" },
      set_pos_t: "bench/cover/gate/position/command",
    }),
    kind: "cover",
    fields: ["state", "position_pct"],
    states: [
      [["bench/cover/gate/state", "opening"], { state: "opening" }],
      [["bench/cover/gate/position/state", "42"], { position_pct: 42 }],
    ],
    commands: [
      {
        ...{ name: "open", effect: "moves", sent: ["bench/cover/gate/command=OPEN"] },
        meanwhile: ["bench/cover/gate/state", "opening"],
        answer: ["bench/cover/gate/state", "open"],
      },
    ],
  },
  {
    what: "valve of ESPHome",
    ...esp("valve", "water", {
      ...{ pos_t: "bench/valve/water/position/state", set_pos_t: "bench/valve/water/position/command" },
    }),
    kind: "valve",
    fields: ["state", "position_pct"],
    states: [[["bench/valve/water/state", "closed"], { state: "closed" }]],
    commands: [
      {
        ...{ name: "close", effect: "moves", sent: ["bench/valve/water/command=CLOSE"] },
        meanwhile: ["bench/valve/water/state", "closing"],
        answer: ["bench/valve/water/state", "closed"],
      },
    ],
  },
  {
    what: "lock of ESPHome",
    ...esp("lock", "door", { pl_open: "OPEN" }),
    kind: "lock",
    fields: ["state"],
    states: [
      [["bench/lock/door/state", "LOCKED"], { state: "locked" }],
      [["bench/lock/door/state", "JAMMED"], { state: "jammed" }],
    ],
    commands: [
      {
        ...{ name: "unlock", effect: "powers", sent: ["bench/lock/door/command=UNLOCK"] },
        meanwhile: ["bench/lock/door/state", "UNLOCKING"],
        answer: ["bench/lock/door/state", "UNLOCKED"],
      },
      {
        ...{ name: "lock", effect: "powers", sent: ["bench/lock/door/command=LOCK"] },
        answer: ["bench/lock/door/state", "LOCKED"],
      },
      { name: "open", effect: "powers", sent: ["bench/lock/door/command=OPEN"] },
    ],
  },
  {
    what: "lock of Zigbee2MQTT",
    ...z2m("lock", "lock", {
      ...{ command_topic: "zigbee2mqtt/thing/set", value_template: "{{ value_json.state }}" },
      ...{ state_locked: "LOCK", state_unlocked: "UNLOCK" },
    }),
    kind: "lock",
    fields: ["state"],
    states: [[thing({ state: "UNLOCK" }), { state: "unlocked" }]],
    commands: [
      { name: "lock", effect: "powers", sent: ["zigbee2mqtt/thing/set=LOCK"], answer: thing({ state: "LOCK" }) },
    ],
  },
  {
    what: "climate of Zigbee2MQTT",
    ...z2m("climate", "climate", {
      ...{ mode_command_topic: "zigbee2mqtt/thing/set/system_mode", mode_state_topic: "zigbee2mqtt/thing" },
      ...{ mode_state_template: "{{ value_json.system_mode }}", modes: ["off", "heat"], min_temp: "5", max_temp: "35" },
      temperature_command_topic: "zigbee2mqtt/thing/set/current_heating_setpoint",
      temperature_state_topic: "zigbee2mqtt/thing",
      temperature_state_template: "{{ value_json.current_heating_setpoint }}",
      current_temperature_topic: "zigbee2mqtt/thing",
      current_temperature_template: "{{ value_json.local_temperature }}",
    }),
    kind: "climate",
    fields: ["temperature_c", "target_c", "mode"],
    states: [
      [
        thing({ local_temperature: 19.5, current_heating_setpoint: 21, system_mode: "heat" }),
        { temperature_c: 19.5, target_c: 21, mode: "heat" },
      ],
    ],
    commands: [
      {
        ...{ name: "temperature", params: { target_c: 22.5 }, effect: "powers" },
        sent: ["zigbee2mqtt/thing/set/current_heating_setpoint=22.5"],
        answer: thing({ current_heating_setpoint: 22.5 }),
      },
      {
        ...{ name: "off", effect: "none", sent: ["zigbee2mqtt/thing/set/system_mode=off"] },
        answer: thing({ system_mode: "off" }),
      },
    ],
  },
  {
    what: "climate of ESPHome in °F",
    ...esp("climate", "room", {
      ...{ mode_cmd_t: "r/mode/command", mode_stat_t: "r/mode/state", modes: ["off", "cool"], temp_unit: "F" },
      ...{
        temp_cmd_t: "r/target/command",
        temp_stat_t: "r/target/state",
        curr_temp_t: "r/now",
        min_temp: 50,
        max_temp: 86,
      },
    }),
    kind: "climate",
    fields: ["temperature_c", "target_c", "mode"],
    states: [
      [["r/now", "68"], { temperature_c: 20 }],
      [["r/mode/state", "cool"], { mode: "cool" }],
    ],
    commands: [
      {
        ...{ name: "temperature", params: { target_c: 25 }, effect: "powers", sent: ["r/target/command=77"] },
        answer: ["r/target/state", "77.0"],
      },
    ],
  },
];

/** What cannot be controlled is shown as it is, if it says anything. */
const SHOWN_ONLY: readonly [what: string, component: string, config: JsonObject, fields: string[]][] = [
  ["a siren", "siren", { state_topic: "s", command_topic: "s/set" }, ["x"]],
  ["a switch without a command topic", "switch", { state_topic: "s" }, ["x"]],
  ["a lock whose command is a program", "lock", { command_topic: "c", command_template: "{{ code }}" }, []],
  ["a light of a template schema", "light", { schema: "template", command_topic: "c" }, []],
  ["an automation, which is no state", "device_automation", { topic: "a", type: "action" }, []],
];

/** What real ones could never be; none may make a device, a topic or a number of it. */
const BROKEN: readonly [what: string, config: unknown][] = [
  ["an array", []],
  ["a command topic that is a number", { command_topic: 5, state_topic: "s" }],
  ["options that are objects", { command_topic: "c", options: [{ a: 1 }, null, 3] }],
  ["limits the wrong way round", { command_topic: "c", min: 10, max: -10 }],
  ["limits that are no numbers", { command_topic: "c", min: "a", max: {}, min_temp: [], max_temp: "hot" }],
  ["a range of nothing", { command_topic: "c", position_open: 7, position_closed: 7, speed_range_max: 0 }],
  ["a scale of 0", { command_topic: "c", schema: "json", brightness: true, brightness_scale: 0, state_topic: "s" }],
  ["names from the prototype", { command_topic: "c", __proto__: { state_topic: "s" }, device_class: "constructor" }],
];
const COMPONENTS = [
  ...["light", "switch", "number", "select", "button", "fan", "cover", "valve", "lock", "climate", "text"],
  ...["sensor", "binary_sensor"],
];

function withoutWaiting(t: TestContext): void {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
}
/** A device that does not get there is given up by then. */
const LONGEST_WAIT_MS = 60_000;
const settled = () => new Promise(setImmediate);

suite("kinds of entities", () => {
  for (const { what, topic, config, kind, fields, states, commands = [] } of ROWS) {
    test(what, async (t) => {
      withoutWaiting(t);
      const { reader, say, heard, declared, sent } = startReader(createHomeAssistantReader);
      say(topic, config);
      const id = topic.includes("bench") ? ESP_ID : Z2M_ID;
      const [capability] = declared.get(id)?.capabilities ?? [];
      assert.deepEqual([capability?.kind, Object.keys(capability?.fields ?? {})], [kind, fields]);
      heard();
      for (const [[at, payload], expected] of states) {
        say(at, payload);
        const [line = "{}"] = heard().map((each) => each.slice(each.indexOf("{")));
        assert.deepEqual(JSON.parse(line), expected, JSON.stringify(payload));
      }
      for (const { name, params = {}, effect, sent: messages, answer, meanwhile } of commands) {
        assert.equal(capability?.commands[name]?.effect, effect, `effect of ${name}`);
        sent.length = 0;
        let isAccepted = false;
        let isDone = false;
        const onAccepted = () => {
          isAccepted = true;
        };
        const told = reader.command(id, capability?.id ?? "", { id: "1", name, params }, onAccepted);
        void told.then(() => {
          isDone = true;
        });
        await settled();
        assert.deepEqual(sent, messages);
        if (meanwhile) say(...meanwhile);
        await settled();
        if (meanwhile) assert.ok(isAccepted, "it has it, and is on its way");
        assert.equal(isDone, answer === undefined, "done only when it says so");
        if (answer) say(...answer);
        mock.timers.tick(LONGEST_WAIT_MS);
        const ack = await told;
        assert.deepEqual([ack.ok, ack.reached], [true, answer ? undefined : false], JSON.stringify(ack));
      }
    });
  }

  for (const [what, component, config, fields] of SHOWN_ONLY) {
    test(`${what} is shown, and takes no commands`, async () => {
      const { reader, say, declared } = startReader(createHomeAssistantReader);
      say(`homeassistant/${component}/n/x/config`, { ...config, device: { identifiers: ["d"] } });
      const all = declared.get("d")?.capabilities ?? [];
      assert.deepEqual(
        all.flatMap((one) => [...Object.keys(one.fields), ...Object.keys(one.commands)]),
        fields,
      );
      const ack = await reader.command("d", "x", { id: "1", name: "on", params: {} });
      assert.deepEqual([ack.ok, ack.code], [false, "unsupported"]);
    });
  }

  test("broken ones of every kind harm nothing: others go on, and no number is made up", async (t) => {
    withoutWaiting(t);
    for (const component of COMPONENTS) {
      for (const [what, config] of BROKEN) {
        const { reader, say, heard, declared } = startReader(createHomeAssistantReader);
        say("homeassistant/sensor/n/good/config", { state_topic: "good", device: { identifiers: ["good"] } });
        const object = Array.isArray(config) ? config : { ...(config as object), device: { identifiers: ["bad"] } };
        say(`homeassistant/${component}/n/x/config`, object);
        for (const text of ["ON", "5", "NaN", '{"state":"ON","brightness":5}', "\0"]) say("s", text);
        heard();
        say("good", "1");
        assert.deepEqual(heard(), ['good/sensors {"good":"1"}'], `${component}: ${what}`);
        const [capability] = declared.get("bad")?.capabilities ?? [];
        const numbers = JSON.stringify(capability ?? {}, (_key, value) =>
          typeof value === "number" && !Number.isFinite(value) ? "broken" : value,
        );
        assert.ok(!numbers.includes("broken"), `${component}: ${what}: ${numbers}`);
        for (const name of Object.keys(capability?.commands ?? {})) {
          void reader.command("bad", capability?.id ?? "", {
            id: "1",
            name,
            params: { speed_pct: 50, position_pct: 50 },
          });
        }
        await settled();
      }
    }
  });
});

testHostile(
  "every kind of entity",
  createHomeAssistantReader,
  ROWS.flatMap(({ topic, config, states }) => [
    [topic, JSON.stringify(config)] as const,
    ...states.map(([[at, payload]]) => [at, typeof payload === "string" ? payload : JSON.stringify(payload)] as const),
  ]),
);

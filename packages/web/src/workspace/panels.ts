import type { MountPanel } from "./panel.ts";

/** How each kind of panel is loaded. To add a panel, add its line here. Kinds in the catalog without a line show `planned`. */
export const PANELS: Readonly<Record<string, () => Promise<{ mount: MountPanel }>>> = {
  webview: () => import("./panels/webview/webview.tsx"),
  sandbox: () => import("./panels/sandbox/sandbox.tsx"),
  package: () => import("./panels/package/package.tsx"),
  "system-log": () => import("./panels/system-log/system-log.tsx"),
  "code-editor": () => import("./panels/code-editor/code-editor.tsx"),
  "schematic-editor": () => import("./panels/schematic-editor/schematic-editor.tsx"),
  "script-runner": () => import("./panels/script-runner/script-runner.tsx"),
  "sensor-monitor": () => import("./panels/sensor-monitor/sensor-monitor.tsx"),
  "temperature-graph": () => import("./panels/temperature-graph/temperature-graph.tsx"),
  "pressure-temperature": () => import("./panels/pressure-temperature/pressure-temperature.tsx"),
  led: () => import("./panels/led/led.tsx"),
  lights: () => import("./panels/lights/lights.tsx"),
  servo: () => import("./panels/servo/servo.tsx"),
  gpio: () => import("./panels/gpio/gpio.tsx"),
  "workcell-power": () => import("./panels/workcell-power/workcell-power.tsx"),
  drone: () => import("./panels/drone/drone.tsx"),
  "speed-controller": () => import("./panels/speed-controller/speed-controller.tsx"),
  motor: () => import("./panels/motor/motor.tsx"),
  imu: () => import("./panels/imu/imu.tsx"),
  "time-of-flight": () => import("./panels/time-of-flight/time-of-flight.tsx"),
  ultrasonic: () => import("./panels/ultrasonic/ultrasonic.tsx"),
  "line-follower": () => import("./panels/line-follower/line-follower.tsx"),
  "ultra-wideband": () => import("./panels/ultra-wideband/ultra-wideband.tsx"),
  "oven-data": () => import("./panels/oven-data/oven-data.tsx"),
  "chip-statistics": () => import("./panels/chip-statistics/chip-statistics.tsx"),
  "chip-data": () => import("./panels/chip-data/chip-data.tsx"),
  "battery-charger": () => import("./panels/battery-charger/battery-charger.tsx"),
  curriculum: () => import("./panels/curriculum/curriculum.tsx"),
  "robot-log": () => import("./panels/robot-log/robot-log.tsx"),
  "webrtc-player": () => import("./panels/webrtc-player/webrtc-player.tsx"),
  "zoom-camera": () => import("./panels/zoom-camera/zoom-camera.tsx"),
  "3d-viewer": () => import("./panels/viewer-3d/viewer-3d.tsx"),
};

export const planned = () => import("./panels/planned/planned.tsx");

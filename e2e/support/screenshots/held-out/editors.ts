import { editorPage } from "../looks/editor.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const BROKER_PASSWORD = "Osprey$Mill-2207";
const MAPS_KEY = planted("AIza", "SyC8vHq2LxRt0Nz", "4KbWm7PdJf9EuYg1Ts");

export function heldOutEditors(): ScreenshotSpec[] {
  const kind = "editor" as const;
  return [
    {
      id: "held-editor-ring-buffer",
      kind,
      theme: "light",
      scale: 1,
      width: 1200,
      height: 720,
      html: editorPage({
        theme: "light",
        skin: "windows",
        windowTitle: "uart_ring_buffer.c - Eclipse IDE",
        menu: ["File", "Edit", "Source", "Refactor", "Navigate", "Search", "Project", "Run", "Window", "Help"],
        treeTitle: "Project Explorer",
        tree: [
          "v thermostat",
          "  > Includes",
          "  v Core",
          "    > Inc",
          "    v Src",
          "      main.c",
          "      *uart_ring_buffer.c",
          "      i2c_display.c",
          "      rtc.c",
          "  > Drivers",
          "  thermostat.ioc",
        ],
        tabs: ["uart_ring_buffer.c", "main.c", "thermostat.ioc"],
        font: "narrow",
        code: `/* Ring buffer between the UART interrupt and the main loop. */
#include "uart_ring_buffer.h"

static volatile uint8_t buffer[UART_BUFFER_SIZE];
static volatile uint16_t head, tail;

bool uart_buffer_put(uint8_t byte) {
  uint16_t next = (head + 1) % UART_BUFFER_SIZE;
  if (next == tail) {
    return false; // full: the newest byte is dropped
  }
  buffer[head] = byte;
  head = next;
  return true;
}

bool uart_buffer_get(uint8_t *byte) {
  if (head == tail) return false;
  *byte = buffer[tail];
  tail = (tail + 1) % UART_BUFFER_SIZE;
  return true;
}`,
        panel: { tabs: ["Problems", "Tasks", "Console", "Properties"], lines: ["0 errors, 2 warnings, 0 others"] },
        status: ["Writable   Smart Insert", "11 : 9 : 362"],
      }),
      expected: ["uart", "ring", "buffer", "thermostat", "interrupt"],
      secrets: [],
    },
    {
      id: "held-editor-mqtt-settings",
      kind,
      theme: "dark",
      scale: 2,
      width: 2080,
      height: 1180,
      html: editorPage({
        theme: "dark",
        skin: "mac",
        windowTitle: `maps_key ${MAPS_KEY} — tracker`,
        menu: ["File", "Edit", "Selection", "Find", "View", "Goto", "Tools", "Project"],
        treeTitle: "FOLDERS",
        tree: [
          "v tracker",
          "  v config",
          "    *broker.yaml",
          "    devices.yaml",
          "  v src",
          "    mqtt_client.py",
          "    position.py",
          "  requirements.txt",
        ],
        tabs: ["broker.yaml", "mqtt_client.py"],
        comment: "#",
        code: `# Where the trackers publish their position
broker:
  host: mqtt.example.com
  port: 8883
  user: tracker
  password: "${BROKER_PASSWORD}"
  keepalive_seconds: 60

topics:
  position: fleet/+/position
  battery: fleet/+/battery

maps_key: ${MAPS_KEY}
publish_every_seconds: 15`,
        status: ["Line 6, Column 14", "Spaces: 2   YAML"],
      }),
      expected: ["broker", "mqtt", "tracker", "position", "config", "yaml", "topic", "publish"],
      secrets: [BROKER_PASSWORD, "osprey", "2207", MAPS_KEY, "SyC8vHq2", "4KbWm7Pd"],
    },
    {
      id: "held-editor-react",
      kind,
      theme: "dark",
      scale: 1,
      width: 1440,
      height: 860,
      html: editorPage({
        theme: "dark",
        skin: "gnome",
        windowTitle: "JoystickPanel.tsx - teleop-web - Code",
        menu: ["File", "Edit", "Selection", "View", "Go", "Run", "Terminal", "Help"],
        treeTitle: "TELEOP-WEB",
        tree: [
          "> .github",
          "> node_modules",
          "v src",
          "  v panels",
          "    CameraPanel.tsx",
          "    *JoystickPanel.tsx",
          "    SpeedGauge.tsx",
          "  app.tsx",
          "  socket.ts",
          "index.html",
          "package.json",
          "vite.config.ts",
        ],
        tabs: ["JoystickPanel.tsx", "socket.ts", "app.tsx"],
        crumbs: "src > panels > JoystickPanel.tsx > JoystickPanel",
        code: `import { useEffect, useState } from "react";
import { useSocket } from "../socket";
import { Joystick } from "./Joystick";

const SEND_EVERY_MS = 50;

export function JoystickPanel({ robotId }: { robotId: string }) {
  const socket = useSocket(robotId);
  const [stick, setStick] = useState({ x: 0, y: 0 });

  useEffect(() => {
    const timer = setInterval(() => {
      socket.send({ linear: stick.y, angular: -stick.x });
    }, SEND_EVERY_MS);
    return () => clearInterval(timer);
  }, [socket, stick]);

  return (
    <section aria-label="Drive">
      <Joystick onMove={setStick} onRelease={() => setStick({ x: 0, y: 0 })} />
    </section>
  );
}`,
        panel: {
          tabs: ["TERMINAL", "PROBLEMS 1", "OUTPUT", "DEBUG CONSOLE"],
          lines: [
            "src/panels/JoystickPanel.tsx(9,29): error TS2345: Argument of type",
            "  '{ x: number; y: number; }' is not assignable to parameter of type 'Stick'.",
          ],
        },
        status: ["feature/joystick   1 error", "Ln 9, Col 29   TypeScript JSX"],
      }),
      expected: ["joystick", "panel", "teleop", "socket", "robot", "drive", "react"],
      secrets: [],
    },
    {
      id: "held-editor-vhdl",
      kind,
      theme: "light",
      scale: 2,
      width: 1800,
      height: 1160,
      html: editorPage({
        theme: "light",
        skin: "gnome",
        windowTitle: "debounce.vhd [fpga_keypad]",
        menu: ["File", "Edit", "Flow", "Tools", "Reports", "Window", "Layout", "View", "Help"],
        treeTitle: "Sources",
        tree: [
          "v Design Sources (2)",
          "  v keypad_top",
          "    *debounce.vhd",
          "    scanner.vhd",
          "> Constraints (1)",
          "> Simulation Sources (3)",
        ],
        tabs: ["debounce.vhd", "Project Summary", "keypad_top.xdc"],
        comment: "--",
        code: `library ieee;
use ieee.std_logic_1164.all;

-- Debounce of one button: stable for 10 ms before it counts
entity debounce is
  generic (clock_hz : integer := 100_000_000);
  port (
    clk    : in  std_logic;
    button : in  std_logic;
    result : out std_logic
  );
end debounce;

architecture rtl of debounce is
  signal counter : integer range 0 to clock_hz / 100;
begin
  process (clk) begin
    if rising_edge(clk) then
      counter <= counter + 1;
    end if;
  end process;
end rtl;`,
        status: ["Synthesis complete", "12:4 Insert VHDL"],
      }),
      expected: ["debounce", "button", "vhdl", "vhd", "fpga", "keypad", "entity"],
      secrets: [],
    },
  ];
}

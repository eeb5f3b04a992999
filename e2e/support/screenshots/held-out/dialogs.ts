import { dialogPage } from "../looks/dialog.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const PAYMENT_KEY = planted("rk_live_", "51Nw8QxTb2VhKz7", "MyLd4RsJc9GfPa3Ue");
const TOTP_SEED = planted("K5QX", " W2LT", " NB7C", " ZRVD");
const PAIRING_CODE = "730 264";

/** Some are shown in front of an editor. */
export function heldOutDialogs(editors: ScreenshotSpec[]): ScreenshotSpec[] {
  const kind = "dialog" as const;
  return [
    {
      id: "held-dialog-programmer-missing",
      kind,
      theme: "dark",
      scale: 1,
      width: 520,
      height: 300,
      html: dialogPage({
        theme: "dark",
        skin: "windows",
        title: "STM32 Programmer",
        icon: "error",
        heading: "No ST-LINK probe detected",
        paragraphs: [
          "Plug the debug probe into a USB port and press Refresh. Its driver is installed with the programmer.",
        ],
        details: ["Error: DEV_USB_COMM_ERR", "Interface: SWD  Frequency: 4000 kHz"],
        buttons: ["Refresh", "Details", "Close"],
      }),
      expected: ["stm32", "programmer", "link", "probe", "detect", "debug", "usb"],
      secrets: [],
    },
    {
      id: "held-dialog-overwrite-gerber",
      kind,
      theme: "light",
      scale: 2,
      width: 1000,
      height: 420,
      html: dialogPage({
        theme: "light",
        skin: "mac",
        title: "Plot",
        icon: "warning",
        heading: "Overwrite 11 Gerber files?",
        paragraphs: [
          "The folder “fabrication” already holds the Gerber and drill files of revision B. This cannot be undone.",
        ],
        buttons: ["Overwrite", "Keep both", "Cancel"],
      }),
      expected: ["overwrite", "gerber", "files", "fabrication", "drill", "plot"],
      secrets: [],
    },
    {
      id: "held-dialog-camera-settings",
      kind,
      theme: "dark",
      scale: 1,
      width: 680,
      height: 430,
      html: dialogPage({
        theme: "dark",
        skin: "gnome",
        title: "Preferences",
        side: ["Camera", "Lidar", "Drive", "Audio", "Network", "About"],
        heading: "Camera calibration",
        paragraphs: ["Values of the front stereo pair. A new calibration takes about two minutes."],
        fields: [
          { label: "Resolution", value: "1280 × 720", as: "choice" },
          { label: "Frame rate", value: "30 fps", as: "choice" },
          { label: "Exposure", value: "8.3 ms" },
          { label: "Baseline", value: "62.4 mm" },
          { label: "Rectify images", value: "on", as: "tick" },
        ],
        buttons: ["Calibrate…", "Apply", "Cancel"],
      }),
      expected: ["camera", "calibrat", "stereo", "preference", "exposure", "setting"],
      secrets: [],
    },
    {
      id: "held-dialog-payment-key",
      kind,
      theme: "light",
      scale: 1,
      width: 640,
      height: 340,
      html: dialogPage({
        theme: "light",
        skin: "gnome",
        title: PAYMENT_KEY,
        heading: "Restricted key created",
        paragraphs: ["The web shop takes payments with it. Copy it now, it is not shown again."],
        fields: [
          { label: "Key", value: PAYMENT_KEY, as: "large" },
          { label: "Used by", value: "Web shop checkout" },
          { label: "May", value: "Create payments", as: "choice" },
        ],
        buttons: ["Copy key", "Close"],
      }),
      expected: ["restricted", "key", "created", "web", "shop", "payment", "checkout"],
      secrets: [PAYMENT_KEY, "51Nw8QxT", "4RsJc9Gf"],
    },
    {
      id: "held-dialog-two-step",
      kind,
      theme: "dark",
      scale: 2,
      width: 2400,
      height: 1500,
      html: dialogPage({
        theme: "dark",
        skin: "mac",
        title: `Code ${PAIRING_CODE}`,
        wide: 560,
        heading: "Set up two-step verification",
        paragraphs: ["Type this secret into your authenticator app, then enter the code that it shows."],
        fields: [
          { label: "Secret", value: TOTP_SEED, as: "large" },
          { label: "Code", value: PAIRING_CODE, as: "large" },
          { label: "Device name", value: "Workbench tablet" },
        ],
        buttons: ["Verify", "Not now"],
        behind: editors[0]?.html ?? "",
      }),
      expected: ["two", "step", "verification", "authenticator", "code", "setup"],
      secrets: [TOTP_SEED, "K5QX", "W2LT", "NB7C", "ZRVD", PAIRING_CODE, "730", "264"],
    },
    {
      id: "held-dialog-update",
      kind,
      theme: "light",
      scale: 1,
      width: 1366,
      height: 768,
      html: dialogPage({
        theme: "light",
        skin: "windows",
        title: "Firmware update",
        icon: "info",
        heading: "Version 3.2 is ready for the gimbal",
        paragraphs: [
          "The update takes four minutes. Leave the battery in and the propellers off.",
          "What is new: smoother yaw at low speed, a fix for horizon drift.",
        ],
        buttons: ["Update now", "Tonight", "Skip this version"],
        behind: editors[2]?.html ?? "",
      }),
      expected: ["firmware", "update", "gimbal", "version", "ready"],
      secrets: [],
    },
  ];
}

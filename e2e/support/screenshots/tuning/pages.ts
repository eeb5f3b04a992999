import { browserPage } from "../looks/browser-page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const CODE = "482 913";
const EMAIL = "ines.maurer@voltwerk.example";

export function tuningPages(): ScreenshotSpec[] {
  const kind = "document" as const;
  return [
    {
      id: "tune-page-pwm-docs",
      kind,
      theme: "light",
      scale: 1,
      width: 1280,
      height: 600,
      html: browserPage({
        theme: "light",
        skin: "windows",
        tabs: ["PWM output - MicroBoard docs", "New tab"],
        address: "https://docs.microboard.example/guide/pwm-output",
        site: "MicroBoard",
        links: ["Guide", "Reference", "Forum", "Store"],
        sideTitle: "GUIDE",
        side: ["Getting started", "PWM output", "Analog input", "Interrupts", "Serial", "Low power"],
        font: "wide",
        blocks: [
          { as: "h1", text: "PWM output" },
          {
            as: "p",
            text: "Every timer channel can drive a pin with pulse width modulation. Use it for servos, dimmed LEDs and motor drivers.",
          },
          { as: "h2", text: "Choose a frequency" },
          { as: "p", text: "Servos expect 50 Hz. For motors stay above 20 kHz, where nobody hears the switching." },
          {
            as: "code",
            lines: [
              "timer = Timer(3, frequency=50)",
              "servo = timer.channel(1, pin='PB4')",
              "servo.pulse_width_us(1500)",
            ],
          },
          { as: "note", text: "A duty cycle of 0 % leaves the pin low; it does not float." },
        ],
      }),
      expected: ["pwm", "output", "microboard", "docs", "timer", "servo", "frequency"],
      secrets: [],
    },
    {
      id: "tune-page-sign-in-code",
      kind,
      theme: "light",
      scale: 2,
      width: 1760,
      height: 860,
      html: browserPage({
        theme: "light",
        skin: "mac",
        tabs: [`Your code is ${CODE} - Mail`, "Calendar"],
        address: "https://mail.example.com/inbox/1893",
        site: "Mail",
        links: ["Inbox (3)", "Sent", "Drafts", "Archive"],
        blocks: [
          { as: "h2", text: "Confirm your sign-in to the parts store" },
          { as: "p", text: `To: ${EMAIL}` },
          {
            as: "p",
            text: "Somebody signs in to your account at Kelvin Parts Store. Enter this code within ten minutes:",
          },
          { as: "big", text: CODE },
          { as: "p", text: "It was not you? Then change your password; nobody can sign in without the code." },
        ],
      }),
      expected: ["confirm", "sign", "parts", "store", "code", "kelvin", "mail", "account"],
      secrets: [CODE, "482", "913", EMAIL, "maurer", "voltwerk"],
    },
    {
      id: "tune-page-issue",
      kind,
      theme: "dark",
      scale: 1,
      width: 1180,
      height: 560,
      html: browserPage({
        theme: "dark",
        skin: "gnome",
        tabs: ["Encoder count drifts at high speed · Issue #214", "Pull requests"],
        address: "https://code.example.com/openservo/firmware/issues/214",
        site: "openservo / firmware",
        links: ["Code", "Issues 38", "Pull requests 6", "Actions", "Wiki"],
        blocks: [
          { as: "h1", text: "Encoder count drifts at high speed #214" },
          { as: "p", text: "Open · tobi-w opened this 3 days ago · 5 comments" },
          {
            as: "p",
            text: "Above 4000 rpm the quadrature encoder loses about two counts per turn. The index pulse shows it clearly.",
          },
          { as: "h2", text: "Steps" },
          {
            as: "list",
            lines: [
              "Flash 2.4.0 to a board with the AS5047 encoder",
              "Spin the motor at 4500 rpm for ten seconds",
              "Compare the count with the index pulse",
            ],
          },
          { as: "code", lines: ["encoder: 40958 expected 40960", "encoder: 81915 expected 81920"] },
          { as: "p", text: "Labels: bug, encoder, needs hardware" },
        ],
      }),
      expected: ["encoder", "count", "drift", "speed", "issue", "firmware", "openservo"],
      secrets: [],
    },
  ];
}

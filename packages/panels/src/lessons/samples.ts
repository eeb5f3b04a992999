/** What a project without lessons can begin with. Simulators stand in for hardware. */
export const SAMPLE_LESSONS: readonly { path: string; text: string }[] = [
  {
    path: "lessons/first-steps/01-read-a-sensor.md",
    text: `# Read a sensor

A device sends its values to this workspace, and panels show them. Here you look at a temperature until you trust it.

## Connect a thermometer

Connect one of your own, or start a simulator below. A value must arrive.

Done when: */temperature/room_c > -40

Hint: The simulator is called Temperatures. It needs no hardware.

## Watch it for five seconds

Open the [temperature graph](panel:temperature-graph) and choose the device. A real sensor keeps sending: this step is done after five seconds without a gap.

Done when: */temperature/room_c between -20 and 60 for 5 s

Hint: If values stop for more than 3 seconds, the time begins again.

## Write down what you saw

Create the file [notes/sensor.md](notes/sensor.md) and write down the temperature with its unit, such as \`23.5 °C\`.

Done when: file notes/sensor.md contains "°C"

Hint: The link opens the code editor. Type the temperature, then save.
`,
  },
  {
    path: "lessons/first-steps/02-run-a-motor.md",
    text: `# Run a motor

A motor turns only while you hold its control, and stops when you let go. Here you see that it really does.

## Let it turn

Open [Motor control](panel:motor), press **Take control**, then **Arm**. Ask for 5 rad/s and keep *Hold to run* pressed. The motor must keep between 4.5 and 5.5 rad/s for two seconds.

Done when: */motor/velocity_rad_s between 4.5 and 5.5 for 2 s

Hint: Without a motor, start a simulator below.
Hint: Leaving the range empties the bar. Letting go does, too.

## Let go

Release *Hold to run*. The motor must stand still for one second.

Done when: */motor/velocity_rad_s between -0.3 and 0.3 for 1 s

Hint: Stop at the right end of the panel does the same, for every device.
`,
  },
];

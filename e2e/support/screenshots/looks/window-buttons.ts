export type Skin = "mac" | "windows" | "gnome";

/** The three window buttons in the style of the desktop. */
export function windowButtons(skin: Skin, colour: string): string {
  if (skin === "mac") {
    const dot = (fill: string, x: number) => `<circle cx="${x}" cy="7" r="6" fill="${fill}"/>`;
    return `<svg width="54" height="14">${dot("#ff5f57", 7)}${dot("#febc2e", 27)}${dot("#28c840", 47)}</svg>`;
  }
  const draw = `fill="none" stroke="${colour}" stroke-width="1.1"`;
  const round = skin === "gnome" ? `<circle cx="86" cy="8" r="8" fill="${colour}" opacity=".18"/>` : "";
  return `<svg width="96" height="16"><path ${draw} d="M4 9h9"/><rect ${draw} x="44" y="4" width="8" height="8"/>${round}<path ${draw} d="M82 4l8 8M90 4l-8 8"/></svg>`;
}

/** On a Mac the buttons are on the left. */
export function withButtons(skin: Skin, colour: string, title: string): string {
  const buttons = windowButtons(skin, colour);
  return skin === "mac"
    ? `${buttons}<span class="t">${title}</span><i></i>`
    : `<span class="t">${title}</span>${buttons}`;
}

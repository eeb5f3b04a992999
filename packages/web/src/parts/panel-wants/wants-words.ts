import { type PanelWants, runsCode } from "@backplane/contract/panels";

export type WantLine = {
  kind: "reads" | "controls" | "files" | "tools" | "code" | "network";
  name: string;
  words: string;
  isNone: boolean;
};

const listed = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** What a panel wants, line by line. Every line is there, also when the answer is nothing. */
export function wantLines(wants: PanelWants): WantLine[] {
  const { read, control, files, tools } = wants;
  const of = (access: string) =>
    files.filter((each) => each.startsWith(`${access}:`)).map((each) => each.slice(access.length + 1));
  const [reads, writes] = [of("read"), of("write")];
  const readWords = read.includes("*") ? "Values of all devices." : `Values of ${listed(read)}. No other device.`;
  const fileWords = [
    reads.length > 0 ? `Reads ${listed(reads)}.` : "Reads nothing.",
    writes.length > 0 ? `Writes ${listed(writes)}.` : "Writes nothing.",
  ];
  return [
    {
      ...{ kind: "reads", name: "Reads", isNone: read.length === 0 },
      words: read.length === 0 ? "No values of devices." : readWords,
    },
    {
      ...{ kind: "controls", name: "Controls", isNone: control.length === 0 },
      words:
        control.length === 0
          ? "Nothing. It cannot move or switch anything."
          : `${listed(control)}. You still take control and arm it yourself; these buttons are outside the panel.`,
    },
    {
      ...{ kind: "files", name: "Files", isNone: files.length === 0 },
      words: files.length === 0 ? "None of the project." : fileWords.join(" "),
    },
    {
      ...{ kind: "tools", name: "Agents", isNone: tools.length === 0 },
      words:
        tools.length === 0
          ? "It offers them nothing."
          : `While it is open, agents may call ${listed(tools)}. It then does what it may do itself.`,
    },
    {
      ...{ kind: "code", name: "Programs", isNone: !runsCode(wants) },
      words: runsCode(wants)
        ? "Whoever may drive panels here may run code of their own in it, and use what it reads and its files."
        : "They cannot run code in it.",
    },
    {
      ...{ kind: "network", name: "Network", isNone: true },
      words: "None. Its frame cannot load or send anything outside.",
    },
  ];
}

/** In a few words, for a list. */
export function wantsInShort(wants: PanelWants): string {
  const { read, control, files } = wants;
  const parts = [
    read.length > 0 && `reads ${read.includes("*") ? "all devices" : listed(read)}`,
    control.length > 0 && `controls ${listed(control)}`,
    files.length > 0 && `files: ${listed(files.map((each) => each.replace(":", " ")))}`,
    runsCode(wants) && "runs code of programs",
  ].filter((part) => part !== false);
  return parts.length === 0 ? "wants nothing" : parts.join(" · ");
}

import type { Command } from "commander";
import { TOPICS } from "./topics.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** What can follow after these words of a command line. */
type Place = { after: string; words: readonly Word[] };
type Word = { word: string; says: string };

/** The script that completes commands, options and choices. Everything is in it, so that completing starts no program. */
export function completionFor(program: Command, shell: Shell): string {
  const topics = TOPICS.map(({ name }) => ({ word: name, says: "guide" }));
  const places = placesOf(program, "")
    .map((place) => (place.after === "help" ? { ...place, words: [...place.words, ...topics] } : place))
    .filter(({ words }) => words.length > 0);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}

function placesOf(command: Command, after: string): Place[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const below = help.visibleCommands(command);
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const commands = below.map((each) => ({ word: each.name(), says: firstClause(each.description()) }));
  const words = [
    ...commands,
    ...choices.map((word) => ({ word, says: "" })),
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? "", says: firstClause(description) })),
  ];
  const values = options.map(({ long, argChoices = [] }) => ({
    after: `${after} ${long}`.trim(),
    words: argChoices.map((word) => ({ word, says: "" })),
  }));
  const deeper = below.flatMap((each) => {
    const here = `${after} ${each.name()}`.trim();
    return each.name() === "help" ? [{ after: here, words: commands }] : placesOf(each, here);
  });
  return [{ after, words }, ...values, ...deeper];
}

/** Short, and without characters that mean something to shells. */
const firstClause = (text: string): string =>
  (text.split(/[;:(]/)[0] ?? "")
    .replaceAll("'", "’")
    .replace(/["`$\\]/g, "")
    .trim();

const wordList = ({ words }: Place): string => words.map(({ word }) => word).join(" ");

// In each script `at` becomes the commands so far, such as "pkg install", and then an option with choices right before the cursor.

const bashScript = (places: readonly Place[]): string => `_backplane() {
  local at= index word
  local last=\${COMP_WORDS[COMP_CWORD - 1]} current=\${COMP_WORDS[COMP_CWORD]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case $word in -*) continue ;; esac
    if [ -n "$(_backplane_words "\${at:+$at }$word")" ]; then at="\${at:+$at }$word"; fi
  done
  local words=$(_backplane_words "\${at:+$at }$last")
  case $words in '') words=$(_backplane_words "$at") ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_backplane_words() {
  case $1 in
${places.map((place) => `    '${place.after}') echo '${wordList(place)}' ;;`).join("\n")}
  esac
}
complete -o default -F _backplane backplane
`;

const zshScript = (places: readonly Place[]): string => `#compdef backplane
_backplane() {
  local at= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word = -* ]] && continue
    _backplane_words "\${at:+$at }$word"
    if (( $#found )); then at="\${at:+$at }$word"; fi
  done
  _backplane_words "\${at:+$at }$words[CURRENT-1]"
  (( $#found )) || _backplane_words "$at"
  _describe backplane found || _files
}
_backplane_words() {
  found=()
  case $1 in
${places.map(({ after, words }) => `    '${after}') found=(${words.map(zshWord).join(" ")}) ;;`).join("\n")}
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _backplane backplane
`;

const zshWord = ({ word, says }: Word): string => `'${word}${says === "" ? "" : `:${says}`}'`;

const fishScript = (places: readonly Place[]): string => `function __backplane_at
  set -l known ${places.map(({ after }) => `'${after}'`).join(" ")}
  set -l at ''
  set -l words (commandline -opc)[2..-1]
  for word in $words
    string match -q -- '-*' "$word"; and continue
    set -l next (string trim "$at $word")
    contains -- "$next" $known; and set at "$next"
  end
  set -l next (string trim "$at $words[-1]")
  contains -- "$next" $known; and set at "$next"
  test "$at" = "$argv[1]"
end
${places.flatMap(({ after, words }) => words.map((each) => fishLine(after, each))).join("\n")}
`;

/** -f: where commands or choices follow, files do not. */
const fishLine = (after: string, { word, says }: Word): string =>
  `complete -c backplane -n "__backplane_at '${after}'"${word.startsWith("-") ? "" : " -f"} -a '${word}'${says === "" ? "" : ` -d '${says}'`}`;

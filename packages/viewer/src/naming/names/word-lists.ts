/** Never in a name. */
const STOP =
  "a about above actually after again all already also although always am an and another any anyone anything are around as at away back be because been before being below between both but by came can cannot cant come could couldnt did didnt do does doesnt doing done dont down during each either else etc even ever every few first for from get gets getting give given go goes going got had has hasnt have having he her here hers him his how however i if in instead into is isnt it its itself just know last least less let lets like made make makes many may me might mine more most much must my near need needs neither never next nor not now of off often on once one only onto or other others our out over own perhaps please put quite rather really same say says see seem shall she should shouldnt since so some something soon still such sure take than that the their them then there these they thing things this those though through thus to too toward two under until up upon us use used uses using very via want wants was wasnt way we well went were werent what when where whether which while who whom whose why will with within without wont would wouldnt yes yet you your yours yourself";

/** What every window shows: menus, buttons, columns, months, units, parts of paths and programs. In a name only if better words are missing. */
const INTERFACE =
  "file files edit view help ok okay cancel yes no close apply save open new window windows tools tool insert format selection search find replace options preferences settings back forward home menu more less show hide learn details continue done finish previous next retry ignore skip submit copy paste cut undo redo select all none name type value values status state total item items row rows column columns page pages sheet title date time today yesterday tomorrow updated created modified size id ids rev revision number true false null undefined ln col spaces utf crlf lf tab tabs untitled overview dashboard explorer outline problems output terminal debug console run go git main master src lib usr var etc bin opt tmp dist node modules index users user root localhost http https www com org net html htm info warn trace int str string const let def function func return import export default public private static void class struct async await self this include eda kicad version ver loading please monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt ms sec min hrs kb mb gb tb px mhz ghz khz hz mv ma kohm ohm";

/** On buttons and in headings; useful only together with other words. */
const ACTIONS =
  "delete remove discard confirm accept allow deny install update upgrade download upload send share print import export login logout sign connect disconnect start stop restart reset refresh reload add create enable disable keep quit exit try again";

/** Errors: what most screenshots are taken for. They make a line rank higher. */
const SIGNALS =
  "error errors failed failure fail fails failing exception warning timeout timed denied refused fatal panic invalid missing conflict conflicts crash crashed unauthorized forbidden corrupted corrupt overflow unreachable unable unavailable blocked rejected expired declined exceeded broken aborted abort critical alarm alert traceback violation mismatch unsupported unknown disconnected leak deadlock rollback outage violated undervoltage overvoltage overcurrent overheating segfault";

export const STOP_WORDS: ReadonlySet<string> = new Set(STOP.split(" "));
const INTERFACE_WORDS: ReadonlySet<string> = new Set(INTERFACE.split(" "));
export const SIGNAL_WORDS: ReadonlySet<string> = new Set(SIGNALS.split(" "));
export const ACTION_WORDS: ReadonlySet<string> = new Set(ACTIONS.split(" "));

export function isInterfaceWord(word: string): boolean {
  return INTERFACE_WORDS.has(word);
}

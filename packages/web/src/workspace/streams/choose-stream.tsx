import type { AddedStream, NewStream, PushAccess, Stream, Streams } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type FormEvent, useState } from "react";
import { call, type Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { useWork } from "../../calls/use-action.ts";
import { Button, FormButtons } from "../../parts/button.tsx";
import { FaultLine, Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import { PushCard } from "./push-card.tsx";

export const streamsPath = (workspace: WorkspaceName): string => workspaceRoute(workspace, "/streams");
export const streamPath = (workspace: WorkspaceName, name: string): string =>
  `${streamsPath(workspace)}/${encodeURIComponent(name)}`;

const TEST_CAMERA: NewStream = { name: "test-camera", kind: "test" };

type Props = {
  workspace: WorkspaceName;
  list: Streams;
  mayControl: boolean;
  /** A stream that was chosen and is not there. */
  missing: string | undefined;
  onChoose(stream: string): void;
  onChanged(): void;
};

/** A panel without a stream: those that there are, a test camera, and a form for one's own. */
export function ChooseStream({ workspace, list, mayControl, missing, onChoose, onChanged }: Props) {
  const { streams, ffmpeg } = list;
  const { busy, run } = useWork();
  const [fault, setFault] = useState<Fault>();
  /** A new one, or one whose settings are changed. */
  const [form, setForm] = useState<"new" | Stream>();
  const [pushed, setPushed] = useState<{ name: string; push: PushAccess }>();
  const test = streams.find(({ kind }) => kind === "test");

  const add = async (body: NewStream): Promise<Fault | undefined> => {
    const answer = await call<AddedStream>({ method: "POST", path: streamsPath(workspace), body });
    if (!answer.ok) return answer.fault;
    const { name, push } = answer.value;
    setForm(undefined);
    onChanged();
    if (push) setPushed({ name, push });
    else onChoose(name);
    return undefined;
  };
  const newKey = (name: string) =>
    run(async () => {
      const answer = await call<PushAccess>({ method: "POST", path: `${streamPath(workspace, name)}/key` });
      setFault(answer.ok ? undefined : answer.fault);
      if (answer.ok) setPushed({ name, push: answer.value });
    });
  const change = async (name: string, settings: JsonObject): Promise<Fault | undefined> => {
    const answer = await call({ method: "PUT", path: streamPath(workspace, name), body: { settings } });
    if (!answer.ok) return answer.fault;
    setForm(undefined);
    onChanged();
    return undefined;
  };
  const showTest = () => run(async () => (test ? onChoose(test.name) : setFault(await add(TEST_CAMERA))));
  const remove = (name: string) =>
    run(async () => {
      const answer = await call({ method: "DELETE", path: streamPath(workspace, name) });
      setFault(answer.ok ? undefined : answer.fault);
      onChanged();
    });

  return (
    <div className="choose-device choose-stream">
      <h3>Choose a camera</h3>
      {missing !== undefined && (
        <p role="status">
          <b>{missing}</b> is not in this workspace any more.
        </p>
      )}
      <p className="muted">
        {streams.length === 0
          ? "This workspace has no camera yet."
          : "Nothing is connected until somebody looks; whoever sees the workspace sees its cameras."}
      </p>
      {streams.length > 0 && (
        <ul className="device-list-frame stream-list">
          {streams.map((stream) => (
            <li key={stream.name}>
              <button type="button" className="stream-row" onClick={() => onChoose(stream.name)}>
                <b>{stream.name}</b>
                <span className="cut hint">{aboutStream(stream, list)}</span>
              </button>
              {mayControl && typeof stream.settings.address === "string" && (
                <button
                  type="button"
                  className="icon-btn small"
                  aria-label={`Edit ${stream.name}`}
                  onClick={() => setForm(stream)}
                >
                  <Icon name="pencil" />
                </button>
              )}
              {mayControl && stream.kind === "whip" && (
                <button
                  type="button"
                  className="icon-btn small"
                  aria-label={`New key for ${stream.name}`}
                  title="New key; the one before does not work any more"
                  onClick={() => void newKey(stream.name)}
                >
                  <Icon name="key" />
                </button>
              )}
              {mayControl && (
                <button
                  type="button"
                  className="icon-btn small"
                  aria-label={`Remove ${stream.name}`}
                  onClick={() => void remove(stream.name)}
                >
                  <Icon name="trash" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayControl ? (
        <>
          <div className="start-simulator">
            <Button
              icon="simulator"
              busy={busy}
              disabled={ffmpeg === null}
              describedBy="stream-test-hint"
              {...(streams.length === 0 ? { look: "primary" as const } : {})}
              onClick={() => void showTest()}
            >
              Use the test camera
            </Button>
            {form !== "new" && (
              <Button
                icon="plus"
                onClick={() => {
                  setPushed(undefined);
                  setForm("new");
                }}
              >
                Add a camera
              </Button>
            )}
          </div>
          <p className="hint" id="stream-test-hint">
            {ffmpeg === null
              ? "The test camera needs ffmpeg, which is not installed on the server (Debian: apt install ffmpeg). RTSP cameras with H.264 work without it."
              : "No camera needed: a moving picture that shows its own number."}
          </p>
          {pushed && <PushCard {...pushed} onShow={() => onChoose(pushed.name)} />}
          {form !== undefined && (
            <CameraForm
              key={form === "new" ? "" : form.name}
              {...{ before: form === "new" ? undefined : form, add, change }}
              onCancel={() => setForm(undefined)}
            />
          )}
        </>
      ) : (
        <p className="hint">Cameras are added by people who may control devices.</p>
      )}
      {fault && <FaultLine>{faultWords(fault)}</FaultLine>}
    </div>
  );
}

const aboutStream = ({ kind, settings }: Stream, { kinds }: Streams): string => {
  const name = kinds.find((known) => known.kind === kind)?.name ?? kind;
  return typeof settings.address === "string" ? `${name}, ${settings.address}` : name;
};

type FormProps = {
  /** Whose settings are changed. Undefined: a new one. */
  before: Stream | undefined;
  add(stream: NewStream): Promise<Fault | undefined>;
  change(name: string, settings: JsonObject): Promise<Fault | undefined>;
  onCancel(): void;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** How servers name what they have by WHEP. */
const kindOf = (address: string): "rtsp" | "whep" | "hls" => {
  if (!/^https?:/i.test(address)) return "rtsp";
  return /\/whep\/?(\?|$)/i.test(address) ? "whep" : "hls";
};

/** A camera by RTSP, or a stream that another server has as WHEP or HLS: its address says which, unless somebody chooses. */
function CameraForm({ before, add, change, onCancel }: FormProps) {
  const { busy, run } = useWork();
  const [values, setValues] = useState({
    ...{ name: before?.name ?? "", address: textOf(before?.settings.address) || "rtsp://" },
    ...{ user: textOf(before?.settings.user), password: "", token: "" },
  });
  const [fault, setFault] = useState<Fault>();
  const [chosen, setChosen] = useState<"whep" | "hls">();
  const [isPushed, setPushed] = useState(false);
  const guessed = kindOf(values.address.trim());
  const kind = before?.kind ?? (isPushed ? "whip" : guessed === "rtsp" ? guessed : (chosen ?? guessed));
  const faultOf = (pointer: string) => fault?.errors.find((each) => each.pointer === pointer)?.message;
  const field = (name: keyof typeof values, label: string, pointer: string) => ({
    ...{ name, label, value: values[name], fault: faultOf(pointer) },
    onChange: (value: string) => setValues((all) => ({ ...all, [name]: value })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, address, user, password, token } = values;
    const given = kind === "rtsp" ? { user, password } : { token };
    const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
    const settings = isPushed ? {} : { address: address.trim(), ...filled };
    void run(async () => setFault(await (before ? change(before.name, settings) : add({ name, kind, settings }))));
  };
  const secretHint = before?.secrets.length
    ? "Is kept on the server; leave it empty to keep the one that is there"
    : "Is kept on the server, and is never shown again";
  return (
    <form className="add-stream" onSubmit={submit}>
      {before ? (
        <h4>{before.name}</h4>
      ) : (
        <Field
          {...field("name", "Name", "/name")}
          hint="Letters, digits, dots and dashes, such as front-door"
          maxLength={64}
        />
      )}
      {!before && (
        <Segmented
          label="Who connects"
          choices={[
            ["from", "Backplane connects to it"],
            ["to", "It pushes here (WHIP)"],
          ]}
          value={isPushed ? "to" : "from"}
          onChange={(value) => setPushed(value === "to")}
        />
      )}
      {isPushed ? (
        <p className="hint">
          For a program such as OBS, or a camera that cannot be reached from here. Its address and key come next.
        </p>
      ) : (
        <>
          <Field
            {...field("address", "Address", "/settings/address")}
            hint="As the manual of the camera says, without user name and password; or https://… of a stream by WHEP or HLS"
            maxLength={1_024}
          />
          {!before && kind !== "rtsp" && (
            <Segmented
              label="How it comes"
              choices={[
                ["whep", "WHEP, little delay"],
                ["hls", "HLS, some seconds late"],
              ]}
              value={kind}
              onChange={(value) => setChosen(value === "whep" ? "whep" : "hls")}
            />
          )}
          {kind !== "rtsp" ? (
            <Field
              {...field("token", "Token", "/settings/token")}
              hint={`If the server wants one. ${secretHint}`}
              type="password"
              autoComplete="new-password"
              maxLength={4_096}
            />
          ) : (
            <>
              <Field {...field("user", "User", "/settings/user")} hint="If the camera wants one" maxLength={128} />
              <Field
                {...field("password", "Password", "/settings/password")}
                hint={secretHint}
                type="password"
                autoComplete="new-password"
                maxLength={256}
              />
            </>
          )}
        </>
      )}
      {fault && fault.errors.length === 0 && <FaultLine>{faultWords(fault)}</FaultLine>}
      <FormButtons submit={before ? "Save" : "Add"} busy={busy} onCancel={onCancel} />
    </form>
  );
}

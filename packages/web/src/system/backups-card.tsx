import type { Backup, BackupDay, Backups, StartedBackup } from "@backplane/contract/backups";
import { Fragment, type ReactNode, useState } from "react";
import { LoadFailed } from "../calls/load-failed.tsx";
import { useAction } from "../calls/use-action.ts";
import { usePolled } from "../calls/use-polled.ts";
import { sizeWords } from "../packages/words.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { State, type Tone } from "../parts/state.tsx";
import { terminalName } from "../parts/terminal-command.ts";
import { ends, happened } from "../parts/times.ts";
import { sentenceCase } from "../parts/words.ts";
import { Card } from "./card.tsx";
import { backupDayWords, backupFacts, backupStates, isInStore, RESTORED_FOLDER, restoreCommand } from "./words.ts";

const PATH = "/api/system/backups";
const POLL_EVERY_MS = 5_000;
/** While one runs. */
const POLL_RUNNING_MS = 1_000;

/** Backups: the last and the next one, all that are known, and a button that takes one. */
export function BackupsCard({ isWarned }: { isWarned: boolean }) {
  const [isRunning, setRunning] = useState(false);
  const { value, fault, reload } = usePolled<Backups>(PATH, isRunning ? POLL_RUNNING_MS : POLL_EVERY_MS);
  const { busy, fault: refused, act } = useAction();
  const { running } = value ? backupStates(value) : { running: undefined };
  if ((running !== undefined) !== isRunning) setRunning(running !== undefined);
  return (
    <Card
      title="Backups"
      aside={
        <Button
          size="small"
          look="primary"
          busy={busy || running !== undefined}
          onClick={() => act<StartedBackup>({ method: "POST", path: PATH }, reload)}
        >
          Back up now
        </Button>
      }
    >
      <div className="backup-notes">
        <FaultNote>{refused}</FaultNote>
        {fault && <LoadFailed title="Backups could not be loaded." fault={fault} onRetry={reload} />}
        {value && <BackupNotes backups={value} isWarned={isWarned} />}
      </div>
      {value && <BackupFigures backups={value} />}
      {value && value.backups.length > 0 && <BackupTable backups={value.backups} />}
    </Card>
  );
}

/** What is missing, what failed, what is under way. At the top of the page, a warning may have said it already. */
function BackupNotes({ backups, isWarned }: { backups: Backups; isWarned: boolean }) {
  const { last, running, failed } = backupStates(backups);
  return (
    <>
      {backups.next === undefined && !isWarned && (
        <Note tone="warn">
          <strong>{last ? "No backup is planned." : "There is no backup."}</strong>{" "}
          {last ? "What changes from now on is lost" : "Everything is lost"} when this disk or database fails. Set{" "}
          <code>BACKUP_EVERY</code> to take one regularly.
        </Note>
      )}
      {failed && !isWarned && (
        <Note tone="danger">
          <strong>The last backup failed.</strong> {failed.error ?? "The log of the platform says why."}
        </Note>
      )}
      <div role="status">
        {running && (
          <Note>
            <strong>A backup is running.</strong>{" "}
            {running.progress &&
              `${sentenceCase(running.progress.step)}, ${sizeWords(running.progress.bytes)} written.`}
          </Note>
        )}
      </div>
    </>
  );
}

function Figure({ label, children, line }: { label: string; children: ReactNode; line?: string }) {
  return (
    <div>
      <span className="small muted">{label}</span>
      <b className="figure">{children}</b>
      {line !== undefined && <span className="dense muted">{line}</span>}
    </div>
  );
}

function BackupFigures({ backups }: { backups: Backups }) {
  const now = new Date();
  const { last } = backupStates(backups);
  return (
    <div className="backup-figures">
      <Figure label="Last backup" {...(last && { line: backupFacts(last) })}>
        {last ? sentenceCase(happened(new Date(last.startedAt), now)) : "None"}
      </Figure>
      <Figure label="Next backup">
        {backups.next === undefined ? "Not planned" : sentenceCase(ends(new Date(backups.next), now))}
      </Figure>
      {backups.days && <BackupDays days={backups.days} />}
    </div>
  );
}

const lookOf = ({ done, failed }: BackupDay): string | undefined =>
  failed > 0 ? (done > 0 ? "slow" : "bad") : done > 0 ? "ok" : undefined;

/** One pin per day, today last. */
function BackupDays({ days }: { days: readonly BackupDay[] }) {
  return (
    <div>
      <span className="small muted">The last {days.length} days</span>
      <div className="pins wide" aria-hidden="true">
        {days.map((each) => (
          <i className={lookOf(each)} key={each.day} title={each.day} />
        ))}
      </div>
      <span className="dense muted">{backupDayWords(days)}</span>
    </div>
  );
}

const states: Record<Backup["state"], { tone: Tone; word: string }> = {
  done: { tone: "ok", word: "Whole" },
  running: { tone: "off", word: "Running" },
  failed: { tone: "danger", word: "Failed" },
};

function BackupTable({ backups }: { backups: readonly Backup[] }) {
  const [restoring, setRestoring] = useState<string>();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Taken</th>
          <th>State</th>
          <th className="wide-only num">Size</th>
          <th className="wide-only">Where</th>
          <th>
            <span className="sr">Restore</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {backups.map((backup) => (
          <Fragment key={backup.id}>
            <BackupRow
              backup={backup}
              isOpen={restoring === backup.id}
              onToggle={() => setRestoring(restoring === backup.id ? undefined : backup.id)}
            />
            {restoring === backup.id && (
              <tr>
                <td colSpan={COLUMNS}>
                  <RestoreCommand backup={backup} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

const COLUMNS = 5;

type BackupRowProps = { backup: Backup; isOpen: boolean; onToggle: () => void };

function BackupRow({ backup: { startedAt, state, bytes, place, error }, isOpen, onToggle }: BackupRowProps) {
  const taken = happened(new Date(startedAt), new Date());
  return (
    <tr>
      <td className="nowrap">{sentenceCase(taken)}</td>
      <td>
        <State {...states[state]} />
        {error !== undefined && <div className="dense muted anywhere">{error}</div>}
      </td>
      <td className="wide-only num nowrap">{bytes === undefined ? "" : sizeWords(bytes)}</td>
      <td className="wide-only mono anywhere">{place}</td>
      <td className="num">
        {state === "done" && (
          <Button
            size="small"
            look="quiet"
            label={`Restore the backup of ${taken}`}
            expanded={isOpen}
            onClick={onToggle}
          >
            Restore
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Restoring needs an empty machine, so it is a command there, and not a button here. */
function RestoreCommand({ backup }: { backup: Backup }) {
  const command = restoreCommand(terminalName(), backup);
  return (
    <div className="restore" role="status">
      <p className="dense">
        Run this on the machine that should have it. It restores into a new folder, <code>{RESTORED_FOLDER}</code>, and
        overwrites nothing. Then start it there with <code>{terminalName()} up</code>.
        {isInStore(backup) && " Both need the S3_ settings of this Backplane."}
      </p>
      <Command text={command} className="prompted anywhere" />
      <div className="row">
        <CopyButton text={command} />
      </div>
    </div>
  );
}

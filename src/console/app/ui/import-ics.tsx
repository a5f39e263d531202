/** Imports an .ics file, and says what came of it. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ImportReport } from '../../../client/almanac-client.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { Foreign } from './text.tsx';

const reportText = ({ created, updated, unchanged, skipped, failed }: ImportReport): string =>
  [
    `${created} new`,
    ...(updated ? [`${updated} changed`] : []),
    ...(unchanged ? [`${unchanged} known already`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(failed ? [`${failed} could not be read`] : []),
  ].join(', ');

export const ImportIcs = () => {
  const id = useId();
  const faults = useSignal<string[]>([]);
  const busy = useSignal(false);
  const take = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (!file) return;
    busy.value = true;
    await attempt(async () => {
      const report = await client.calendar.importIcs({ body: await file.text() }, { timeout: 120_000 });
      touchAll();
      say(`Imported: ${reportText(report)}`);
      faults.value = report.components
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ line, reason }) => `Line ${line}: ${reason ?? 'not readable'}`)
        .slice(0, 5);
    });
    busy.value = false;
    input.value = '';
  };
  return (
    <div class="import-ics">
      <label for={id}>Import an .ics file</label>
      <input
        id={id}
        type="file"
        accept=".ics,text/calendar"
        disabled={busy.value}
        onChange={(event) => void take(event.currentTarget)}
      />
      {faults.value.map((fault) => (
        <Foreign key={fault} lines={2}>
          {fault}
        </Foreign>
      ))}
    </div>
  );
};

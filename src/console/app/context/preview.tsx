/** What an export would contain: its results as lines or as JSON, how many tokens they have, and what was left out. */
import { signal, useSignal } from '@preact/signals';
import { screen } from '../state/address.ts';
import { attempt } from '../state/messages.ts';
import { resource } from '../state/resource.ts';
import { pastClient } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { counted } from '../ui/words.ts';
import { download, MOST_RESULTS } from './download.ts';
import { asQuery, format, query } from './query.ts';
import { groupText, headOf, idOf, sayOf, type Item } from './result-text.ts';

const SHOWN = 100;
type Answer = {
  results: Item[];
  as_of_seq: number;
  next_cursor: string | null;
  omitted?: { count: number; oldest: string; newest: string } | null;
  token_count?: number;
  missing?: string[];
};

export const exported = resource(
  () => (screen.value === 'context' ? query.value : null),
  ['traces', 'plans', 'events'],
  async (asked) => {
    const parameters = { ...asQuery(asked), ...(asked.export_format === 'summary' ? {} : { limit: SHOWN }) };
    const answer: unknown = await pastClient.memport.export(parameters);
    return answer as Answer;
  },
);

const asJson = signal(false);
const number = (n: number): string => n.toLocaleString();
const Id = ({ of }: { of: Item }) => {
  const id = idOf(of);
  return id === undefined ? null : (
    <small>
      <Foreign lines={1}>{id}</Foreign>
    </small>
  );
};

const Results = ({ results }: { results: Item[] }) => (
  <ol class="results">
    {results.slice(0, SHOWN).map((item, n) => (
      <li key={n}>
        {item['group'] !== undefined && item['group'] !== results[n - 1]?.['group'] && (
          <h3>
            <Foreign lines={1}>{groupText(item['group'])}</Foreign>
          </h3>
        )}
        <small>
          <Foreign lines={1}>{headOf(item)}</Foreign>
        </small>
        <Foreign lines={4}>{sayOf(item)}</Foreign>
        <Id of={item} />
      </li>
    ))}
  </ol>
);

const Facts = ({ answer }: { answer: Answer }) => {
  const { results, omitted, token_count, as_of_seq, next_cursor, missing } = answer;
  const size =
    token_count === undefined ? `${number(JSON.stringify(results).length)} characters` : counted(token_count, 'token');
  return (
    <div role="status" class="facts">
      <p>
        <strong>{size}</strong> · {results.length ? counted(results.length, 'result') : 'nothing found'}
        {next_cursor !== null && ', and more on further pages'} · ledger number {as_of_seq}
      </p>
      {omitted && (
        <p>
          Left out: {counted(omitted.count, 'trace')} from {momentOf(omitted.oldest)} to {momentOf(omitted.newest)}
        </p>
      )}
      {omitted === null && token_count !== undefined && <p>Nothing was left out.</p>}
      {missing !== undefined && missing.length > 0 && <p>{missing.length} links lead to traces that do not exist.</p>}
    </div>
  );
};

const Download = () => {
  const isBusy = useSignal(false);
  const onClick = async (): Promise<void> => {
    isBusy.value = true;
    await attempt(download);
    isBusy.value = false;
  };
  return (
    <div class="buttons">
      <button type="button" disabled={isBusy.value} onClick={() => void onClick()}>
        {isBusy.value ? 'Downloading…' : 'Download'}
      </button>
      <small>
        A JSON file with the whole result{format.value !== 'summary' && `, ${number(MOST_RESULTS)} of it at most`}.
      </small>
    </div>
  );
};

export const Preview = () => {
  const answer = exported.data.value;
  const failed = exported.error.value;
  return (
    <Sheet title="Preview">
      {failed !== undefined && <Failure error={failed} />}
      {!answer ? (
        failed === undefined && <p>Loading…</p>
      ) : (
        <div class="preview-of" data-stale={exported.stale.value || failed !== undefined ? '' : undefined}>
          <Facts answer={answer} />
          <Download />
          <label class="check">
            <input type="checkbox" checked={asJson.value} onChange={() => (asJson.value = !asJson.value)} />
            <span>As JSON, as a model gets it</span>
          </label>
          {asJson.value ? (
            <pre tabIndex={0} aria-label="The export as JSON">
              {JSON.stringify(answer.results.slice(0, SHOWN), null, 1)}
            </pre>
          ) : (
            <div class="scroller" tabIndex={0} role="region" aria-label="The results">
              {answer.results.length ? <Results results={answer.results} /> : <p>Nothing matches.</p>}
            </div>
          )}
          {answer.results.length > SHOWN && <p class="quiet">The first {SHOWN} are shown.</p>}
        </div>
      )}
    </Sheet>
  );
};

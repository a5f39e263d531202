/** Checkpoints: an export under a name, which gives the same bytes again. */
import { useSignal } from '@preact/signals';
import { asOf } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { asJson, FORMATS, query, type Format } from './query.ts';

export const checkpoints = resource(
  () => ({}),
  ['profile', 'traces'],
  (given) => client.memport.checkpoints(given).all(),
);

/** The service takes no spaces (src/memport/schemas.ts, CheckpointTag). */
const tagOf = (typed: string): string => typed.trim().replaceAll(/\s+/g, '-');

const ALLOWED = 'A name has letters from a to z or A to Z, digits and _ . @ : + -';
const faultOf = (typed: string): string => {
  const tag = tagOf(typed);
  if (typed && !tag) return 'Write a name.';
  if (tag && !/^[\w.@:+-]+$/.test(tag)) return `${ALLOWED}, and no others.`;
  return /^\d+$/.test(tag) ? 'A name of digits alone would be a ledger number. Add a letter.' : '';
};

const make = ({ text }: Fields): Promise<boolean> => {
  const typed = text('tag').trim();
  const tag = tagOf(typed);
  const more = tag === typed ? '' : ', with “-” for spaces';
  return save(() => client.memport.makeCheckpoint({ tag, parameters: asJson(query.value) }), `Saved: ${tag}${more}`);
};

const NameField = () => {
  const typed = useSignal('');
  const tag = tagOf(typed.value);
  return (
    <>
      <label>
        Name{' '}
        <input
          name="tag"
          required
          maxLength={100}
          aria-describedby="checkpoint-name"
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            currentTarget.setCustomValidity(faultOf(currentTarget.value));
          }}
        />
      </label>
      <p id="checkpoint-name" class="quiet">
        {ALLOWED}, and not only digits.{' '}
        {/\s/.test(typed.value.trim()) ? `It is saved as “${tag}”.` : 'A space becomes “-”.'}
      </p>
    </>
  );
};

/** The name of a mode without what it explains. */
const formatText = (given: unknown): string => FORMATS[given as Format]?.split(':')[0] ?? String(given);

const remove = (tag: string): Promise<boolean> =>
  save(() => client.memport.deleteCheckpoint({ tag }), `Removed: ${tag}`);

export const Checkpoints = () => {
  const all = checkpoints.data.value ?? [];
  return (
    <Sheet
      title="Checkpoints"
      about="A checkpoint keeps these parameters and this moment. It gives the same export again, byte by byte."
    >
      {checkpoints.error.value !== undefined && <Failure error={checkpoints.error.value} />}
      {asOf.value === undefined ? (
        <Form draft="checkpoint" onSend={make}>
          <NameField />
          <div class="buttons">
            <button type="submit">Save as checkpoint</button>
          </div>
        </Form>
      ) : (
        <p class="quiet">Checkpoints are saved in the present. Go back to now to save one.</p>
      )}
      {all.length > 0 && (
        <ul class="items">
          {all.map(({ tag, seq, created_at, parameters }) => (
            <li key={tag}>
              <div class="line-of">
                <strong>
                  <Foreign lines={1}>{tag}</Foreign>
                </strong>
                {asOf.value === undefined && (
                  <button type="button" class="danger" aria-label={`Remove ${tag}`} onClick={() => void remove(tag)}>
                    Remove
                  </button>
                )}
              </div>
              <small>
                {formatText(parameters['export_format'])} · ledger number {seq} · {momentOf(created_at)}
              </small>
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  );
};

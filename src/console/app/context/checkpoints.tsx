/** Checkpoints: an export under a name, which gives the same bytes again. */
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
import { asJson, query } from './query.ts';

export const checkpoints = resource(
  () => ({}),
  ['profile', 'traces'],
  (given) => client.memport.checkpoints(given).all(),
);

const make = ({ text }: Fields): Promise<boolean> => {
  const tag = text('tag').trim();
  return save(() => client.memport.makeCheckpoint({ tag, parameters: asJson(query.value) }), `Saved: ${tag}`);
};

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
          <label>
            Name <input name="tag" required maxLength={100} pattern="[\w.@:+\-]*[A-Za-z_.@:+\-][\w.@:+\-]*" />
          </label>
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
                {String(parameters['export_format'])} · ledger number {seq} · {momentOf(created_at)}
              </small>
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  );
};

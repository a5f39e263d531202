/** Tags: when work with a tag happens, and how long it takes. */
import { asOf, parameter } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { lengthText } from '../state/wall-time.ts';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { ranges, setTag } from './preferences.ts';

export const tags = resource(
  () => ({}),
  ['profile'],
  async (given) => (await client.tempo.tags({ ...given, limit: 200 }).page()).items,
);

const TagForm = () => {
  const save = ({ text, ticked }: Fields): Promise<boolean> => {
    const chosen = ranges().flatMap(({ name }) => (ticked('range').includes(name) ? [name] : []));
    const minutes = text('minutes');
    const mapping = {
      ...(chosen.length ? { ranges: chosen } : {}),
      ...(minutes ? { duration_minutes: Number(minutes) } : {}),
    };
    return setTag(text('tag').trim(), mapping);
  };
  return (
    <Form draft="tag" onSend={save}>
      <div class="fields">
        <label>
          Tag{' '}
          <input
            name="tag"
            required
            maxLength={255}
            list="tempo-tags"
            placeholder="@deep_work"
            defaultValue={parameter('tag') ?? ''}
            dir="auto"
          />
        </label>
        <label>
          Minutes <input name="minutes" type="number" min={1} max={1440} placeholder="as built in" />
        </label>
        <datalist id="tempo-tags">
          {(tags.data.value ?? []).map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
      </div>
      <div class="days-of" role="group" aria-label="Preferred hours">
        {ranges().map(({ name }) => (
          <label key={name} class="check">
            <input type="checkbox" name="range" value={name} />
            <Foreign lines={1}>{name}</Foreign>
          </label>
        ))}
      </div>
      <div class="buttons">
        <button type="submit">Save tag</button>
      </div>
    </Form>
  );
};

export const Tags = () => {
  const mappings = Object.entries(profile.data.value?.tempo.tag_mappings ?? {});
  return (
    <Sheet
      title="Tags"
      about="When work with a tag happens and how long it takes. Without an entry, a tag has its built-in meaning."
    >
      {mappings.length > 0 && (
        <ul class="items">
          {mappings.map(([tag, { ranges: chosen, duration_minutes }]) => (
            <li key={tag}>
              <div class="line-of">
                <strong>
                  <Foreign lines={1}>{tag}</Foreign>
                </strong>
                {asOf.value === undefined && (
                  <button
                    type="button"
                    class="danger"
                    aria-label={`Remove ${tag}`}
                    onClick={() => void setTag(tag, null)}
                  >
                    Remove
                  </button>
                )}
              </div>
              <small>
                {(chosen ?? []).map((one) => (typeof one === 'string' ? one : one.name)).join(', ') || 'built-in hours'}{' '}
                · {duration_minutes === undefined ? 'built-in length' : lengthText(duration_minutes)}
              </small>
            </li>
          ))}
        </ul>
      )}
      <TagForm />
    </Sheet>
  );
};

/** What a person writes of a trace: a new note, or a change of one. */
import type { Trace } from '../../../client/almanac-client.ts';
import { change } from '../state/address.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';
import type { Fields } from '../ui/fields.ts';
import { Form, FormButtons } from '../ui/form.tsx';
import { useFocus } from '../ui/use-focus.ts';

export const WRITTEN = ['content', 'tags', 'task_id', 'notes'] as const;
export type Written = Pick<Trace, (typeof WRITTEN)[number]>;

/** The fields of the form have these names. */
export const writtenIn = (text: Fields['text']): Written => ({
  content: text('content'),
  tags: text('tags')
    .split(/[\s,]+/)
    .filter(Boolean),
  task_id: text('task_id').trim() || null,
  notes: text('notes') || null,
});

type Props = {
  draft: string;
  given: Written & { version?: number };
  action: string;
  /** Whether it is a new note. */
  fresh?: boolean;
  onSend: (fields: Fields) => Promise<boolean>;
  onDone: () => void;
};

export const NoteForm = ({ draft, given, action, fresh = false, onSend, onDone }: Props) => {
  const field = useFocus<HTMLTextAreaElement>();
  return (
    <Form class="edit" draft={draft} version={given.version} fresh={fresh} onSend={onSend}>
      <label>
        Text{' '}
        <textarea
          ref={field}
          name="content"
          rows={8}
          required
          maxLength={100_000}
          dir="auto"
          defaultValue={given.content}
        />
      </label>
      <label>
        Tags <input name="tags" dir="auto" defaultValue={given.tags.join(' ')} />
      </label>
      <label>
        Task <input name="task_id" maxLength={255} dir="auto" defaultValue={given.task_id ?? ''} />
      </label>
      <label>
        Comment <textarea name="notes" rows={3} maxLength={10_000} dir="auto" defaultValue={given.notes ?? ''} />
      </label>
      <FormButtons action={action} draft={draft} onDone={onDone} />
    </Form>
  );
};

const EMPTY: Written = { content: '', tags: [], task_id: null, notes: null };

/** An observation of the person. */
export const NewNote = () => {
  const onSend = ({ text }: Fields): Promise<boolean> =>
    save(async () => {
      const [made] = await client.memory.push({ traces: [{ type: 'observation', ...writtenIn(text) }] });
      change({ write: undefined, trace: made?.uid });
    }, 'The note is saved.');
  return (
    <article aria-label="New note">
      <h2>New note</h2>
      <NoteForm
        draft="note"
        fresh
        given={EMPTY}
        action="Save note"
        onSend={onSend}
        onDone={() => change({ write: undefined })}
      />
    </article>
  );
};

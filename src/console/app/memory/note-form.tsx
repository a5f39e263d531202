/** What a person writes of a trace: a new note, or a change of one. */
import { change } from '../state/address.ts';
import type { Fields } from '../ui/fields.ts';
import { Form, FormButtons } from '../ui/form.tsx';
import { useFocus } from '../ui/use-focus.ts';
import { addNote, type Written } from './notes.ts';

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
  isReady?: boolean;
  /** Whether it is a new note. */
  fresh?: boolean;
  onSend: (fields: Fields) => Promise<boolean>;
  onDone: () => void;
};

export const NoteForm = ({ draft, given, action, isReady, fresh = false, onSend, onDone }: Props) => {
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
      <FormButtons action={action} isReady={isReady} draft={draft} onDone={onDone} />
    </Form>
  );
};

const EMPTY: Written = { content: '', tags: [], task_id: null, notes: null };

/** An observation of the person. */
export const NewNote = () => {
  const onSend = async ({ text }: Fields): Promise<boolean> => {
    const trace = await addNote(writtenIn(text));
    if (trace !== undefined) change({ write: undefined, trace });
    return trace !== undefined;
  };
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

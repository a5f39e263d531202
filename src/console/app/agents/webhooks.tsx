/** Webhooks: where changes are sent to, how that goes, and a message to try it. */
import { signal, useSignal } from '@preact/signals';
import type { Webhook } from '../../../client/almanac-client.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { resource } from '../state/resource.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';
import { useAnswer } from '../state/use-answer.ts';
import { momentOf } from '../state/wall-time.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Failure } from '../ui/failure.tsx';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Foreign } from '../ui/text.tsx';
import { counted } from '../ui/words.ts';
import { useSecret } from './secret.ts';

export const webhooks = resource(
  () => ({}),
  ['profile', 'plans'],
  (given) => client.webhooks.list(given).all(),
);
/** The webhook that was added last, until its secret is copied: no other is added before. */
const made = signal<{ id: string; label: string; secret: string } | undefined>(undefined);

/** The kinds of changes, as people choose them. */
const CHOICES = {
  all: { name: 'Everything', types: null },
  plans: {
    name: 'Proposals and decisions',
    types: [
      'plan.proposed',
      'plan.approved',
      'plan.rejected',
      'plan.executed',
      'plan.edited',
      'plan.reopened',
      'plan.displaced',
    ],
  },
  events: { name: 'Events', types: ['event.created', 'event.updated', 'event.removed'] },
} as const;

const Deliveries = ({ id }: { id: string }) => {
  const { data, error } = useAnswer(id, ['plans', 'profile'], () => client.webhooks.deliveries({ id }));
  if (error !== undefined) return <Failure error={error} />;
  if (!data) return <p>Loading…</p>;
  if (!data.length) return <p class="quiet">Nothing was sent yet.</p>;
  return (
    <ol class="deliveries">
      {data.map(({ at, message_id, type, attempt: turn, delivered, status, error: why, duration_ms }) => (
        <li key={`${message_id} ${at} ${turn}`} class={delivered ? undefined : 'bad'}>
          {momentOf(at)} · {type} ·{' '}
          {delivered ? `delivered (${status ?? ''})` : `failed (${why ?? status ?? 'no answer'})`} · try {turn} ·{' '}
          {duration_ms} ms
        </li>
      ))}
    </ol>
  );
};

const stateText = ({ status, paused_reason, failing_since, failures, behind, last_delivery_at }: Webhook): string => {
  if (status === 'paused') return paused_reason ?? 'Paused by you.';
  if (failing_since !== null)
    return `Fails since ${momentOf(failing_since)}, ${counted(failures, 'time')}; ${counted(behind, 'change waits', 'changes wait')}.`;
  return last_delivery_at === null ? 'Nothing was delivered yet.' : `Last delivery ${momentOf(last_delivery_at)}.`;
};

const One = ({ webhook }: { webhook: Webhook }) => {
  const open = useSignal(false);
  const { id, url, description, types, status } = webhook;
  const name = description ?? url;
  const next = status === 'active' ? 'paused' : 'active';
  return (
    <li data-ended={status === 'paused' ? '' : undefined}>
      <strong>
        <Foreign lines={2}>{name}</Foreign>
      </strong>
      {description !== null && (
        <small>
          <Foreign lines={2}>{url}</Foreign>
        </small>
      )}
      <small class={webhook.failing_since === null ? undefined : 'bad'}>{stateText(webhook)}</small>
      <small>{types === null ? 'All changes' : types.join(', ')}</small>
      <div class="buttons">
        <button
          type="button"
          aria-label={`Send a test to ${name}`}
          onClick={() => void attempt(async () => test(await client.webhooks.test({ id })))}
        >
          Test
        </button>
        <button
          type="button"
          aria-label={`${status === 'active' ? 'Pause' : 'Resume'} ${name}`}
          onClick={() =>
            void save(
              () => client.webhooks.update({ id, updates: { status: next } }),
              next === 'paused' ? 'Paused.' : 'Resumed. What happened meanwhile is sent now.',
            )
          }
        >
          {status === 'active' ? 'Pause' : 'Resume'}
        </button>
        <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          Deliveries
        </button>
        <AskFirst
          name="Remove"
          label={`Remove ${name}`}
          confirm="Remove for ever"
          onConfirm={() => void save(() => client.webhooks.remove({ id }), 'Webhook removed.')}
        />
      </div>
      {open.value && <Deliveries id={id} />}
    </li>
  );
};

const test = ({
  delivered,
  status,
  error,
}: {
  delivered: boolean;
  status: number | null;
  error: string | null;
}): void => {
  touchAll();
  say(
    delivered ? `The test was delivered (${status ?? ''}).` : `The test failed: ${error ?? `status ${status ?? '?'}`}`,
  );
};

const NewWebhook = () => {
  const add = ({ text }: Fields): Promise<boolean> => {
    const { types } = CHOICES[text('types') as keyof typeof CHOICES];
    const description = text('description').trim();
    return attempt(async () => {
      const { id, url, secret } = await client.webhooks.create({
        url: text('url').trim(),
        types: types === null ? null : [...types],
        ...(description ? { description } : {}),
      });
      made.value = { id, label: url, secret };
      touchAll();
    });
  };
  return (
    <Form draft="webhook" onSend={add}>
      <div class="fields">
        <label>
          Address that gets the changes{' '}
          <input name="url" type="url" required maxLength={2000} placeholder="https://…" autocomplete="off" />
        </label>
        <label>
          What for <input name="description" maxLength={200} dir="auto" />
        </label>
        <label>
          What is sent{' '}
          <select name="types">
            {Object.entries(CHOICES).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="buttons">
        <button type="submit">Add webhook</button>
      </div>
    </Form>
  );
};

const isThere = (asked: string): boolean => webhooks.data.value?.some(({ id }) => id === asked) ?? false;

export const Webhooks = () => {
  const { shown, gone } = useSecret(made, isThere);
  return (
    <Sheet
      title="Webhooks"
      about="Each change is sent to the address, signed as Standard Webhooks ask for, until it arrives."
    >
      {webhooks.error.value !== undefined && <Failure error={webhooks.error.value} />}
      {(webhooks.data.value ?? []).length > 0 && (
        <ul class="items">
          {(webhooks.data.value ?? []).map((webhook) => (
            <One key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {gone !== undefined && (
        <p role="status">
          The webhook to “<Foreign>{gone}</Foreign>” was removed, so its secret is not shown any more.
        </p>
      )}
      {shown ? (
        <ShownOnce
          name={`Secret of ${shown.label}`}
          what="the secret"
          text={shown.secret}
          about={`It verifies the signatures of what is sent to ${shown.label}.`}
          onCopied={() => (made.value = undefined)}
        />
      ) : (
        <NewWebhook />
      )}
    </Sheet>
  );
};

/** The button that verifies the ledger in this browser, its progress, and its verdict. */
import { signal } from '@preact/signals';
import { counted } from '../ui/words.ts';
import { sentence } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { verify, type Verdict } from './verify.ts';

type State =
  | { is: 'idle' }
  | { is: 'running'; checked: number; of: number }
  | { is: 'done'; verdict: Verdict }
  | { is: 'failed'; why: string };

const state = signal<State>({ is: 'idle' });

/** Entries of a page are dropped before the next page is read, so any length of ledger takes the memory of one page. */
const PAGE = 500;

const run = async (): Promise<void> => {
  state.value = { is: 'running', checked: 0, of: 0 };
  try {
    const verdict = await verify(client.memport.ledger({ limit: PAGE }), (checked, of) => {
      state.value = { is: 'running', checked, of };
    });
    state.value = { is: 'done', verdict };
  } catch (error) {
    state.value = { is: 'failed', why: sentence(error) };
  }
};

const Verdict = ({ verdict: { checked, head, unread, bad } }: { verdict: Verdict }) =>
  bad ? (
    <p class="failure" role="alert">
      Entry {bad.seq} is not as it was written: {bad.why}. {counted(checked, 'newer entry is', 'newer entries are')} in
      order.
    </p>
  ) : (
    <div class="verdict" role="status">
      <p>
        <strong>All {checked} entries are as they were written.</strong>
        {unread > 0 && ` Of ${unread} only the hashes were compared, because their documents are not shown.`}
      </p>
      <p>
        The newest hash is <code>{head}</code>. Keep it: a ledger that was changed later can never have it again at this
        place.
      </p>
    </div>
  );

export const Verification = () => {
  const { value } = state;
  // Browsers offer WebCrypto on this machine and over HTTPS only.
  if (!('subtle' in crypto))
    return <p class="quiet">Open the console over HTTPS to verify the ledger in the browser.</p>;
  return (
    <div class="verification">
      <button type="button" disabled={value.is === 'running'} onClick={() => void run()}>
        Verify in this browser
      </button>
      {value.is === 'running' && (
        <label class="choice">
          {counted(value.checked, 'entry', 'entries')} verified
          <progress value={value.checked} max={Math.max(1, value.of)} />
        </label>
      )}
      {value.is === 'done' && <Verdict verdict={value.verdict} />}
      {value.is === 'failed' && (
        <p class="failure" role="alert">
          {value.why}
        </p>
      )}
    </div>
  );
};

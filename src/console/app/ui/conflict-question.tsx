/** Asks what happens to what agents have on the calendar where an event of the person is to be. */
import { conflict } from '../state/conflict.ts';
import { clockText, momentOf, wallOf } from '../state/wall-time.ts';
import { Dialog } from './dialog.tsx';
import { Foreign } from './text.tsx';

const isRunning = ({ start, end }: { start: string; end: string }): boolean =>
  Date.parse(start) <= Date.now() && Date.now() < Date.parse(end);

export const ConflictQuestion = () => {
  const { value: asked } = conflict;
  if (!asked) return null;
  const { taken, choose } = asked;
  return (
    <Dialog name="This time is taken" class="conflict" onClose={() => choose(undefined)}>
      <h2>You have approved something at this time</h2>
      <ul>
        {taken.map((one) => (
          <li key={`${one.uid} ${one.start}`}>
            <Foreign lines={1}>{one.title}</Foreign>{' '}
            <small>
              {momentOf(one.start)} to {clockText(wallOf(one.end).minutes)}
              {isRunning(one) && ', running now'}
            </small>
          </li>
        ))}
      </ul>
      <p>
        What is proposed again comes off the calendar. If there is another free time, it waits for that one in the
        queue, where you decide.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => choose(undefined)}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={() => choose('keep')}>
          Keep both
        </button>
        <button type="button" class="danger" onClick={() => choose('displace')}>
          Propose the other{taken.length === 1 ? '' : ` ${taken.length}`} again at a free time
        </button>
      </div>
    </Dialog>
  );
};

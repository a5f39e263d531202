/** A key of the queue decides on what is in view and was read; where it does not, it shows that, and says why. */
import { computed } from '@preact/signals';
import type { Waiting } from '../state/data.ts';
import { deciding, wereRead } from '../state/decide.ts';
import { advise, complain, messages, say } from '../state/messages.ts';
import { isNarrow } from '../state/narrow.ts';
import { isInView, showAgain } from '../state/shown.ts';
import { isOpened } from './reading.ts';
import { isBatch } from './selection.tsx';

/** On a phone the card lies over the list: it opens when it is asked for, and goes on to the next one until it is closed. */
export const isCardShown = computed(() => !isNarrow.value || isOpened.value || isBatch.value);
const titleShown = (): Element | null => document.querySelector('.queue .detail h2');

/** Where a low window has scrolled away from the card, it comes back. */
export const showCard = (): void => {
  const title = titleShown();
  if (title && !isInView(title)) title.closest('.detail')?.scrollIntoView();
};

/** The row of the proposal that is read, when it is drawn at its place, and its card. The focus goes along with it. */
export const showCurrent = (): void =>
  void requestAnimationFrame(() => {
    const row = document.querySelector('.queue [aria-current="true"]');
    row?.scrollIntoView({ block: 'nearest' });
    if (document.activeElement?.closest('.queue .list'))
      row?.querySelector<HTMLElement>('.body')?.focus({ preventScroll: true });
    showCard();
  });

/**
 * A key decides only on what is in view and was there for long enough to be read; else it shows that, and says so.
 * @param isQuestion whether the key only asks, which can be answered when it is read
 */
export const isReadBy = (plan: Waiting, isQuestion = false): boolean => {
  if (!isCardShown.value) {
    isOpened.value = true;
    showCurrent();
    advise(`This is “${plan.title}”. Read it, then press the key again.`, [plan.uid]);
    return false;
  }
  if (document.querySelector('.queue .detail .edit')) {
    complain(`The form of “${plan.title}” is open. Send it, or press Escape in it to close it.`, [plan.uid]);
    return false;
  }
  const title = titleShown();
  if (title && !isInView(title)) {
    showCard();
    showAgain('card', plan);
    return wereRead('card', [plan]);
  }
  return isQuestion || wereRead('card', [plan]);
};

/** While the answer is awaited, the next one is not there to be read. */
const WAITS = 'The last decision is not answered yet. Read the next proposal, then decide.';
export const isUnderWay = ({ uid }: Waiting): boolean => deciding.value.has(uid);
export const waiters = ['a', 'r'].map((keys) => ({
  keys,
  name: 'Decide',
  onlyKey: true,
  run: () => {
    if (!messages.value.some(({ text }) => text === WAITS)) say(WAITS);
  },
}));

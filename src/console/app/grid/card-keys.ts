/** The keys of the card that is open on the calendar: of a proposal those of the queue, and of an event Delete. Words that are typed into the card of an event do nothing. */
import { asOf } from '../state/address.ts';
import type { Command } from '../state/commands.ts';
import type { Waiting } from '../state/data.ts';
import { asked } from '../ui/proposal-card.tsx';
import { mustAsk } from '../ui/sure.ts';
import { blocks } from './blocks.ts';
import { askRemoval, opened, pin } from './card.ts';
import { isFixed } from './drag.ts';

const button = (what: 'approve' | 'edit' | `free="${number}"`): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.card [data-${what}]`);

/** A card that only follows the pointer stays once something is done in it. */
const stays = (): void => {
  if (opened.value && !opened.value.pinned) pin(opened.value);
};
const press = (what: Parameters<typeof button>[0]): void => {
  stays();
  button(what)?.click();
};

/** Where the buttons are not shown, it asks something already, or its form is open. */
const ask = (plan: Waiting, about: 'reason' | 'sure'): void => {
  if (!button('approve')) return;
  stays();
  asked.value = { uid: plan.uid, about };
};

const deciders = (plan: Waiting): Command[] => [
  { keys: 'a', name: 'Approve', run: () => (mustAsk(plan) ? ask(plan, 'sure') : button('approve')?.click()) },
  { keys: 'r', name: 'Reject, with a reason', run: () => ask(plan, 'reason') },
  { keys: 'e', name: 'Edit', run: () => press('edit') },
  ...[1, 2, 3].map((n) => ({
    ...{ keys: `${n}`, name: `Approve at the free time ${n}`, onlyKey: true },
    run: () => press(`free="${n}"`),
  })),
];

export const cardCommands = (): Command[] => {
  const block = asOf.value === undefined ? blocks.value.find(({ key }) => key === opened.value?.key) : undefined;
  if (!block) return [];
  const commands: Command[] =
    block.kind === 'ghost'
      ? deciders(block.plan)
      : isFixed(block)
        ? []
        : [{ keys: 'Delete', name: 'Remove the event', run: () => askRemoval(true) }];
  return commands.map((one) => ({ ...one, inCard: true }));
};

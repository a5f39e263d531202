/** Names of those who act. */
import { computed } from '@preact/signals';
import { keys } from './data.ts';

const labels = computed(() => new Map((keys.data.value ?? []).map(({ id, label }) => [id, label])));

/** @param actor as histories name it, such as `agent:k3f9zq27` or `user:session` */
export const actorName = (actor: string): string => {
  const [kind = '', id = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'system') return 'Almanac';
  if (id === 'session') return 'You';
  const label = labels.value.get(id);
  return label === undefined ? `Key ${id.slice(0, 8)}` : kind === 'user' ? `You, with key ${label}` : label;
};
